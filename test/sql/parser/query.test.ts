import test from 'ava';
import fc from 'fast-check';
import { cases } from '../../support/cases.js';
import { printExpression, printQuery } from '../../support/sql/print-statement.js';
import { randomQuery } from '../../support/sql/random-syntax.js';
import { bare, faultOf, queryOf, quoted, shapeOf } from '../../support/sql/syntax.js';

test('reads every clause of a block in order', (t) => {
  const source =
    'select distinct a x, b as `Y` from db.t where a > 1 partition by tbname n, c interval(10s) ' +
    'group by g having count(*) > 0 order by 1 desc nulls last, x asc slimit 2 soffset 3 limit 4 offset 5;';
  t.is(
    printQuery(queryOf(source)),
    'SELECT DISTINCT a AS x, b AS `Y` FROM db.t WHERE (a > 1) PARTITION BY tbname AS n, c INTERVAL(10s) ' +
      'GROUP BY g HAVING (COUNT(*) > 0) ORDER BY 1 DESC NULLS LAST, x SLIMIT 2 SOFFSET 3 LIMIT 4 OFFSET 5',
  );
});

test('reads LIMIT and SLIMIT in both forms, negative numbers included', (t) => {
  const limits = (text: string) => {
    const query = queryOf(`select a from t ${text}`);
    return query.kind === 'select' ? shapeOf({ slimit: query.slimit, limit: query.limit }) : undefined;
  };
  t.deepEqual(limits('slimit 1, 2 limit 3, 4'), {
    slimit: { count: 2n, offset: 1n },
    limit: { count: 4n, offset: 3n },
  });
  t.deepEqual(limits('limit 0'), { slimit: undefined, limit: { count: 0n, offset: 0n } });
  t.deepEqual(limits('limit 1 offset -1'), { slimit: undefined, limit: { count: 1n, offset: -1n } });
});

test('takes aliases with and without AS, in every kind of quotes', (t) => {
  const query = queryOf(`select a AS X, b Y, c as 'A b', d as "A", e \`A b\`, f 'g', g left, h desc, t.*`);
  if (query.kind !== 'select') return t.fail();
  return t.deepEqual(
    query.items.map((item) => shapeOf(item.alias)),
    [
      bare('x'),
      bare('y'),
      quoted('A b'),
      quoted('A'),
      quoted('A b'),
      quoted('g'),
      bare('left'),
      bare('desc'),
      undefined,
    ],
  );
});

test('reads SELECT TAGS, ALL, hints and a query without FROM', (t) => {
  t.is(printQuery(queryOf('select tags t1, t2 from s')), 'SELECT TAGS t1, t2 FROM s');
  t.is(printQuery(queryOf('select all a from s')), 'SELECT a FROM s');
  t.is(printQuery(queryOf('select /*+ batch_scan() NONSENSE( */ a from s')), 'SELECT a FROM s');
  t.is(printQuery(queryOf('select distinct(tbname) from s')), 'SELECT DISTINCT tbname FROM s');
  t.is(printQuery(queryOf('select server_version()')), 'SELECT SERVER_VERSION()');
});

test('reads HAVING behind PARTITION BY', (t) => {
  const text = 'select first(_ts) from s partition by cluster_id having first(_ts) > 0';
  t.is(printQuery(queryOf(text)), 'SELECT FIRST(_ts) FROM s PARTITION BY cluster_id HAVING (FIRST(_ts) > 0)');
});

test('joins branches of UNION from the left and gives the end of the statement to the whole', (t) => {
  t.is(
    printQuery(queryOf('select 1 union select 2 union all select 3 order by 1 limit 5')),
    '((SELECT 1) UNION (SELECT 2)) UNION ALL (SELECT 3) ORDER BY 1 LIMIT 5 OFFSET 0',
  );
  t.is(
    printQuery(queryOf('(select a from t limit 1) union all (select b from t order by b)')),
    '(SELECT a FROM t LIMIT 1 OFFSET 0) UNION ALL (SELECT b FROM t ORDER BY b)',
  );
  t.is(printQuery(queryOf('((select a from t)) limit 3')), 'SELECT a FROM t LIMIT 3 OFFSET 0');
});

test('refuses misplaced clauses', (t) => {
  const cases: Record<string, string> = {
    'select a from t order by a union select b from t': 'union select b from t',
    '(select a from t limit 1) limit 2': 'limit 2',
    'select 1 union select 2 slimit 1': 'slimit 1',
    'select a from t group by b where c': 'where c',
    'select a from t limit 1.5': '1.5',
    'select a from t limit b': 'b',
    'select from t': 'from t',
    'select a from t where order by ts': 'order by ts',
    'select a from t order by a nulls': '',
    "select a from t >> 'file'": ">> 'file'",
  };
  for (const [source, near] of Object.entries(cases)) {
    const expected = near === '' ? 'Incomplete SQL statement' : `syntax error near "${near}"`;
    t.is(faultOf(source).message, expected, source);
  }
});

test('limits the number of UNION branches', (t) => {
  const union = (branches: number) => Array.from({ length: branches }, () => 'select 1').join(' union all ');
  t.notThrows(() => queryOf(union(100)));
  t.is(faultOf(union(101)).code, 0x2600);
});

test('reads back every query it can print', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(randomQuery, (query) => {
        t.deepEqual(shapeOf(queryOf(printQuery(query))), shapeOf(query));
      }),
      { numRuns: cases(100, 400, 1000) },
    ),
  );
});

test('reads COLS as one item for each of its columns', (t) => {
  const query = queryOf('SELECT a, cols(last(v), ts, k + 1 AS x, t.c y), COLS(max(v), k) z FROM t');
  const items = query.kind === 'select' ? query.items : [];
  t.deepEqual(
    items.map(({ alias, text }) => [alias?.text, text]),
    [
      [undefined, 'a'],
      [undefined, 'ts'],
      ['x', 'k + 1'],
      ['y', 'c'],
      ['z', 'k'],
    ],
  );
  t.deepEqual(
    items.slice(1).map(({ value }) => printExpression(value)),
    ['COLS(LAST(v), ts)', 'COLS(LAST(v), (k + 1))', 'COLS(LAST(v), t.c)', 'COLS(MAX(v), k)'],
  );
  t.is(faultOf('SELECT cols(last(v), *) AS a FROM t').code, 0x2600);
  t.is(faultOf('SELECT cols(last(v)) FROM t').code, 0x2600);
});
