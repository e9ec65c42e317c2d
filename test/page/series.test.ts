import test from 'ava';

interface Rows {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly isNumber: boolean }[];
  readonly data: readonly (readonly unknown[])[];
}

interface Line {
  readonly name: string;
  readonly points: readonly (readonly [seconds: number, value: number | null])[];
  readonly repeated: boolean;
}

interface SeriesModule {
  readonly readLines: (
    rows: Rows,
    statement?: string,
    known?: Partial<Record<'tags' | 'values', ReadonlySet<string>>>,
  ) => Line[] | undefined;
  readonly chooseLines: (
    lines: readonly Line[],
    choice?: { readonly holds?: string; readonly rank?: string },
  ) => { readonly shown: readonly Line[]; readonly matching: number };
  readonly aligned: (
    lines: readonly Line[],
    step?: number,
  ) => { readonly names: readonly string[]; readonly data: unknown };
  readonly maxLines: number;
}

const { readLines, chooseLines, aligned, maxLines }: SeriesModule = await import(
  new URL('../../../page/series.js', import.meta.url).href
);

const time = { name: 'ts', type: 'TIMESTAMP', isNumber: false };
const value = { name: 'v', type: 'DOUBLE', isNumber: true };
const city = { name: 'city', type: 'NCHAR', isNumber: false };
const at = (second: number): string => new Date(second * 1000).toISOString();

function namesOf(
  rows: Rows,
  statement?: string,
  known?: Partial<Record<'tags' | 'values', ReadonlySet<string>>>,
): string[] | undefined {
  return readLines(rows, statement, known)?.map(({ name }) => name);
}

test('a column of numbers is one line over the times, in their order', (t) => {
  const data = [
    [at(20), 2],
    [at(10), 1],
    [at(30), null],
  ];
  const lines = readLines({ columns: [time, value], data }) ?? [];
  t.deepEqual(aligned(lines), {
    names: ['v'],
    data: [
      [10, 20, 30],
      [1, 2, null],
    ],
  });
});

const grouping = new URL('../../../page/grouping.js', import.meta.url).href;
interface GroupingModule {
  readonly windowStep: (statement: string) => number | undefined;
  readonly unselectedPartitions: (statement: string, names: readonly string[]) => string[];
}
const { windowStep, unselectedPartitions }: GroupingModule = await import(grouping);

test('a line breaks where a window is missing, or three times the usual distance has passed', (t) => {
  const gapsOf = (times: readonly number[], step?: number): number[] => {
    const lines = readLines({ columns: [time, value], data: times.map((second) => [at(second), second]) }) ?? [];
    const { data } = aligned(lines, step) as { data: readonly [readonly number[], readonly (number | null)[]] };
    return data[0].filter((_, place) => data[1][place] === null);
  };
  const gaps = (step?: number): number[] => gapsOf([0, 10, 20, 30, 50, 60, 91, 101], step);
  t.deepEqual(gaps(), [75.5], 'rows: 31 seconds are more than three times 10');
  t.deepEqual(gaps(10), [40, 75.5], 'windows of 10 seconds');
  t.deepEqual(gaps(1), [75.5], 'most windows are empty');
  const fewMissing = Array.from({ length: 50 }, (_, at) => at * 10).filter((second) => second % 70 !== 20);
  t.is(gapsOf(fewMissing, 10).length, 7, 'each missing window is seen');
  const rarer = Array.from({ length: 50 }, (_, at) => Math.floor((at * 20) / 15) * 15);
  t.deepEqual(gapsOf(rarer, 15), [], 'values every 20 seconds leave no window of 15 seconds missing');
});

test('a gap of a line is as wide as it is, also where another line has points in it', (t) => {
  const row = (second: number, name: string, number: number | null) => [at(second), name, number];
  const other = [1, 2, 3, 4, 5, 6].map((second) => row(second, 'b', 9));
  const data = [row(0, 'a', 1), row(3, 'a', null), row(6, 'a', 2), ...other];
  const { data: drawn } = aligned(readLines({ columns: [time, city, value], data }) ?? []);
  t.deepEqual(drawn, [
    [0, 1, 2, 3, 4, 5, 6],
    [1, null, null, null, null, null, 2],
    [undefined, 9, 9, 9, 9, 9, 9],
  ]);
});

