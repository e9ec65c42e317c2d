import test from 'ava';

interface Tag {
  readonly name: string;
  readonly key?: string;
  readonly type: string;
}
interface Choice {
  readonly database: string;
  readonly table: string;
  readonly column: string;
  readonly of: string;
  readonly filters: readonly { readonly tag: Tag; readonly comparison: string; readonly value: string }[];
  readonly groups: readonly Tag[];
}
interface Explore {
  readonly exploreStatement: (choice: Choice, rangeMs: number, pace?: { ageMs?: number; periodMs?: number }) => string;
}

const { exploreStatement }: Explore = await import(new URL('../../../page/explore-sql.js', import.meta.url).href);

const city: Tag = { name: 'city', type: 'NCHAR(8)' };
const floor: Tag = { name: 'floor', type: 'INT' };
const cpu: Tag = { name: 'labels', key: 'cpu', type: 'JSON' };
const plain: Choice = { database: 'demo', table: 'weather', column: 'temp', of: 'AVG', filters: [], groups: [] };
const hour = 3_600_000;

test('a column of a table alone is one line, in windows that fit the time range', (t) => {
  t.is(
    exploreStatement(plain, hour),
    'SELECT _wstart, AVG(`temp`) FROM `demo`.`weather`\nWHERE _rowts BETWEEN $from AND $to\nINTERVAL(15s) ORDER BY _wstart LIMIT 100000',
  );
  t.regex(exploreStatement(plain, 24 * hour), /INTERVAL\(600s\)/);
  t.regex(exploreStatement(plain, 0), /INTERVAL\(1s\)/);
});

test('a table whose first rows have just come is cut finer, but a rate never below four values', (t) => {
  const rate = { ...plain, of: 'RATE' };
  t.regex(exploreStatement(plain, hour, { ageMs: 20_000, periodMs: 2_000 }), /INTERVAL\(1s\)/);
  t.regex(exploreStatement(rate, hour, { ageMs: 20_000, periodMs: 2_000 }), /INTERVAL\(10s\)/);
  t.regex(exploreStatement(rate, hour, { ageMs: 240_000, periodMs: 15_000 }), /INTERVAL\(60s\)/);
  t.regex(exploreStatement(rate, 10_000, { ageMs: 240_000, periodMs: 1_000 }), /INTERVAL\(5s\)/);
  t.regex(exploreStatement(rate, hour), /INTERVAL\(60s\)/);
  t.regex(exploreStatement(rate, 24 * hour, { periodMs: 15_000 }), /INTERVAL\(600s\)/);
  t.regex(exploreStatement(rate, hour, { periodMs: 600_000 }), /INTERVAL\(3600s\)/);
});

test('values of one tag are alternatives, all else must hold together, and what is in them is no SQL', (t) => {
  const filters = [
    { tag: city, comparison: '=', value: "o'slo" },
    { tag: city, comparison: '=', value: 'rome' },
    { tag: floor, comparison: '!=', value: '3' },
    { tag: floor, comparison: '=', value: '1 OR 1' },
    { tag: cpu, comparison: 'LIKE', value: '50%' },
    { tag: cpu, comparison: '=', value: '' },
  ];
  t.deepEqual(
    exploreStatement({ ...plain, filters }, hour)
      .split('\n')
      .slice(2, 6),
    [
      "  AND `city` IN ('o''slo', 'rome')",
      "  AND `floor` = '1 OR 1'",
      '  AND `floor` != 3',
      "  AND `labels`->'cpu' LIKE '%50\\\\%%'",
    ],
  );
});

test('groups get a line each, keys of JSON by their name', (t) => {
  t.regex(
    exploreStatement({ ...plain, groups: [city, cpu] }, hour),
    /^SELECT _wstart, `city`, `labels`->'cpu' AS `cpu`, AVG.*\nPARTITION BY `city`, `labels`->'cpu' INTERVAL\(15s\)/s,
  );
});

test('a rate is that of each series, added up in its group, of windows that the range holds whole', (t) => {
  t.is(
    exploreStatement({ ...plain, of: 'RATE', groups: [cpu] }, hour),
    [
      "SELECT _wstart, `labels`->'cpu' AS `cpu`, RATE(`temp`) FROM `demo`.`weather`",
      'WHERE _rowts BETWEEN $from AND $to',
      "PARTITION BY `labels`->'cpu' INTERVAL(60s) HAVING _wstart >= $from AND _wend <= $to ORDER BY _wstart LIMIT 100000",
    ].join('\n'),
  );
});

test('sums and counts are of windows that the range holds whole, as rates are, and other functions of all', (t) => {
  const isWhole = (of: string): boolean =>
    / HAVING _wstart >= \$from AND _wend <= \$to ORDER BY /.test(exploreStatement({ ...plain, of }, hour));
  t.deepEqual(['SUM', 'COUNT', 'RATE'].map(isWhole), [true, true, true]);
  t.deepEqual(['AVG', 'MAX', 'MIN', 'LAST', ''].map(isWhole), [false, false, false, false, false]);
});

test('every value comes with its groups, the newest of very many', (t) => {
  t.regex(
    exploreStatement({ ...plain, of: '', groups: [city] }, hour),
    /^SELECT _rowts, `city`, `temp` FROM .*ORDER BY _rowts DESC LIMIT 100000$/s,
  );
});
