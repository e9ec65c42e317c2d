import test from 'ava';
import fc from 'fast-check';
import { moreCases } from '../../support/cases.js';
import { sharedService } from '../../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000_000;

interface Row {
  readonly ms: number;
  readonly v: number | null;
}

type Series = readonly Row[];

/** A row that has a value. */
interface Point {
  readonly ms: number;
  readonly v: number;
}

function points(rows: Series): Point[] {
  return rows.flatMap(({ ms, v }) => (v === null ? [] : [{ ms, v }]));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function diff(rows: Series): (number | null)[] {
  return rows.slice(1).map(({ v }, at) => {
    const before = points(rows.slice(0, at + 1)).at(-1);
    return v === null || before === undefined ? null : v - before.v;
  });
}

function derivative(rows: Series): number[] {
  const known = points(rows);
  return known.slice(1).map(({ ms, v }, at) => ((v - known[at]!.v) / (ms - known[at]!.ms)) * 1000);
}

function csum(rows: Series): number[] {
  let sum = 0;
  return points(rows).map(({ v }) => {
    sum += v;
    return sum;
  });
}

function mavg(rows: Series, count: number): number[] {
  const values = points(rows).map(({ v }) => v);
  return values.slice(count - 1).map((_, at) => mean(values.slice(at, at + count)));
}

/** The rows with the k best values, older ones first among equals, in the order of time. */
function best(rows: Series, count: number, sign: 1 | -1): number[] {
  const ranked = points(rows).sort((a, b) => sign * (b.v - a.v) || a.ms - b.ms);
  return ranked
    .slice(0, count)
    .sort((a, b) => a.ms - b.ms)
    .map(({ v }) => v);
}

function percentile(rows: Series, p: number): number {
  const sorted = points(rows)
    .map(({ v }) => v)
    .sort((a, b) => a - b);
  const position = (p / 100) * (sorted.length - 1);
  const low = Math.floor(position);
  return sorted[low]! + (position - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!);
}

function stddev(rows: Series): number {
  const values = points(rows).map(({ v }) => v);
  const center = mean(values);
  return Math.sqrt(mean(values.map((v) => (v - center) ** 2)));
}

function twa(rows: Series): number {
  const known = points(rows);
  const span = known.at(-1)!.ms - known[0]!.ms;
  if (span === 0) return known[0]!.v;
  const areas = known.slice(1).map(({ ms, v }, at) => ((v + known[at]!.v) / 2) * (ms - known[at]!.ms));
  return areas.reduce((sum, area) => sum + area, 0) / span;
}

function irate(rows: Series): number {
  const [before, last] = points(rows).slice(-2);
  if (before === undefined || last === undefined) return 0;
  return (last.v < before.v ? last.v : last.v - before.v) / ((last.ms - before.ms) / 1000);
}

/** Functions of many rows, by their evaluators; every one has one column. */
const perRow: readonly (readonly [call: string, evaluate: (rows: Series) => (number | null)[]])[] = [
  ['diff(v)', diff],
  ['diff(v, 2)', (rows) => diff(rows).filter((d) => d !== null)],
  ['diff(v, 3)', (rows) => diff(rows).filter((d) => d !== null && d >= 0)],
  ['derivative(v, 1s, 0)', derivative],
  ['derivative(v, 1s, 1)', (rows) => derivative(rows).filter((d) => d >= 0)],
  ['csum(v)', csum],
  ['mavg(v, 3)', (rows) => mavg(rows, 3)],
  ['top(v, 4)', (rows) => best(rows, 4, 1)],
  ['bottom(v, 4)', (rows) => best(rows, 4, -1)],
  [
    'tail(v, 3, 1)',
    (rows) =>
      rows
        .slice(0, -1)
        .slice(-3)
        .map(({ v }) => v),
  ],
  ['unique(v)', (rows) => [...new Set(rows.map(({ v }) => v))]],
  ['lag(v, 2)', (rows) => rows.map((_, at) => rows[at - 2]?.v ?? null)],
];

/** Functions of one row, over rows of which one has a value. */
const perGroup: readonly (readonly [call: string, evaluate: (rows: Series) => number])[] = [
  ['count(v)', (rows) => points(rows).length],
  ['sum(v)', (rows) => csum(rows).at(-1)!],
  ['avg(v)', (rows) => mean(points(rows).map(({ v }) => v))],
  ['stddev(v)', stddev],
  ['first(v)', (rows) => points(rows)[0]!.v],
  ['last(v)', (rows) => points(rows).at(-1)!.v],
  ['spread(v)', (rows) => best(rows, 1, 1)[0]! - best(rows, 1, -1)[0]!],
  ['percentile(v, 37)', (rows) => percentile(rows, 37)],
  ['twa(v)', twa],
  ['irate(v)', irate],
];

const series: fc.Arbitrary<Series> = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 5000 }), v: fc.option(fc.integer({ min: -50, max: 50 })) }), {
    minLength: 1,
    maxLength: 30,
  })
  .filter((rows) => rows.some(({ v }) => v !== null))
  .map((rows) => {
    let ms = base;
    return rows.map(({ gap, v }) => {
      ms += gap;
      return { ms, v };
    });
  });

function close(value: unknown, expected: number | null): boolean {
  if (expected === null || typeof value !== 'number') return value === expected;
  return Math.abs(value - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
}

/** Throws when rows are not what was worked out. */
function assertRows(
  what: string,
  rows: readonly (readonly unknown[])[],
  expected: readonly (readonly unknown[])[],
): void {
  const same =
    rows.length === expected.length &&
    rows.every((row, at) => {
      const other = expected[at] ?? [];
      return row.every((value, column) => {
        const cell = other[column];
        return typeof cell === 'number' ? close(value, cell) : value === cell;
      });
    });
  if (!same) throw new Error(`${what}: ${JSON.stringify(rows)} instead of ${JSON.stringify(expected)}`);
}

test('functions agree with naive evaluators, over a table and sub-table by sub-table', async (t) => {
  await service.run('CREATE DATABASE n');
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(series, series, async (one, two) => {
      serial += 1;
      await service.run(`CREATE STABLE n.s${serial} (ts TIMESTAMP, v INT) TAGS (g INT)`);
      const tables = [one, two].map((rows, at) => {
        const values = rows.map(({ ms, v }) => `(${ms}, ${v})`).join(' ');
        return `n.t${serial}_${at} USING n.s${serial} TAGS (${at}) VALUES ${values}`;
      });
      await service.run(`INSERT INTO ${tables.join(' ')}`);
      const parted = `FROM n.s${serial} PARTITION BY tbname`;
      for (const [call, evaluate] of perRow) {
        const single = await service.rows(`SELECT ${call} FROM n.t${serial}_0`);
        assertRows(
          call,
          single,
          evaluate(one).map((v) => [v]),
        );
        const both = await service.rows(`SELECT g, ${call} ${parted}`);
        const expected = [one, two].flatMap((rows, g) => evaluate(rows).map((v) => [g, v]));
        assertRows(`${call} by table`, both, expected);
      }
      for (const [call, evaluate] of perGroup) {
        const single = await service.rows(`SELECT ${call} FROM n.t${serial}_0`);
        assertRows(call, single, [[evaluate(one)]]);
        if (call.startsWith('percentile')) continue;
        const both = await service.rows(`SELECT g, ${call} ${parted} ORDER BY g`);
        assertRows(
          `${call} by table`,
          both,
          [one, two].map((rows, g) => [g, evaluate(rows)]),
        );
      }
    }),
    { numRuns: moreCases(5, 20), includeErrorInReport: true },
  );
  t.is(serial, moreCases(5, 20));
});