test('every row of a time that comes more than once on a line is drawn', (t) => {
  const row = (second: number, name: string, number: number | null) => [at(second), name, number];
  const data = [
    ...[row(0, 'a', 1), row(0, 'a', 2), row(10, 'a', 3), row(10, 'a', 4), row(10, 'a', null), row(60, 'a', 5)],
    ...[row(0, 'b', 9), row(10, 'b', 8), row(20, 'b', 7)],
  ];
  const [a, b] = readLines({ columns: [time, city, value], data }) ?? [];
  t.deepEqual([a?.repeated, a?.points.length, b?.repeated], [true, 6, false]);
  t.deepEqual(aligned(a === undefined || b === undefined ? [] : [a, b]).data, [
    [0, 0, 10, 10, 10, 20, 35, 60],
    [1, 2, 3, 4, null, null, null, 5],
    [9, undefined, 8, undefined, undefined, 7, undefined, undefined],
  ]);
});

test('the distance of windows is read from a statement', (t) => {
  t.is(windowStep('SELECT _wstart, AVG(v) FROM m INTERVAL(10m)'), 600);
  t.is(windowStep('SELECT _wstart, AVG(v) FROM m interval ( 10m, 2m ) SLIDING(5m) FILL(NULL)'), 300);
  t.is(windowStep("SELECT _wstart, AVG(v) FROM (SELECT _wstart, SUM(v) v FROM m INTERVAL(1s)) INTERVAL('1h')"), 3600);
  t.is(windowStep('SELECT _wstart, AVG(v) FROM m INTERVAL(1n)'), 31 * 86_400);
  t.is(windowStep("SELECT ts, v, 'INTERVAL(1m)' FROM m -- INTERVAL(1h)"), undefined);
});

test('each combination of texts and each column of numbers is a line, by name', (t) => {
  const rows = [
    [at(1), 'rome', 1, 10],
    [at(1), 'oslo', 2, 20],
    [at(2), 'oslo', 3, 30],
  ];
  const columns = [time, city, value, { ...value, name: 'w' }];
  const { names, data } = aligned(readLines({ columns, data: rows }) ?? []);
  t.deepEqual(names, ['oslo: v', 'oslo: w', 'rome: v', 'rome: w']);
  t.deepEqual(data, [
    [1, 2],
    [2, 3],
    [20, 30],
    [1, undefined],
    [10, undefined],
  ]);
  t.deepEqual(namesOf({ columns: [time, city, value], data: rows.map((row) => row.slice(0, 3)) }), ['oslo', 'rome']);
});

test('labels of Prometheus, whole or one by one, are a line each', (t) => {
  const labels = { name: 'labels', type: 'JSON', isNumber: false };
  const whole = [
    [at(1), 5, { cpu: '0', mode: 'idle' }],
    [at(1), 7, { cpu: '1', mode: 'idle' }],
  ];
  t.deepEqual(namesOf({ columns: [time, value, labels], data: whole }), ['cpu=0', 'cpu=1']);
  const one = {
    columns: [time, { ...labels, name: "labels->'cpu'" }, value],
    data: [
      [at(1), '"0"', 5],
      [at(1), '"1"', 7],
    ],
  };
  t.deepEqual(namesOf(one), ['cpu=0', 'cpu=1']);
});

