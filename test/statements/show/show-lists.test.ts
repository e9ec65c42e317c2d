import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { showList, showListNames, showLists } from '../../../src/sql/syntax/show-lists.js';
import { systemTable } from '../../../src/statements/lists/registry.js';

test('each list is read by its words and shows a system table that there is', (t) => {
  const names = showListNames(() => true);
  t.is(names.length, Object.keys(showLists).length);
  for (const list of names) {
    const { table, ofNode, numbered } = showList(list);
    const words = ofNode === true ? list.replace(' ', ' 1 ') : numbered === true ? `${list} 1` : list;
    t.like(parseStatement(`SHOW ${words}`), { kind: 'show', show: { what: 'list', list } }, words);
    if (table === undefined) continue;
    const database = table.startsWith('perf_') ? 'performance_schema' : 'information_schema';
    t.not(systemTable(database, table), undefined, table);
  }
});
