import test from 'ava';
import fc from 'fast-check';
import { Annotations } from '../../../src/promql/annotations.js';
import { histogramQuantile } from '../../../src/promql/histogram-estimates.js';
import type { NativeHistogram } from '../../../src/promql/native-histogram.js';
import { cases } from '../../support/cases.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
const base = 1_700_000_000_000;

test.before(async () => {
  await service.run('CREATE DATABASE histograms');
  const buckets = '`0.1` DOUBLE, `0.5` DOUBLE, `1` DOUBLE, `+Inf` DOUBLE, `sum` DOUBLE, `count` DOUBLE';
  await service.run(`CREATE STABLE histograms.h (ts TIMESTAMP, ${buckets}) TAGS (site INT)`);
  await service.run(`INSERT INTO histograms.h1 USING histograms.h TAGS (1) VALUES
    (${base}, 2, 5, 9, 10, 6.5, 10) (${base + 60_000}, 4, 10, 19, 30, 15, 30)
    histograms.h2 USING histograms.h TAGS (2) VALUES (${base}, 0, 0, 0, 0, 0, 0) (${base + 60_000}, 0, 5, 5, 5, 1, 5)`);
  await service.run('CREATE STABLE histograms.b (ts TIMESTAMP, v DOUBLE) TAGS (le VARCHAR(20), site INT)');
  for (const [at, [le, early, late]] of [
    ["'0.1'", 2, 4],
    ["'0.5'", 5, 10],
    ["'1.0'", 9, 19],
    ["'+Inf'", 10, 30],
    ['NULL', 99, 99],
    ["'none'", 99, 99],
  ].entries()) {
    const rows = `(${base}, ${early}) (${base + 60_000}, ${late})`;
    await service.run(`INSERT INTO histograms.b${at} USING histograms.b TAGS (${le}, 1) VALUES ${rows}`);
  }
});
test.after.always(end);

statements('HISTOGRAM_QUANTILE of the columns of a row, and of their increases', service, 'histograms', [
  {
    sql: 'SELECT site, HISTOGRAM_QUANTILE(0.5, *), HISTOGRAM_QUANTILE(0.95, `0.1`, `1`, `+Inf`) FROM h ORDER BY site, ts',
    rows: [
      [1, 0.5, 1],
      [1, 0.7777777777777778, 1],
      [2, null, null],
      [2, 0.30000000000000004, 0.955],
    ],
    meta: [
      ['site', 'INT', 4],
      ['histogram_quantile(0.5, *)', 'DOUBLE', 8],
      ['histogram_quantile(0.95, `0.1`, `1`, `+Inf`)', 'DOUBLE', 8],
    ],
  },
  {
    sql: 'SELECT _wstart, HISTOGRAM_QUANTILE(0.5, INCREASE(*)) AS p50 FROM h INTERVAL(1m)',
    rows: [
      ['2023-11-14T22:13:00.000Z', null],
      ['2023-11-14T22:14:00.000Z', 0.75],
    ],
  },
  {
    sql: `SELECT site, HISTOGRAM_QUANTILE(0.9, RATE(*)) AS q FROM h GROUP BY site
      HAVING HISTOGRAM_QUANTILE(0.9, RATE(*)) > 0 ORDER BY HISTOGRAM_QUANTILE(0.9, RATE(*))`,
    rows: [
      [2, 0.4600000000000001],
      [1, 1],
    ],
  },
  { sql: 'SELECT HISTOGRAM_QUANTILE(0.5, LAST(*)) FROM h1', rows: [[0.7777777777777778]] },
  { sql: 'SELECT COUNT(*) FROM h WHERE HISTOGRAM_QUANTILE(0.5, `0.5`, `1`, `+Inf`) > 0.5', rows: [[1]] },
  // The order of the columns does not count, and a bucket that a row lacks is none.
  {
    sql: 'SELECT HISTOGRAM_QUANTILE(0.5, `+Inf`, `1`, `0.5`, `0.1`) FROM h2 LIMIT 1 OFFSET 1',
    rows: [[0.30000000000000004]],
  },
  {
    sql: 'SELECT HISTOGRAM_QUANTILE(0.5, `+Inf`, IF(`1` > 5, `1`, NULL), `0.1`) FROM h2 LIMIT 1 OFFSET 1',
    rows: [[0.1]],
  },
  { sql: 'SELECT HISTOGRAM_QUANTILE(1.1, *) FROM h', error: 0x2803 },
  { sql: 'SELECT HISTOGRAM_QUANTILE(`sum`, *) FROM h', error: 0x2802 },
  { sql: 'SELECT HISTOGRAM_QUANTILE(0.5, `0.1`, `1`) FROM h', error: 0x2803, says: 'no bucket `+Inf`' },
  { sql: 'SELECT INCREASE(*) FROM h INTERVAL(1m)', error: 0x2602, says: 'only within HISTOGRAM_QUANTILE' },
  { sql: 'SELECT HISTOGRAM_QUANTILE(0.5, *) FROM b', error: 0x2803, says: 'the name of no column is a bound' },
  { sql: 'SELECT HISTOGRAM_QUANTILE(0.5, `sum`) FROM h', error: 0x2803, says: 'its arguments are buckets' },
  { sql: 'SELECT HISTOGRAM_QUANTILE(0.5) FROM h', error: 0x2801 },
  { sql: "SELECT HISTOGRAM_QUANTILE(0.5, le, 'x') FROM b", error: 0x2802 },
]);