test('numbers that are tags, or that rows are parted by, tell lines apart; other numbers are drawn', (t) => {
  const group = { name: 'groupid', type: 'INT', isNumber: true };
  const columns = [{ ...time, name: '_wstart' }, group, { ...value, name: 'avg(current)' }];
  const data = [
    [at(1), 2, 10],
    [at(1), 10, 11],
  ];
  const parted = 'SELECT _wstart, groupid, AVG(current) FROM meters PARTITION BY groupid INTERVAL(1s)';
  t.deepEqual(namesOf({ columns, data }, parted), ['groupid=2', 'groupid=10']);
  t.deepEqual(namesOf({ columns, data }, 'SELECT … FROM t GROUP BY t.`GroupId`, x'), ['groupid=2', 'groupid=10']);
  t.deepEqual(namesOf({ columns, data }, 'SELECT …', { tags: new Set(['groupid']) }), ['groupid=2', 'groupid=10']);
  t.deepEqual(namesOf({ columns, data }, 'SELECT … ORDER BY groupid'), ['avg(current)', 'groupid']);
});

test('an expression or an alias that rows are parted by tells lines apart as well', (t) => {
  const columns = (name: string) => [time, { name, type: 'BIGINT', isNumber: true }, value];
  const data = [[at(1), 4, 1]];
  t.deepEqual(namesOf({ columns: columns('n % 10'), data }, 'SELECT … PARTITION BY n%10, f(a, b) INTERVAL(1s)'), [
    'n % 10=4',
  ]);
  t.deepEqual(namesOf({ columns: columns('shard'), data }, 'SELECT … PARTITION BY n % 10 AS shard SLIMIT 2'), [
    'shard=4',
  ]);
  t.deepEqual(namesOf({ columns: columns('v2'), data }, "SELECT 'PARTITION BY v2' …"), ['v', 'v2']);
});

test('a truth value is drawn, unless it is a tag or rows are parted by it', (t) => {
  const open = { name: 'open', type: 'BOOL', isNumber: false };
  const [line] =
    readLines({
      columns: [time, open],
      data: [
        [at(1), true],
        [at(2), false],
        [at(3), null],
      ],
    }) ?? [];
  t.deepEqual([line?.name, line?.points.map(([, of]) => of)], ['open', [1, 0, null]]);
  const rows = { columns: [time, open, value], data: [[at(1), true, 1]] };
  t.deepEqual(namesOf(rows), ['open', 'v']);
  t.deepEqual(namesOf(rows, 'SELECT …', { tags: new Set(['open']) }), ['open=true']);
  t.deepEqual(namesOf(rows, 'SELECT … PARTITION BY open'), ['open=true']);
});

test('columns of one name are two lines, with the names of row_with_meta', (t) => {
  const columns = [time, value, value, { ...value, name: 'v_2' }, value];
  t.deepEqual(namesOf({ columns, data: [[at(1), 1, 2, 3, 4]] }), ['v', 'v_2', 'v_3', 'v_4']);
  const lines = readLines({ columns, data: [[at(1), 1, 2, 3, 4]] }) ?? [];
  t.deepEqual(
    lines.map(({ repeated, points }) => [repeated, ...points.map(([, of]) => of)]),
    [
      [false, 1],
      [false, 3],
      [false, 2],
      [false, 4],
    ],
  );
});

test('labels that all lines share are left out of names, and different series with equal words stay apart', (t) => {
  const labels = { name: 'labels', type: 'JSON', isNumber: false };
  const row = (second: number, json: object) => [at(second), json, 1];
  const data = [row(1, { job: 'node', cpu: '0' }), row(1, { job: 'node', cpu: '1' })];
  t.deepEqual(namesOf({ columns: [time, labels, value], data }), ['cpu=0', 'cpu=1']);
  t.deepEqual(namesOf({ columns: [time, labels, value], data: data.slice(1) }), ['job=node cpu=1']);
  const words = [
    [at(1), null, 1],
    [at(1), 'null', 2],
  ];
  t.deepEqual(namesOf({ columns: [time, city, value], data: words }), ['v', 'v_2']);
});

test('an alias of a tag is a tag', (t) => {
  const group = { name: 'g', type: 'INT', isNumber: true };
  const statement = 'SELECT _wstart, groupid g, AVG(v) FROM meters PARTITION BY groupid INTERVAL(1s)';
  const data = [
    [at(1), 2, 10],
    [at(1), 10, 11],
  ];
  t.deepEqual(namesOf({ columns: [time, group, value], data }, statement), ['g=2', 'g=10']);
});

