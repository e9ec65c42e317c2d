import test from 'ava';
import fc from 'fast-check';
import { putVarint, varintLength } from '../../../src/bytes/varint.js';
import { gridQuery, gridRange, gridSettings, isForEngine } from '../../../src/promql/plan/grid-query.js';
import { readGrid } from '../../../src/promql/plan/grid-rows.js';
import type { GridRequest, SeriesGrid } from '../../../src/promql/source.js';
import { int64 } from '../../../src/sql/engine/build.js';
import { printQuery } from '../../../src/sql/engine/print.js';
import { expr } from '../../../src/sql/engine/template.js';
import { cases } from '../../support/cases.js';
import { releaseSession, takeSession } from '../../support/engine/engine-session.js';
import { linesOf } from '../../support/promql/evaluated.js';
import { MemorySource } from '../../support/promql/memory-source.js';

const session = takeSession();
test.after.always(releaseSession);

type Samples = readonly (readonly [ms: number, value: number | undefined])[];

/** The stale marker in SQL. */
const staleMarker = 'reinterpretAsFloat64(9218868437227405314)';

function literal(value: number | undefined): string {
  if (value === undefined) return staleMarker;
  return Number.isFinite(value) ? String(value) : String(value).replace('Infinity', 'inf').toLowerCase();
}

let tables = 0;

/** A source that has the engine compute grids over the same series. */
class EngineSource extends MemorySource {
  /** Grids that the engine computed. */
  computed = 0;
  readonly #series: readonly Samples[];
  readonly #table: string;

  constructor(series: readonly Samples[]) {
    super(series.map((samples, i) => ({ labels: { __name__: 'm_total', id: String(i) }, samples })));
    this.#series = series;
    this.#table = `samples_${tables++}`;
    session.query(`CREATE TABLE ${this.#table} (id UInt64, ms Int64, v Nullable(Float64)) ENGINE = Memory`);
    const rows = series.flatMap((samples, id) => samples.map(([ms, value]) => `(${id}, ${ms}, ${literal(value)})`));
    if (rows.length > 0) session.query(`INSERT INTO ${this.#table} VALUES ${rows.join(', ')}`);
  }

