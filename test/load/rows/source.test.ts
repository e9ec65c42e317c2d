import test from 'ava';
import fc from 'fast-check';
import { type RowRequest, tableRequests } from '../../../src/load/model/row-request.js';
import type { InsertMode } from '../../../src/load/model/scenario.js';
import type { TypeName } from '../../../src/model/schema.js';
import { rowsOf } from '../../support/load/insert-world.js';
import { field, openRows, requestsOf, rowsIn, rowsOfPlan, startMs } from '../../support/load/plan.js';

/** Values of the first column, table by table. */
async function values(changes: Parameters<typeof rowsOfPlan>[0], threads = 1): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const { table, cells } of await rowsOfPlan(changes, threads)) {
    const list = tables[table] ?? [];
    list.push(cells[0]);
    tables[table] = list;
  }
  return tables;
}

test('every table gets its rows, each a step after the other, from the same start', async (t) => {
  const rows = await rowsOfPlan({ childCount: 3, rows: 3, step: 25n }, 2);
  t.deepEqual(
    rows.map(({ table, time }) => `${table} ${time - startMs}`),
    ['d0', 'd1', 'd2'].flatMap((table) => [0, 25, 50].map((offset) => `${table} ${offset}`)),
  );
});

test('requests hold as many rows as they may, of one table', async (t) => {
  const source = await openRows({ rows: 10, rowsPerRequest: 4 });
  const requests = requestsOf(source);
  t.deepEqual(
    requests.map(({ block }) => block.rows),
    [4, 4, 2, 4, 4, 2],
  );
  t.true(requests.every(({ tables }) => tables.length === 1));
  t.is(source.rows, 20);
});

