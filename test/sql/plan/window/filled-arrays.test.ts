import test from 'ava';
import fc from 'fast-check';
import { QueryFixture, type Rows } from '../../../support/engine/query-fixture.js';

const fixture = new QueryFixture();
fixture.database('m', 'ms');
test.after.always(() => fixture.close());

const columns = ['d DOUBLE', 'f FLOAT', 'n INT', 'u BIGINT UNSIGNED', 'x DECIMAL(20,3)', 's VARCHAR(8)', 'b BOOL'];
/** 2023-11-14T22:13:20Z */
const start = 1_700_000_000_000;
const oneOf = (...values: (string | number)[]) =>
  fc.option(fc.constantFrom<string | number>(...values), { nil: null, freq: 2 });
const row = fc.tuple(
  fc.integer({ min: 0, max: 99 }).map((at) => start + at * 1_000),
  oneOf(0.1, -2.5, 1e308, -1e308, 3),
  oneOf(0.1, -7, 16_777_217),
  oneOf(1, -5, 2_147_483_647),
  oneOf(7, '18446744073709551615', 0),
  oneOf("'1.005'", "'-99999999999999999.999'", 4),
  oneOf("'a'", "''", "')'"),
  oneOf('true', 'false'),
);
const modes = ['NULL', 'NULL_F', 'PREV', 'NEXT', 'LINEAR', 'VALUE, 3', 'VALUE_F, 2, NULL, 1', "VALUE, '7'"];
const items = [
  ...['avg(d)', 'sum(n)', 'count(*)', 'max(u)', 'last(x)', 'first(s), last(d)', 'last(b), min(f)', 'last(n)'],
  ...['sum(u), avg(n), max(x)', '_wstart, min(d), max(d)', '_wend, last(s)', 'count(*), avg(f)'],
];
const asked = fc.record({
  item: fc.constantFrom(...items),
  mode: fc.constantFrom(...modes),
  width: fc.constantFrom('1s', '10s', '7s', '1m'),
  from: fc.integer({ min: -20, max: 110 }),
  length: fc.integer({ min: 1, max: 130 }),
  isShort: fc.boolean(),
});
let tables = 0;

test('windows that are filled in one SELECT are those that are filled row by row', (t) => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), fc.array(asked, { minLength: 4, maxLength: 4 }), (rows, all) => {
      const table = `t${++tables}`;
      fixture.normalTable('m', table, columns, rows as Rows);
      for (const { item, mode, width, from, length, isShort } of all) {
        const range = `ts >= ${start + from * 1_000} AND ts < ${start + (from + length) * 1_000}`;
        const sql = `SELECT ${item} FROM ${table} WHERE ${range} INTERVAL(${width}) FILL(${mode})`;
        const how = { hasShortSeries: () => isShort };
        t.true(fixture.plan(sql, how).sql.includes('Resample('), sql);
        // Windows that HAVING looks at are rows.
        const byRows = `${sql} HAVING 1 = 1`;
        t.false(fixture.plan(byRows, how).sql.includes('Resample('), sql);
        t.deepEqual(fixture.rows(sql, how), fixture.rows(byRows, how), `${sql} ${JSON.stringify(rows)}`);
      }
    }),
    { numRuns: 25 },
  );
});

test('windows of many values are filled row by row: from arrays all would be read again for each', (t) => {
  const table = `t${++tables}`;
  fixture.normalTable('m', table, columns, [[start, 1, 1, 1, 1, 1, "'a'", 'true']]);
  const query = (count: number): string => {
    const values = Array.from({ length: count }, (_, at) => `sum(n + ${at})`);
    return `SELECT ${values.join(', ')} FROM ${table} WHERE ts >= ${start} AND ts < ${start + 2_000} INTERVAL(1s) FILL(NULL)`;
  };
  t.true(fixture.plan(query(8)).sql.includes('Resample('));
  t.false(fixture.plan(query(9)).sql.includes('Resample('));
  const numbers = Array.from({ length: 200 }, (_, at) => at + 1);
  t.deepEqual(fixture.rows(query(200)), [JSON.stringify(numbers), JSON.stringify(numbers.map(() => null))]);
});
