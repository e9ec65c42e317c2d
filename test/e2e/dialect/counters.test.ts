import test from 'ava';
import fc from 'fast-check';
import { cases } from '../../support/cases.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
const base = 1_700_000_000_000;
const at = (seconds: number): string => new Date(base + seconds * 1000).toISOString();

test.before(async () => {
  await service.run('CREATE DATABASE counters');
  const columns = 'ts TIMESTAMP, v BIGINT, f DOUBLE, d DECIMAL(10,2), u BIGINT UNSIGNED';
  await service.run(`CREATE STABLE counters.c (${columns}) TAGS (site INT)`);
  await service.run(`INSERT INTO counters.a USING counters.c TAGS (1) VALUES
    (${base}, 10, 10.5, 10.5, 18446744073709551610) (${base + 10_000}, 25, 25.5, 25.25, 18446744073709551615)
    (${base + 20_000}, 5, 5.25, 5.25, 3) (${base + 30_000}, NULL, NULL, NULL, NULL) (${base + 40_000}, 9, 9.25, 9, 9007199254740997)`);
  await service.run(`INSERT INTO counters.b USING counters.c TAGS (2) VALUES
    (${base}, 9223372036854775000, 1, 1, 1) (${base + 20_000}, 9223372036854775807, 2, 2, 2)`);
  await service.run('CREATE STABLE counters.drawn (ts TIMESTAMP, v BIGINT) TAGS (site INT)');
});
test.after.always(end);

statements('INCREASE and RATE count steps, and begin at 0 behind a reset', service, 'counters', [
  {
    sql: 'SELECT INCREASE(v), INCREASE(f), INCREASE(d), INCREASE(u), RATE(v) FROM a',
    rows: [[24, 24.25, '23.75', '9007199254741002', 0.6]],
    meta: [
      ['increase(v)', 'BIGINT', 8],
      ['increase(f)', 'DOUBLE', 8],
      ['increase(d)', 'DECIMAL(38,2)', 16],
      ['increase(u)', 'BIGINT UNSIGNED', 8],
      ['rate(v)', 'DOUBLE', 8],
    ],
  },
  {
    // A step counts in the window in which it ends.
    sql: 'SELECT _wstart, INCREASE(v), RATE(v) FROM a INTERVAL(20s)',
    rows: [
      [at(0), 15, 0.75],
      [at(20), 5, 0.25],
      [at(40), 4, 0.2],
    ],
  },
  {
    sql: 'SELECT _wstart, INCREASE(v) FROM a INTERVAL(20s) SLIDING(10s)',
    rows: [
      [at(-10), null],
      [at(0), 15],
      [at(10), 20],
      [at(20), 5],
      [at(30), 4],
      [at(40), 4],
    ],
  },
  {
    sql: `SELECT _wstart, INCREASE(v) FROM a WHERE ts >= ${base} AND ts < ${base + 80_000} INTERVAL(20s) FILL(VALUE, 0)`,
    rows: [
      [at(0), 15],
      [at(20), 5],
      [at(40), 4],
      [at(60), 0],
    ],
  },
  { sql: 'SELECT INCREASE(v), RATE(v) FROM a WHERE v = 9', rows: [[null, null]] },
  { sql: 'SELECT INCREASE(v) FROM a WHERE v > 99', rows: [] },
  // Each sub-table is a counter of its own, also where they are not divided.
  { sql: 'SELECT INCREASE(v), RATE(f) FROM c', rows: [[831, 0.63125]] },
  {
    sql: 'SELECT site, INCREASE(v) FROM c GROUP BY site ORDER BY site',
    rows: [
      [1, 24],
      [2, 807],
    ],
  },
  {
    sql: 'SELECT _wstart, INCREASE(v) FROM c INTERVAL(20s)',
    rows: [
      [at(0), 15],
      [at(20), 812],
      [at(40), 4],
    ],
  },
  {
    sql: 'SELECT _wstart, INCREASE(v), RATE(v) FROM a SESSION(ts, 10s)',
    rows: [[at(0), 24, 0.6]],
  },
  {
    // Also windows that rows make count the step from the row before them.
    sql: 'SELECT _wstart, INCREASE(v), RATE(v) FROM a COUNT_WINDOW(2)',
    rows: [
      [at(0), 15, 1.5],
      [at(20), 5, 0.5],
      [at(40), 4, 0.2],
    ],
  },
  {
    sql: `SELECT _wstart, INCREASE(v) FROM c EXTERNAL_WINDOW((SELECT ts, ts + 20s AS e FROM b) w)`,
    rows: [
      [at(0), 827],
      [at(20), 4],
    ],
  },
  { sql: 'SELECT INCREASE(v) FROM (SELECT ts, v FROM a)', rows: [[24]] },
  { sql: 'SELECT SUM(i) FROM (SELECT _wstart, INCREASE(v) AS i FROM c INTERVAL(7s))', rows: [[831]] },
  { sql: 'SELECT INCREASE(v) FROM a HAVING INCREASE(v) > 30', rows: [] },
]);