statements('HISTOGRAM_QUANTILE of rows with their bounds', service, 'histograms', [
  { sql: `SELECT HISTOGRAM_QUANTILE(0.5, le, v) FROM b WHERE ts = ${base}`, rows: [[0.5]] },
  {
    sql: `SELECT site, HISTOGRAM_QUANTILE(0.95, le, v) FROM b WHERE ts > ${base} GROUP BY site`,
    rows: [[1, 1]],
  },
  {
    sql: `SELECT w, HISTOGRAM_QUANTILE(0.25, le, n) FROM
      (SELECT _wstart AS w, le, INCREASE(v) AS n FROM b PARTITION BY le INTERVAL(1m)) GROUP BY w ORDER BY w`,
    rows: [
      ['2023-11-14T22:13:00.000Z', null],
      ['2023-11-14T22:14:00.000Z', 0.5],
    ],
  },
  { sql: "SELECT HISTOGRAM_QUANTILE(0.5, le, v) FROM b WHERE le = 'none'", rows: [[null]] },
  { sql: 'SELECT HISTOGRAM_QUANTILE(0.5, le, v) FROM b WHERE v > 100', rows: [] },
]);

/** Counts up to each bound; some bounds are missing, some counts fall. */
const drawnCounts = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant(null)), {
  minLength: 5,
  maxLength: 5,
});
const bounds = ['-1', '0', '0.5', '2.5', '+Inf'];
const quantiles = [0, 0.05, 0.3, 0.5, 0.9, 0.99, 1];

test('HISTOGRAM_QUANTILE of buckets is that of PromQL', async (t) => {
  await service.run(
    `CREATE STABLE histograms.drawn (ts TIMESTAMP, ${bounds.map((bound) => `\`${bound}\` DOUBLE`).join(', ')}, \`count\` DOUBLE, \`sum\` DOUBLE) TAGS (n INT)`,
  );
  const histograms = fc.sample(drawnCounts, cases(60, 400)).map((steps) => {
    let count = 0;
    return steps.map((step) => {
      if (step === null) return null;
      count += step;
      return count;
    });
  });
  const rows = histograms.map((counts, n) => {
    const values = counts.map((count) => count ?? 'NULL').join(', ');
    return `histograms.d${n} USING histograms.drawn TAGS (${n}) VALUES (${base}, ${values}, 1, 1)`;
  });
  await service.run(`INSERT INTO ${rows.join(' ')}`);
  for (const quantile of quantiles) {
    const { body } = await service.sql(`SELECT n, HISTOGRAM_QUANTILE(${quantile}, *) FROM drawn`, {
      database: 'histograms',
    });
    const query = encodeURIComponent(`histogram_quantile(${quantile}, drawn_bucket)`);
    const path = `/prometheus/histograms/api/v1/query?query=${query}&time=${base / 1000}`;
    const { text } = await service.request({ method: 'GET', path });
    const expected = new Map<number, number>();
    for (const { metric, value } of JSON.parse(text).data.result) {
      const number = Number(value[1]);
      if (Number.isFinite(number)) expected.set(Number(metric.n), number);
    }
    t.true(expected.size > 10);
    const numbers = (body.data ?? [])
      .filter(([, value]) => value !== null)
      .map(([n, value]) => [n, value] as [number, number]);
    t.deepEqual(new Map(numbers.toSorted(byKey)), new Map([...expected].toSorted(byKey)), String(quantile));
  }
});

function byKey([one]: readonly [number, number], [other]: readonly [number, number]): number {
  return one - other;
}

