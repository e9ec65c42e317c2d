import test from 'ava';
import { Codes } from '../../../../src/model/fault.js';
import { raisedFault } from '../../../../src/sql/engine/raise.js';
import type { ContextOverrides } from '../../../support/engine/query-fixture.js';
import { metersFixture, start } from '../../../support/sql/meters.js';

const fixture = metersFixture();
fixture.normalTable(
  'm',
  'gaps',
  ['v INT', 'w DOUBLE', 's VARCHAR(8)', 'b BOOL'],
  [
    [start + 10000, 10, 1, "'a'", 'true'],
    [start + 20000, null, 2, null, null],
    [start + 40000, 40, null, "'b'", 'false'],
  ],
);
test.after.always(() => fixture.close());

const range = `ts >= ${start} AND ts < ${start + 60000}`;

function fills(
  title: string,
  items: string,
  clause: string,
  lines: readonly string[],
  overrides: ContextOverrides = {},
): void {
  test(title, (t) => {
    t.deepEqual(fixture.rows(`SELECT ${items} FROM gaps WHERE ${range} INTERVAL(10s) ${clause}`, overrides), [
      ...lines,
    ]);
  });
}

fills('produces no missing windows with NONE', 'sum(v)', 'FILL(NONE)', ['[10]', '[null]', '[40]']);
fills('fills with NULL', 'sum(v), count(*)', 'FILL(NULL)', [
  '[null,null]',
  '[10,1]',
  '[null,1]',
  '[null,null]',
  '[40,1]',
  '[null,null]',
]);
fills('fills with the previous value, also where a window has none', 'last(v), last(s)', 'FILL(PREV)', [
  '[null,null]',
  '[10,"a"]',
  '[10,"a"]',
  '[10,"a"]',
  '[40,"b"]',
  '[40,"b"]',
]);
fills('fills with the next value', 'sum(v), avg(w)', 'FILL(NEXT)', [
  '[10,1]',
  '[10,1]',
  '[40,2]',
  '[40,null]',
  '[40,null]',
  '[null,null]',
]);
fills('fills numbers along a line and leaves NULL windows alone', 'last(v), avg(w), last(s)', 'FILL(LINEAR)', [
  '[null,null,null]',
  '[10,1,"a"]',
  '[null,2,null]',
  '[30,null,null]',
  '[40,null,"b"]',
  '[null,null,null]',
]);
fills('fills with one value for every column, converted to its type', 'sum(v), avg(w), last(b)', 'FILL(VALUE, 9)', [
  '[9,9,true]',
  '[10,1,true]',
  '[9,2,true]',
  '[9,9,true]',
  '[40,9,false]',
  '[9,9,true]',
]);
fills('fills with values by position', '_wstart, last(s), sum(v)', "FILL(VALUE, 'x', 'xx') LIMIT 1", [
  '["2023-11-14T22:13:20.000Z","x",0]',
]);
fills(
  'fills in descending order with the same meaning',
  '_wstart, last(v)',
  'FILL(PREV) ORDER BY _wstart DESC LIMIT 2',
  ['["2023-11-14T22:14:10.000Z",40]', '["2023-11-14T22:14:00.000Z",40]'],
);

test('fills decimals on lines where there are none on one side', (t) => {
  fixture.normalTable('m', 'sums', ['x DECIMAL(12,3)'], [[start + 1000, "'1.5'"]]);
  for (const end of ['', ' HAVING 1 = 1']) {
    const sql = `SELECT sum(x) FROM sums WHERE ${range} INTERVAL(20s, AUTO) FILL(LINEAR)${end}`;
    t.deepEqual(fixture.rows(sql), ['["1.500"]', '[null]', '[null]'], sql);
  }
});