test('what a statement parts its rows by and does not select is found', (t) => {
  const of = (statement: string, ...names: string[]): string[] => unselectedPartitions(statement, names);
  t.deepEqual(of('SELECT _ts, MAVG(temp, 20) FROM w PARTITION BY site, `Room`', '_ts', 'mavg'), ['site', '`Room`']);
  t.deepEqual(of('SELECT _ts, site, MAVG(temp, 20) FROM w PARTITION BY site', '_ts', 'site', 'mavg'), []);
  t.deepEqual(of('SELECT _ts, w.site AS s, LAST(temp) FROM w PARTITION BY site', '_ts', 's', 'last'), []);
  t.deepEqual(of("SELECT _ts, l->'cpu' c, LAST(v) FROM w PARTITION BY l->'cpu'", '_ts', 'c', 'last'), []);
  t.deepEqual(
    of('SELECT w, SUM(r) FROM (SELECT _wstart w, SUM(v) r FROM m PARTITION BY tbname INTERVAL(1m)) GROUP BY w'),
    [],
  );
  t.deepEqual(of('SELECT * FROM w PARTITION BY site', '_ts', 'site', 'temp'), []);
});

test('a text beside the tags of a super table is a value, and draws no line of its own', (t) => {
  const note = { name: 'note', type: 'VARCHAR', isNumber: false };
  const data = [
    [at(1), 'oslo', 'cold', 1],
    [at(2), 'oslo', 'warm', 2],
  ];
  const known = { tags: new Set(['city']), values: new Set(['note', 'v']) };
  t.deepEqual(namesOf({ columns: [time, city, note, value], data }, 'SELECT *', known), ['oslo']);
  t.deepEqual(namesOf({ columns: [time, city, note, value], data }, 'SELECT …'), ['cold', 'warm']);
});

test('times of one millisecond are told apart by their microseconds', (t) => {
  const second = '2026-01-01T00:00:00.';
  const data = [
    [`${second}000001000Z`, 1],
    [`${second}000002+00:00`, 2],
    [`${second}001Z`, 3],
  ];
  const [line] = readLines({ columns: [time, value], data }) ?? [];
  const first = Date.parse(`${second}000Z`) / 1000;
  const micros = line?.points.map(([seconds]) => Math.round((seconds - first) * 1e6));
  t.deepEqual([micros, line?.repeated], [[1, 2, 1000], false]);
});

test('more lines than can be told apart are chosen among: by name, by what they hold, and by their values', (t) => {
  const data = Array.from({ length: 60 }, (_, i) => [at(i % 3), `c${i}`, i]);
  const lines = readLines({ columns: [time, city, value], data }) ?? [];
  const first = chooseLines(lines);
  t.deepEqual([first.shown.length, first.matching], [maxLines, 60]);
  t.deepEqual(
    first.shown.slice(0, 3).map(({ name }) => name),
    ['c0', 'c1', 'c2'],
  );
  t.deepEqual(chooseLines(lines, { holds: 'C5' }).shown.map(({ name }) => name).length, 11);
  t.is(chooseLines(lines, { rank: 'largest' }).shown[0]?.name, 'c40');
  t.is(chooseLines(lines, { rank: 'latest' }).shown.at(-1)?.name, 'c59');
});

test('times that come twice on a line are noticed', (t) => {
  const data = [
    [at(1), 1],
    [at(1), 2],
  ];
  const [line] = readLines({ columns: [time, value], data }) ?? [];
  t.true(line?.repeated);
  t.deepEqual(line?.points, [
    [1, 1],
    [1, 2],
  ]);
});

test('without times, numbers or rows there is nothing to draw', (t) => {
  t.is(readLines({ columns: [value], data: [[1]] }), undefined);
  t.is(readLines({ columns: [time, city], data: [[at(1), 'x']] }), undefined);
  t.is(readLines({ columns: [time, value], data: [] }), undefined);
  t.is(readLines({ columns: [time, value], data: [[null, 1]] }), undefined);
});
