import test from 'ava';
import { homeOf } from '../../../src/pipelines/write/split.js';
import { blockOf, int } from '../../support/blocks/blocks.js';

const inside = (database: string) => ({ ...blockOf('t', { v: int }, [[1n, 1n, { v: 1 }]]), database });

test('rows go to the database of their text, those of a statement to the one that it names tables of', (t) => {
  const home = (format: 'lineproto' | 'sql-insert', current: string, ...databases: readonly string[]) => {
    const { database, isWithin } = homeOf(format, current, databases.map(inside));
    return isWithin ? database : undefined;
  };
  t.is(home('lineproto', 'a', 'a'), 'a');
  t.is(home('sql-insert', 'a', 'a', 'a'), 'a');
  t.is(home('sql-insert', '', 'b', 'b'), 'b');
  t.is(home('sql-insert', '', 'a', 'b'), undefined);
  t.is(home('sql-insert', 'a', 'a', 'b'), undefined);
  t.is(home('sql-insert', 'a', 'b'), undefined, 'names without a database would mean other tables');
});
