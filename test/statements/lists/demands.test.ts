import test from 'ava';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { demandsOf } from '../../../src/statements/lists/demands.js';

function demands(text: string): Record<string, string> {
  const statement = parseStatement(text);
  if (statement.kind !== 'query') throw new Error(text);
  return Object.fromEntries(demandsOf(statement.query));
}

test('equalities that must all hold are demanded, and nothing else', (t) => {
  const cases: Record<string, Record<string, string>> = {
    "SELECT * FROM t WHERE db_name = 'd'": { db_name: 'd' },
    "SELECT * FROM t WHERE (db_name = 'd' AND n > 3) AND x.stable_name = 's'": { db_name: 'd', stable_name: 's' },
    "SELECT count(*) FROM (SELECT DISTINCT a FROM t WHERE db_name = 'd') WHERE a = 'b'": { db_name: 'd' },
    'SELECT * FROM t': {},
    "SELECT * FROM t WHERE db_name = 'd' OR db_name = 'e'": {},
    "SELECT * FROM t WHERE NOT db_name = 'd'": {},
    "SELECT * FROM t WHERE db_name <> 'd' AND stable_name LIKE 's'": {},
    'SELECT * FROM t WHERE db_name = other AND n = 1': {},
    "SELECT * FROM t WHERE db_name = 'd' UNION ALL SELECT * FROM t": {},
    "SELECT * FROM t a, t b WHERE a.ts = b.ts AND a.db_name = 'd'": {},
  };
  for (const [text, expected] of Object.entries(cases)) t.deepEqual(demands(text), expected, text);
});

test('a chain of many conditions is read without a deep stack', (t) => {
  const terms = Array.from({ length: 9_000 }, (_, i) => `a <> 'x${i}'`);
  t.deepEqual(demands(`SELECT * FROM t WHERE ${terms.join(' AND ')} AND db_name = 'd'`), { db_name: 'd' });
});