const drawnSide = fc.array(
  fc.record({
    gap: fc.integer({ min: 0, max: 3 }),
    counts: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }),
  }),
  { maxLength: 3 },
);

type Side = readonly { readonly gap: number; readonly counts: readonly number[] }[];

function bucketsOf(side: Side, first: number): NativeHistogram['positive'] {
  const indexes: number[] = [];
  let index = first;
  for (const { gap, counts } of side) {
    index += gap;
    for (const _ of counts) indexes.push(index++);
  }
  return { indexes, counts: side.flatMap(({ counts }) => counts) };
}

function spansOf(side: Side, first: number): string {
  return JSON.stringify(side.map(({ gap, counts }, at) => [gap + (at === 0 ? first : 0), counts.length]));
}

const drawnNatives = fc.record({
  schema: fc.constantFrom(-1, 0, 2, -53),
  first: fc.integer({ min: -3, max: 3 }),
  zeroThreshold: fc.constantFrom(0, 0.001, 0.7),
  zeroCount: fc.nat(3),
  positive: drawnSide,
  negative: drawnSide,
  isNaN: fc.boolean(),
});

test('HISTOGRAM_QUANTILE of native histograms is that of PromQL', async (t) => {
  await service.run(`CREATE STABLE histograms.native (ts TIMESTAMP, \`count\` DOUBLE, \`sum\` DOUBLE, schema DOUBLE, zero_threshold DOUBLE,
    zero_count DOUBLE, positive_spans VARCHAR(200), positive_counts VARCHAR(200), negative_spans VARCHAR(200),
    negative_counts VARCHAR(200), custom_values VARCHAR(200)) TAGS (n INT)`);
  const histograms = fc
    .sample(drawnNatives, cases(80, 500))
    .map((drawn): NativeHistogram & { readonly row: string } => {
      const isCustom = drawn.schema === -53;
      const first = isCustom ? 0 : drawn.first;
      const negative = isCustom ? [] : drawn.negative;
      const [positives, negatives] = [bucketsOf(drawn.positive, first), bucketsOf(negative, first)];
      const zeroCount = isCustom ? 0 : drawn.zeroCount;
      const count =
        [...positives.counts, ...negatives.counts].reduce((all, each) => all + each, zeroCount) + (drawn.isNaN ? 1 : 0);
      const customValues = isCustom ? [-1, 0, 0.5, 1, 2, 4, 8] : [];
      const zeroThreshold = isCustom ? 0 : drawn.zeroThreshold;
      const lists = [
        spansOf(drawn.positive, first),
        JSON.stringify(positives.counts),
        spansOf(negative, first),
        JSON.stringify(negatives.counts),
        JSON.stringify(customValues),
      ];
      const row = [
        count,
        drawn.isNaN ? 'NULL' : 5,
        drawn.schema,
        zeroThreshold,
        zeroCount,
        ...lists.map((list) => `'${list}'`),
      ].join(', ');
      return {
        row,
        schema: drawn.schema,
        count,
        sum: drawn.isNaN ? Number.NaN : 5,
        zeroThreshold,
        zeroCount,
        positive: positives,
        negative: negatives,
        customValues,
        resetHint: 'unknown',
      };
    });
  const rows = histograms.map(
    ({ row }, n) => `histograms.n${n} USING histograms.native TAGS (${n}) VALUES (${base}, ${row})`,
  );
  await service.run(`INSERT INTO ${rows.join(' ')}`);
  for (const quantile of quantiles) {
    const { body } = await service.sql(`SELECT n, HISTOGRAM_QUANTILE(${quantile}, *) FROM native ORDER BY n`, {
      database: 'histograms',
    });
    const values = (body.data ?? []).map(([, value]) => value as number | null);
    t.is(values.length, histograms.length);
    for (const [n, histogram] of histograms.entries()) {
      const isEmpty = [...histogram.positive.counts, ...histogram.negative.counts, histogram.zeroCount].every(
        (each) => each === 0,
      );
      const exact = isEmpty
        ? Number.NaN
        : histogramQuantile(quantile, histogram, new Annotations(), { start: 0, end: 0 });
      const value = values[n] ?? Number.NaN;
      const isNear = Number.isFinite(exact)
        ? Math.abs(value - exact) <= 1e-9 * Math.max(1, Math.abs(exact))
        : Number.isNaN(value);
      t.true(isNear, `${quantile} of ${histogram.row}: ${value} for ${exact}`);
    }
  }
});
