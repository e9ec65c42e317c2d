import test from 'ava';
import { rowsOfPlan, startMs } from '../../support/load/plan.js';

/** Offsets from the start of the rows of a plan, in the order written. */
async function offsets(changes: Parameters<typeof rowsOfPlan>[0]): Promise<number[]> {
  const rows = await rowsOfPlan({ childCount: 1, ...changes });
  return rows.map(({ time }) => Number(time - startMs));
}

test('without disorder times only grow', async (t) => {
  const times = await offsets({ rows: 1000, disorderRatio: 0 });
  t.true(times.every((time, row) => time === row));
});

test('late rows are as many as the ratio says, late by one tick up to the range', async (t) => {
  const times = await offsets({ rows: 1000, disorderRatio: 10, disorderRange: 100_000 });
  const late = times.filter((time, row) => time !== row);
  t.true(late.length >= 60 && late.length <= 140, `${late.length} rows are late`);
  t.true(times.every((time, row) => time === row || (time < row && time >= row - 100_000)));
  t.true(Math.min(...times) < -50_000);
});

test('late rows overwrite no row while the range has free times', async (t) => {
  const plans = [
    { rows: 1000, disorderRatio: 10, disorderRange: 100_000 },
    { rows: 2000, disorderRatio: 50, disorderRange: 20_000 },
    { rows: 3000, disorderRatio: 50, disorderRange: 500_000, step: 7n },
    { rows: 3000, disorderRatio: 50, disorderRange: 5000, step: 1000n },
    { rows: 200, disorderRatio: 50, disorderRange: 40_000, interlaceRows: 3 },
  ];
  for (const plan of plans) {
    const times = await offsets(plan);
    t.is(
      new Set(times).size,
      plan.rows,
      JSON.stringify(plan, (_, value) => String(value)),
    );
  }
});

test('in rounds over many tables each table keeps its rows apart', async (t) => {
  const rows = await rowsOfPlan({ childCount: 20, rows: 50, interlaceRows: 5, disorderRatio: 30, disorderRange: 9000 });
  t.is(new Set(rows.map(({ table, time }) => `${table} ${time}`)).size, 1000);
  t.true(rows.some(({ time }) => time < startMs));
});

test('rows of a table are late in the same way however they are written', async (t) => {
  const plan = { childCount: 3, rows: 40, disorderRatio: 30, disorderRange: 500, randomPerTable: true };
  const sorted = (rows: Awaited<ReturnType<typeof rowsOfPlan>>) =>
    rows.map(({ table, cells }) => `${table} ${cells}`).sort();
  t.deepEqual(sorted(await rowsOfPlan(plan)), sorted(await rowsOfPlan({ ...plan, interlaceRows: 4 }, 2)));
});

test('where no time is free rows are late all the same', async (t) => {
  const times = await offsets({ rows: 5000, disorderRatio: 20, disorderRange: 3 });
  t.true(times.every((time, row) => time <= row && time >= row - 3));
  const late = times.filter((time, row) => time !== row).length;
  t.true(late > 700 && late < 1300);
});

test('times beyond 2^53 are exact', async (t) => {
  const start = 1_700_000_000_000_000_003n;
  const rows = await rowsOfPlan({
    childCount: 1,
    rows: 300,
    start,
    step: 1000n,
    disorderRatio: 50,
    disorderRange: 5000,
  });
  for (const [row, { time }] of rows.entries()) {
    const late = start + BigInt(row) * 1000n - time;
    t.true(late === 0n || (late >= 1n && late <= 5000n && late % 1000n !== 0n) || row < 5);
  }
});