  override async grid(request: GridRequest): Promise<SeriesGrid | undefined> {
    if (!isForEngine(request)) return undefined;
    const { startMs, endMs } = gridRange(request);
    const query = gridQuery(request, {
      from: { kind: 'table', table: this.#table },
      where: [expr`ms BETWEEN ${int64(BigInt(startMs))} AND ${int64(BigInt(endMs))}`],
      id: expr`id`,
      millis: expr`ms`,
      value: expr`v`,
    });
    const grid = readGrid(binaryRows(printQuery(query), request.steps.count), request.steps.count);
    if (grid === undefined) return undefined;
    const { ids, values, present } = grid;
    this.computed++;
    const labels = Array.from(ids, (id) => [['__name__', 'm_total'] as const, ['id', String(id)] as const]);
    return { labels, values, present };
  }

  /** Drops the table. */
  drop(): void {
    session.query(`DROP TABLE ${this.#table}`);
  }

  /** The same series without the engine. */
  get plain(): MemorySource {
    return new MemorySource(
      this.#series.map((samples, i) => ({ labels: { __name__: 'm_total', id: String(i) }, samples })),
    );
  }
}

/** The rows of a grid in the engine's binary format; the session itself gives texts alone. */
function binaryRows(query: string, steps: number): Buffer {
  const numbers = 'arrayStringConcat(arrayMap(x -> hex(reinterpretAsFixedString(x)), numbers))';
  const statement = `SELECT hex(reinterpretAsFixedString(series)), ${numbers} FROM (${query}) SETTINGS ${gridSettings}`;
  const lines = session.query(statement, 'TabSeparated').split('\n').filter(Boolean);
  const length = Buffer.alloc(varintLength(steps));
  putVarint(length, 0, steps);
  return Buffer.from(lines.map((line) => line.replace('\t', length.toString('hex'))).join(''), 'hex');
}

const functions = ['rate', 'increase', 'delta', 'irate', 'idelta', 'resets', 'last_over_time'];

/**
 * Lines with numbers rounded, so that the order of additions does not count. Sixteenths often lie in the middle between
 * two rounded numbers, so all numbers grow a little before.
 */
function rounded(lines: readonly string[]): readonly string[] {
  const digits = (text: string): string => String(Number((Number(text) * (1 + 1e-11)).toPrecision(9)));
  return lines.map((line) => line.replaceAll(/(?<= )-?[0-9.e+-]+(?=@)/g, digits)).toSorted();
}

/** Eighths, whose differences are exact. */
const value = fc.oneof(
  fc.integer({ min: -5, max: 100 }),
  fc.integer({ min: -1e6, max: 1e6 }).map((eighths) => eighths / 8),
  fc.constantFrom(undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);
const sample = fc.tuple(fc.integer({ min: 1, max: 120_000 }), value);

/** A series from gaps between its samples and their values; of one that grows they are by how much. */
function seriesFrom([gaps, grows]: readonly [(readonly [number, number | undefined])[], boolean]): Samples {
  let ms = 1_700_000_000_000;
  let total = 0;
  return gaps.map(([gap, value]) => {
    ms += gap;
    if (!grows || value === undefined || !Number.isFinite(value)) return [ms, value] as const;
    total += Math.abs(value);
    return [ms, total] as const;
  });
}

test('the engine computes the numbers of the evaluator', async (t) => {
  const series = fc.array(fc.tuple(fc.array(sample, { maxLength: 30 }), fc.boolean()).map(seriesFrom), {
    minLength: 1,
    maxLength: 4,
  });
  let computed = 0;
  await fc.assert(
    fc.asyncProperty(
      series,
      fc.constantFrom(...functions, 'm_total'),
      fc.integer({ min: 1, max: 400_000 }),
      fc.integer({ min: 61_000, max: 90_000 }),
      fc.integer({ min: -60_000, max: 60_000 }),
      async (all, name, windowMs, stepMs, offsetMs) => {
        const source = new EngineSource(all);
        const start = 1_700_000_000 + 7.123;
        const range = [start, start + (stepMs * 20) / 1000, stepMs / 1000] as const;
        const offset = offsetMs === 0 ? '' : ` offset ${offsetMs}ms`;
        const query = name === 'm_total' ? `m_total${offset}` : `${name}(m_total[${windowMs}ms]${offset})`;
        const actual = rounded(await linesOf(query, source, { range }));
        t.deepEqual(actual, rounded(await linesOf(query, source.plain, { range })), query);
        computed += source.computed;
        source.drop();
      },
    ),
    { numRuns: cases(20, 200, 2_000) },
  );
  t.true(computed > 0);
});

test('aggregations and operators take what the engine computed', async (t) => {
  const start = 1_700_000_000_000;
  const source = new EngineSource([0, 1, 2].map((i) => [0, 1, 2, 3].map((k) => [start + k * 15_000, k * (i + 1)])));
  const at = { at: 1_700_000_045 };
  t.deepEqual(
    await linesOf('sum(rate(m_total[1m])) > 0', source, at),
    await linesOf('sum(rate(m_total[1m])) > 0', source.plain, at),
  );
  t.deepEqual(await linesOf('sum(m_total) / count(m_total)', source, at), ['{} 6']);
  t.is(source.computed, 3);
});

test('what the engine cannot compute alike is computed from samples', async (t) => {
  const source = new EngineSource([[[0, 1]]]);
  // A time that the engine has not, many steps for few samples, series of several metrics.
  t.deepEqual(await linesOf('m_total', source, { at: -9e9 }), []);
  t.is((await linesOf('m_total', source, { range: [0, 60, 1] })).length, 1);
  t.is((await linesOf('{__name__=~"m.*"}', source)).length, 1);
  t.is((await linesOf('deriv(m_total[1m]) or m_total', source)).length, 1);
  t.is(source.computed, 1);
});

test('a rate after a reset keeps what the engine rounds away', async (t) => {
  const start = 1_700_000_000_000;
  const values = [1, 1e17, 0.5, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.4];
  const source = new EngineSource([values.map((value, i) => [start + i * 60_000, value])]);
  const range = [1_700_000_000, 1_700_000_540, 60] as const;
  const lines = await linesOf('increase(m_total[3m])', source, { range });
  t.deepEqual(lines, await linesOf('increase(m_total[3m])', source.plain, { range }));
  t.is(source.computed, 0);
  t.is((await linesOf('delta(m_total[3m])', source, { range })).length, 1);
  t.is(source.computed, 1);
});