test('fills every slice by itself and only slices that have a window', (t) => {
  const sql = `SELECT tbname, location, _wstart, last(voltage) FROM meters WHERE ts >= ${start - 5000} AND ts < ${start + 10000} PARTITION BY tbname INTERVAL(5s) FILL(PREV)`;
  t.deepEqual(fixture.rows(sql), [
    '["d1","north","2023-11-14T22:13:15.000Z",null]',
    '["d1","north","2023-11-14T22:13:20.000Z",200]',
    '["d1","north","2023-11-14T22:13:25.000Z",200]',
    '["d2","north","2023-11-14T22:13:15.000Z",null]',
    '["d2","north","2023-11-14T22:13:20.000Z",201]',
    '["d2","north","2023-11-14T22:13:25.000Z",201]',
    '["d3","south","2023-11-14T22:13:15.000Z",null]',
    '["d3","south","2023-11-14T22:13:20.000Z",202]',
    '["d3","south","2023-11-14T22:13:25.000Z",202]',
  ]);
});

test('FILL fills the slice whose key is NULL', (t) => {
  const sql = `SELECT note, count(*) FROM d1 WHERE ts >= ${start} AND ts < ${start + 20000} PARTITION BY note INTERVAL(10s) FILL(VALUE, 0)`;
  t.deepEqual(fixture.rows(sql), ['[null,1]', '[null,0]', '["n1",0]', '["n1",1]']);
});

test('fills nothing where the range has no window, unless forced', (t) => {
  const query = (mode: string): string =>
    `SELECT count(*) FROM gaps WHERE ts >= 0 AND ts < 2000 INTERVAL(1s) FILL(${mode})`;
  t.deepEqual(fixture.rows(query('NULL')), []);
  t.deepEqual(fixture.rows(query('VALUE, 1')), []);
  t.deepEqual(fixture.rows(query('NULL_F')), ['[null]', '[null]']);
  t.deepEqual(fixture.rows(query('VALUE_F, 1')), ['[1]', '[1]']);
});

test('includes the window that begins at an included upper bound', (t) => {
  const rows = (upper: string): number =>
    fixture.rows(`SELECT count(*) FROM gaps WHERE ts >= ${start} AND ts ${upper} INTERVAL(10s) FILL(NULL)`).length;
  t.is(rows(`< ${start + 50000}`), 5);
  t.is(rows(`<= ${start + 50000}`), 6);
});

test('fills calendar months', (t) => {
  const sql =
    "SELECT _wstart, count(*) FROM gaps WHERE ts >= '2023-10-15' AND ts < '2024-01-01' INTERVAL(1n) FILL(VALUE, 0)";
  t.deepEqual(fixture.rows(sql, { connectionZone: 'Asia/Tokyo', outputZone: 'Asia/Tokyo' }), [
    '["2023-10-01T00:00:00.000+09:00",0]',
    '["2023-11-01T00:00:00.000+09:00",3]',
    '["2023-12-01T00:00:00.000+09:00",0]',
  ]);
});

test('fills sliding windows from the first one that reaches into the range', (t) => {
  const sql = `SELECT _wstart, count(*) FROM gaps WHERE ${range} INTERVAL(20s) SLIDING(10s) FILL(VALUE, 0) LIMIT 2`;
  t.deepEqual(fixture.rows(sql), ['["2023-11-14T22:13:10.000Z",0]', '["2023-11-14T22:13:20.000Z",1]']);
});

test('draws the line between months by their time, not by their number', (t) => {
  // From February 1 to April 1 of 2023 there are 59 days, 28 of them until March 1.
  fixture.normalTable(
    'm',
    'months',
    ['v INT'],
    [
      [Date.UTC(2023, 1, 10), 0],
      [Date.UTC(2023, 3, 10), 59],
    ],
  );
  const sql = "SELECT last(v) FROM months WHERE ts >= '2023-02-01' AND ts < '2023-05-01' INTERVAL(1n) FILL(LINEAR)";
  t.deepEqual(fixture.rows(sql), ['[0]', '[28]', '[59]']);
});