test('interlaced requests hold rows of several tables, and say where a round ends', async (t) => {
  const source = await openRows({ childCount: 3, rows: 10, interlaceRows: 4, rowsPerRequest: 8 });
  const requests = requestsOf(source);
  t.deepEqual(
    requests.map(({ tables, starts, endsRound }) => [[...tables], [...starts], endsRound]),
    [
      [[0, 1], [0, 4, 8], false],
      [[2], [0, 4], true],
      [[0, 1], [0, 4, 8], false],
      [[2], [0, 4], true],
      [[0, 1], [0, 2, 4], false],
      [[2], [0, 2], true],
    ],
  );
  const times = rowsIn(source, requests).filter(({ table }) => table === 'd1');
  t.deepEqual(
    times.map(({ time }) => Number(time - startMs)),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

test('in progressive order all tables have the same values, repeated after those that are prepared', async (t) => {
  const { d0, d1 } = await values({ rows: 20, preparedRows: 6 });
  t.deepEqual(d0, d1);
  t.deepEqual(d0?.slice(0, 6), d0?.slice(6, 12));
  t.is(d0?.[0], d0?.[18]);
  t.is(new Set(d0).size, 6);
});

test('interlaced tables go on in the pool where the one before ended', async (t) => {
  const { d0, d1 } = await values({ rows: 4, interlaceRows: 2, preparedRows: 3 });
  const [a, b, c] = (await values({ childCount: 1, rows: 3, preparedRows: 3 })).d0 ?? [];
  t.deepEqual(d0, [a, b, b, c]);
  t.deepEqual(d1, [c, a, a, b]);
});

test('one prepared row makes all rows of the run equal', async (t) => {
  const tables = await values({ rows: 20, preparedRows: 1 });
  t.is(new Set(Object.values(tables).flat()).size, 1);
});

test('tables may each have values of their own, the same ones in any order of writing', async (t) => {
  const plan = { rows: 12, preparedRows: 5, randomPerTable: true, childCount: 3 };
  const tables = await values(plan);
  t.notDeepEqual(tables.d0, tables.d1);
  t.deepEqual(tables.d0?.slice(0, 5), tables.d0?.slice(5, 10));
  t.deepEqual(await values({ ...plan, interlaceRows: 2 }, 2), tables);
});

test('the same seed makes the same rows, another seed others', async (t) => {
  const rows = async (seed: number) => {
    const source = await openRows({ rows: 50 }, { seed });
    return rowsIn(source, requestsOf(source));
  };
  t.deepEqual(await rows(1), await rows(1));
  t.notDeepEqual(await rows(1), await rows(2));
});

test('tables from one index to another are filled, and none else', async (t) => {
  const tables = await values({ childCount: 12, childFrom: 4, childTo: 9, rows: 6 });
  t.deepEqual(Object.keys(tables), ['d4', 'd5', 'd6', 'd7', 'd8']);
});

test('tables that exist are filled by their names', async (t) => {
  const source = await openRows({ rows: 1 }, { existing: ['a', 'Größe', 'c'] });
  t.deepEqual(
    rowsIn(source, requestsOf(source)).map(({ table }) => table),
    ['a', 'Größe', 'c'],
  );
});

test('names are folded to lower case unless they are quoted, and a single normal table has the name of its set', async (t) => {
  const name = async (changes: Parameters<typeof openRows>[0]) => (await openRows(changes)).tables.nameOf(0);
  t.is(await name({ childPrefix: 'D_' }), 'd_0');
  t.is(await name({ childPrefix: 'D_', escapeNames: true }), 'D_0');
  t.is(await name({ childPrefix: 'a-b.c' }), 'a-b.c0');
  t.is(await name({ normalTables: true, childCount: 1 }), 'meters');
  t.is(await name({ normalTables: true, childCount: 2 }), 'd0');
});

test('rows carry the ids of their series', async (t) => {
  const ids = new Map([
    ['d0', 11n],
    ['d1', 1n << 63n],
    ['d2', 33n],
  ]);
  for (const interlaceRows of [0, 1, 2]) {
    const source = await openRows(
      { childCount: 3, rows: 4, interlaceRows },
      { seriesOf: (name) => ids.get(name) ?? 0n },
    );
    for (const request of requestsOf(source, 2)) {
      const expected = Array.from(request.tables).flatMap((table, part) =>
        Array.from(
          { length: (request.starts[part + 1] ?? 0) - (request.starts[part] ?? 0) },
          () => ids.get(source.tables.nameOf(table)) ?? 0n,
        ),
      );
      t.deepEqual([...request.block.ids], expected);
    }
  }
});

test('partial columns are the only ones in a request, in modes that write statements', async (t) => {
  const columns = [1, 2, 3].map((n) => field(`C${n}`, 'INT', { kind: 'range', min: 0, max: 9 }));
  const names = async (mode: InsertMode, partialColumns: number) => {
    const [request] = requestsOf(await openRows({ columns, mode, partialColumns }));
    return request?.block.columns.map(({ name }) => name);
  };
  t.deepEqual(await names('taosc', 2), ['c1', 'c2']);
  t.deepEqual(await names('rest', 1), ['c1']);
  t.deepEqual(await names('taosc', 0), ['c1', 'c2', 'c3']);
  t.deepEqual(await names('taosc', 9), ['c1', 'c2', 'c3']);
  t.deepEqual(await names('stmt', 2), ['c1', 'c2', 'c3']);
  t.deepEqual(await names('sml', 2), ['C1', 'C2', 'C3']);
});

test('a wave follows the time of its rows, whatever the pool', async (t) => {
  const wave = { shape: 'cos', amplitude: 8, offset: 20, fluctuation: 5 } as const;
  const columns = [
    field('v', 'DOUBLE', { kind: 'wave', wave }),
    field('n', 'INT', { kind: 'range', min: 0, max: 5 }),
    field('w', 'INT', { kind: 'wave', wave: { ...wave, fluctuation: 0 } }),
  ];
  for (const changes of [{}, { randomPerTable: true }, { interlaceRows: 7 }]) {
    const rows = await rowsOfPlan({ columns, rows: 720, preparedRows: 7, start: 1_500_000_000_000n, ...changes });
    for (const { time, cells } of rows) {
      const height = 8 * Math.cos((Number(time % 360n) / 180) * Math.PI) + 20;
      const [value, , whole] = cells.map(Number);
      t.true(value !== undefined && value >= height - 1e-9 && value <= height + 0.8 + 1e-9, `${time}: ${value}`);
      t.is(whole, Math.trunc(height));
    }
  }
});

test('the time of writing is a value, in the ticks of the database', async (t) => {
  const columns = [field('at', 'TIMESTAMP', { kind: 'now' })];
  const source = await openRows({ columns }, { precision: 'us' });
  const before = BigInt(Date.now()) * 1000n;
  const requests = requestsOf(source);
  const after = (BigInt(Date.now()) + 1n) * 1000n;
  t.true(rowsIn(source, requests).every(({ cells: [at] }) => typeof at === 'bigint' && at >= before && at <= after));
  t.is(requests[0]?.pooled, undefined);
});

test('rows out of a pool say which of its rows they are', async (t) => {
  const source = await openRows({ rows: 5, rowsPerRequest: 2, preparedRows: 3, childCount: 1 });
  t.deepEqual(
    requestsOf(source).map(({ pooled }) => [pooled?.pool.rows, pooled?.first]),
    [
      [3, 0],
      [3, 2],
      [3, 1],
    ],
  );
});

test('an endless run goes on with growing times', async (t) => {
  const source = await openRows({ nonStop: true, rows: 3 });
  t.is(source.rows, undefined);
  const [range] = source.split(1);
  const times: Record<string, bigint[]> = {};
  let seen = 0;
  for (const request of source.requests(range ?? { from: 0, to: 0 })) {
    for (const { table, time } of rowsIn(source, [request])) times[table] = [...(times[table] ?? []), time - startMs];
    if (++seen === 4) break;
  }
  t.deepEqual(times, { d0: [0n, 1n, 2n, 3n, 4n, 5n], d1: [0n, 1n, 2n, 3n, 4n, 5n] });
});

test('a million tables are filled without anything kept for each', async (t) => {
  const source = await openRows({ childCount: 1_000_000, rows: 1, interlaceRows: 1 });
  let rows = 0;
  for (const { block } of source.requests(source.tables)) rows += block.rows;
  t.is(rows, 1_000_000);
  t.is(source.tags.rows(999_999, 1).length, 1);
});

test('interlaced rows of normal tables come apart into blocks by table', async (t) => {
  const columns = [
    field('n', 'INT', { kind: 'range', min: 0, max: 100 }),
    field('s', 'VARCHAR', { kind: 'choice', values: ['a', 'bb', ''] }, 4),
  ];
  const source = await openRows({ columns, normalTables: true, childCount: 3, rows: 5, interlaceRows: 2 });
  for (const request of requestsOf(source)) {
    const named = ({ block, tables }: RowRequest) => ({ ...block, table: source.tables.nameOf(tables[0]!) });
    const blocks = tableRequests(request).map(named);
    t.deepEqual(
      blocks.flatMap((block) => rowsOf(block).map(([time, ...cells]) => ({ table: block.table, time, cells }))),
      rowsIn(source, [request]),
    );
  }
});

const integers: readonly TypeName[] = ['TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'INT UNSIGNED', 'TIMESTAMP'];

test('any plan gives every table its rows at the promised times, with values within their bounds', async (t) => {
  const plans = fc.record({
    childCount: fc.integer({ min: 1, max: 9 }),
    rows: fc.integer({ min: 0, max: 40 }),
    rowsPerRequest: fc.integer({ min: 1, max: 50 }),
    interlaceRows: fc.integer({ min: 0, max: 12 }),
    preparedRows: fc.integer({ min: 1, max: 30 }),
    step: fc.bigInt(1n, 1n << 40n),
    start: fc.bigInt(-(1n << 60n), 1n << 60n),
    randomPerTable: fc.boolean(),
    seed: fc.integer(),
    threads: fc.integer({ min: 1, max: 4 }),
    columns: fc.array(
      fc
        .tuple(fc.constantFrom(...integers), fc.integer({ min: -128, max: 120 }), fc.integer({ min: 0, max: 7 }))
        .map(([type, min, span]) => ({ type, min: type === 'INT UNSIGNED' ? Math.abs(min) : min, span })),
      { minLength: 1, maxLength: 4 },
    ),
  });
  await fc.assert(
    fc.asyncProperty(plans, async ({ columns, threads, seed, ...plan }) => {
      const fields = columns.map(({ type, min, span }, i) =>
        field(`c${i}`, type, { kind: 'range', min, max: min + span }),
      );
      const source = await openRows({ ...plan, columns: fields }, { seed });
      const rows = rowsIn(source, requestsOf(source, threads));
      t.is(rows.length, plan.rows * plan.childCount);
      t.is(source.rows, rows.length);
      const counts = new Map<string, number>();
      for (const { table, time, cells } of rows) {
        const row = counts.get(table) ?? 0;
        counts.set(table, row + 1);
        t.is(time, plan.start + BigInt(row) * plan.step);
        for (const [i, { min, span }] of columns.entries()) {
          const value = Number(cells[i]);
          t.true(value >= min && (span === 0 ? value === min : value < min + span));
        }
      }
      t.is(counts.size, plan.rows === 0 ? 0 : plan.childCount);
      t.true([...counts.values()].every((count) => count === plan.rows));
    }),
    { numRuns: 200 },
  );
});
