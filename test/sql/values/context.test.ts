import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { collectTables } from '../../../src/sql/values/context.js';

test('finds every table that a query mentions, once', (t) => {
  const statement = parseStatement(
    'SELECT a FROM x WHERE a > 1 UNION ALL SELECT b FROM (SELECT c FROM db1.y UNION SELECT d FROM X) z UNION SELECT e FROM j1, db2.j2',
  );
  if (statement.kind !== 'query') throw new Error('Not a query');
  t.deepEqual(collectTables(statement.query), [
    { database: undefined, name: 'x' },
    { database: 'db1', name: 'y' },
    { database: undefined, name: 'j1' },
    { database: 'db2', name: 'j2' },
  ]);
});