statements('INCREASE and RATE say where they cannot be', service, 'counters', [
  { sql: 'SELECT INCREASE(v) FROM (SELECT ts, v FROM c)', error: 0x2805 },
  { sql: 'SELECT INCREASE(v), TWA(v) FROM c', error: 0x2805 },
  { sql: 'SELECT INCREASE(v) FROM (SELECT ts, v FROM a ORDER BY v)', error: 0x264f },
  { sql: 'SELECT INCREASE(v) FROM (SELECT v FROM a)', error: 0x2647 },
  { sql: 'SELECT RATE(v) OVER () FROM a', error: 0x0100 },
  { sql: 'SELECT RATE(ts) FROM a', error: 0x2802 },
  { sql: 'SELECT v FROM a WHERE RATE(v) > 1', error: 0x2608 },
  {
    sql: 'CREATE STREAM s INTO t AS SELECT _wstart, INCREASE(v) FROM c INTERVAL(1m)',
    error: 0x2645,
    says: 'increase looks at rows outside of its window',
  },
  {
    sql: 'CREATE STREAM s INTO t AS SELECT _wstart, RATE(v) FROM c PARTITION BY tbname SESSION(ts, 1m)',
    error: 0x2645,
    says: 'rate looks at rows outside of its window',
  },
  { sql: 'CREATE TABLE e (ts TIMESTAMP, v BIGINT)', affected: 0 },
  {
    sql: `INSERT INTO e VALUES (${base}, 9223372036854775807) (${base + 1}, 0) (${base + 2}, 9223372036854775807) (${base + 3}, 2)`,
    affected: 4,
  },
  { sql: 'SELECT INCREASE(v) FROM e', error: 0x0224, says: 'INCREASE' },
  { sql: 'SELECT INCREASE(v) FROM e INTERVAL(1a)', rows: [[null], [0], ['9223372036854775807'], [2]] },
  { sql: 'DROP TABLE e', affected: 0 },
]);

statements(
  'INCREASE takes the first of the rows of one time where the time is not the whole key',
  service,
  'counters',
  [
    { sql: 'CREATE STABLE k (ts TIMESTAMP, part INT COMPOSITE KEY, v BIGINT) TAGS (g INT)', affected: 0 },
    {
      sql: `INSERT INTO k1 USING k TAGS (1) VALUES (${base}, 2, 90) (${base}, 1, 11) (${base + 1}, 1, 15)
      k2 USING k TAGS (1) VALUES (${base}, 5, 1) (${base + 1}, 6, 3)`,
      affected: 5,
    },
    { sql: 'SELECT INCREASE(v) FROM k', rows: [[6]] },
    { sql: 'SELECT INCREASE(v), IRATE(v) FROM k1', rows: [[4, 4000]] },
    { sql: 'SELECT INCREASE(v), TWA(v) FROM k', error: 0x2805 },
    { sql: 'DROP TABLE k', affected: 0 },
  ],
);

interface Row {
  readonly t: number;
  readonly v: bigint | null;
  readonly table: 'p' | 'q' | 'r';
}

const drawnRows = fc.uniqueArray(
  fc.record<Row>({
    t: fc.nat(60),
    v: fc.option(fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(2n ** 53n, 2n ** 53n + 9n))),
    table: fc.constantFrom('p', 'q', 'r'),
  }),
  { selector: ({ t, table }) => `${table}${t}`, minLength: 1, maxLength: 60 },
);

/** The steps of every sub-table, each with the time at which it ends. */
function stepsOf(rows: readonly Row[]): { readonly t: number; readonly rise: bigint; readonly table: string }[] {
  const last = new Map<string, bigint>();
  return rows
    .toSorted((a, b) => a.t - b.t)
    .flatMap(({ t, v, table }) => {
      if (v === null) return [];
      const before = last.get(table);
      last.set(table, v);
      return before === undefined ? [] : [{ t, rise: v < before ? v : v - before, table }];
    });
}

function sumOf(steps: readonly { readonly rise: bigint }[]): string | null {
  return steps.length === 0 ? null : String(steps.reduce((sum, { rise }) => sum + rise, 0n));
}

test('INCREASE of windows, sliding ones too, and of groups is the sum of their steps', async (t) => {
  const run = fc.asyncProperty(
    drawnRows,
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 1, max: 30 }),
    async (rows, length, pace) => {
      await service.run('DELETE FROM counters.drawn');
      for (const table of ['p', 'q', 'r']) {
        const own = rows.filter((row) => row.table === table);
        const values = own.map(({ t: time, v }) => `(${base + time}, ${v ?? 'NULL'})`).join(' ');
        if (own.length > 0)
          await service.run(
            `INSERT INTO counters.${table} USING counters.drawn TAGS (${table === 'p' ? 1 : 2}) VALUES ${values}`,
          );
      }
      const answer = async (sql: string): Promise<unknown[][]> =>
        ((await service.sql(sql, { database: 'counters' })).body.data ?? []).map((row) =>
          row.map((each) => (each === null ? null : String(each))),
        );
      const steps = stepsOf(rows);
      t.deepEqual(await answer('SELECT INCREASE(v) FROM drawn'), [[sumOf(steps)]]);
      const tables = [...new Set(rows.map(({ table }) => table))].sort();
      t.deepEqual(
        await answer('SELECT tbname, INCREASE(v) FROM drawn PARTITION BY tbname ORDER BY tbname'),
        tables.map((table) => [table, sumOf(steps.filter((step) => step.table === table))]),
      );
      const step = Math.min(pace, length);
      const starts = new Set<number>();
      for (const { t: time } of rows) {
        const newest = base + time - ((base + time) % step);
        for (let start = newest; start > base + time - length; start -= step) starts.add(start);
      }
      t.deepEqual(
        await answer(
          `SELECT CAST(_wstart AS BIGINT), INCREASE(v) FROM drawn INTERVAL(${length}a) SLIDING(${step}a) ORDER BY _wstart`,
        ),
        [...starts]
          .sort((a, b) => a - b)
          .map((start) => [
            String(start),
            sumOf(steps.filter(({ t: time }) => base + time >= start && base + time < start + length)),
          ]),
      );
    },
  );
  await fc.assert(run, { numRuns: cases(10, 60) });
});