test('refuses to fill without both bounds or over too many windows', (t) => {
  const refusal = (where: string): number =>
    fixture.refusal(`SELECT count(*) FROM gaps ${where} INTERVAL(1s) FILL(NULL)`);
  t.is(refusal(''), Codes.fillTimeRange);
  t.is(refusal('WHERE ts > 0'), Codes.fillTimeRange);
  t.is(refusal('WHERE ts > 0 OR ts < 5'), Codes.fillTimeRange);
  t.is(refusal('WHERE ts > 0 AND ts < 1700000000000'), Codes.fillTimeRange);
  t.is(refusal('WHERE ts > NOW - 1h AND ts < NOW'), 0);
});

/** The code of the error that a query ends with in the engine; undefined where it gives rows. */
function raisedCode(sql: string): number | undefined {
  try {
    fixture.rows(sql);
    return undefined;
  } catch (error) {
    // The message of the engine stands behind the statement.
    const message = /\{\d+ [^{}]*\}(?!')/.exec(String(error))?.[0];
    return message === undefined ? undefined : raisedFault(message)?.code;
  }
}

test('windows and points of all slices together have a limit', (t) => {
  const where = (windows: number): string => `ts >= ${start} AND ts < ${start + windows * 1000}`;
  const perTable = 'FROM meters WHERE';
  const windows = 'PARTITION BY tbname INTERVAL(1s) FILL';
  for (const mode of ['NULL', 'PREV', 'LINEAR', 'VALUE, 1']) {
    const items = `SELECT count(*) FROM (SELECT tbname, _wstart, avg(voltage) ${perTable}`;
    t.is(raisedCode(`${items} ${where(5_000_000)} ${windows}(${mode}))`), Codes.fillTimeRange, mode);
  }
  const plain = `SELECT tbname, _wstart, voltage ${perTable} ${where(5_000_000)} ${windows}(NULL)`;
  t.is(raisedCode(plain), Codes.fillTimeRange);
  const points = `RANGE(${start}, ${start + 5_000_000_000}) EVERY(1s) FILL(PREV)`;
  t.is(raisedCode(`SELECT interp(voltage) FROM meters PARTITION BY tbname ${points}`), Codes.fillTimeRange);
  t.is(raisedCode(`SELECT count(*) FROM (SELECT avg(voltage) ${perTable} ${where(1000)} ${windows}(NULL))`), undefined);
});

test('LIMIT shows the windows that are there without it', (t) => {
  const where = `FROM meters WHERE ts >= ${start} AND ts < ${start + 300_000}`;
  for (const mode of ['NULL', 'PREV', 'NEXT', 'LINEAR', 'VALUE, 1']) {
    const sql = `SELECT tbname, _wstart, avg(voltage) ${where} PARTITION BY tbname INTERVAL(7s) FILL(${mode})`;
    const bySlice = new Map<string, string[]>();
    for (const line of fixture.rows(sql)) {
      const name = String(JSON.parse(line)[0]);
      bySlice.set(name, [...(bySlice.get(name) ?? []), line]);
    }
    for (const [offset, count] of [
      [0, 1],
      [2, 3],
      [40, 9],
      [50, 2],
    ] as const) {
      const some = [...bySlice.values()].flatMap((lines) => lines.slice(offset, offset + count));
      t.deepEqual(fixture.rows(`${sql} LIMIT ${offset}, ${count}`), some, `${mode} ${offset}`);
    }
  }
});

test('LIMIT of a few filled windows costs a few', (t) => {
  const sql = `SELECT _wstart, sum(v) FROM gaps WHERE ts >= ${start} AND ts < ${start + 9_000_000} INTERVAL(1a) FILL(PREV)`;
  for (const limited of [`${sql} LIMIT 2, 3`, `${sql} ORDER BY _wstart DESC LIMIT 3`]) {
    t.regex(fixture.plan(limited).sql, /WITH FILL FROM (\d+) TO \d+ STEP 1/);
    const [, from = '', to = ''] = /WITH FILL FROM (\d+) TO (\d+) STEP 1/.exec(fixture.plan(limited).sql) ?? [];
    t.true(Number(to) - Number(from) <= 5, limited);
  }
});
