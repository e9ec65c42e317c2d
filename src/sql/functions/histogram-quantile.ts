import { Codes } from '../../model/fault.js';
import { float64, text, zero } from '../engine/build.js';
import { ArrayOf, type Expr, Lambda } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { exponentialColumns, histogramQuantile, nativeColumns } from '../syntax/histogram-call.js';
import { refuse } from '../values/context.js';
import { doubleType, isNumeric, type Value } from '../values/value.js';
import { doubleArgument, textArgument } from './arguments.js';
import {
  type AggregateBuilder,
  type AggregateFunction,
  aggregate,
  numberArgument,
  type ScalarFunction,
  scalar,
} from './spec.js';

const { written } = histogramQuantile;

/** The quantile, which is a number: one outside of 0 and 1 is none of Prometheus' either. */
function quantileArgument(args: readonly Value[]): Expr {
  return float64(numberArgument(written, args[0], 0, 1));
}

/** `body` with values under names, so that each is computed once. Nothing but these names stands in `body`. */
function named(values: Readonly<Record<string, Expr>>, body: Expr): Expr {
  const arrays = Object.values(values).map((value) => new ArrayOf([value]));
  return expr`arrayElement(arrayMap(${[new Lambda(Object.keys(values), body), ...arrays]}), 1)`;
}

/**
 * The quantile of classic buckets, as Prometheus has it: linear between the bounds of a bucket, the first of which
 * begins at 0. `buckets` are tuples of an upper bound and how many values are up to it, ascending. NULL without values,
 * and without the bucket `+Inf`.
 */
function bucketQuantile(quantile: Expr, buckets: Expr): Expr {
  // Counts of a histogram never fall from one bound to the next: where they do, the largest one before counts. A part
  // of a billionth of them comes from rounding.
  const total = expr`arrayMax(x -> tupleElement(x, 2), h)`;
  const at = expr`arrayFirstIndex(x -> tupleElement(x, 2) >= r * 0.999999999999, h)`;
  const before = expr`if(i > 1, arrayMax(x -> tupleElement(x, 2), arraySlice(h, 1, i - 1)), 0)`;
  const start = expr`if(i > 1, tupleElement(arrayElement(h, i - 1), 1), 0)`;
  const [end, count] = [expr`tupleElement(arrayElement(h, i), 1)`, expr`tupleElement(arrayElement(h, i), 2)`];
  const part = expr`(r - b) / nullIf(${count} - b, 0)`;
  const inside = expr`multiIf(
    i = 0, NULL,
    i = length(h), tupleElement(arrayElement(h, -2), 1),
    and(i = 1, ${end} <= 0), ${end},
    ${start} + (${end} - ${start}) * ${part})`;
  const ofBucket = named({ h: expr`h`, r: expr`r`, i: expr`i`, b: before }, inside);
  const ofRank = named({ h: expr`h`, r: expr`r`, i: at }, ofBucket);
  const counted = expr`if(c > 0, ${named({ h: expr`h`, r: expr`c * ${quantile}` }, ofRank)}, NULL)`;
  const isUseless = expr`or(length(h) < 2, not(isInfinite(tupleElement(arrayElement(h, -1), 1))))`;
  return named({ h: buckets }, expr`if(${isUseless}, NULL, ${named({ h: expr`h`, c: total }, counted)})`);
}

/** The quantile of the buckets in the columns of a row. */
function quantileOfColumns(args: readonly Value[]): Expr {
  const counts = new Map<number, Expr>();
  for (let at = 1; at + 1 < args.length; at += 2) {
    const bound = Number(args[at]?.constant);
    const [count, other] = [doubleArgument(args[at + 1]), counts.get(bound)];
    // `1` and `1.0` are one bucket.
    counts.set(
      bound,
      other === undefined ? count : expr`if(isNull(${other}), ${count}, ${other} + ifNull(${count}, 0))`,
    );
  }
  if (!counts.has(Number.POSITIVE_INFINITY)) throw noHistogram('there is no bucket `+Inf`');
  const pairs = [...counts]
    .sort(([one], [other]) => one - other)
    .map(([bound, count]) => expr`tuple(${Number.isFinite(bound) ? float64(bound) : expr`inf`}, ${count})`);
  const there = expr`arrayFilter(x -> isNotNull(tupleElement(x, 2)), ${new ArrayOf(pairs)})`;
  const buckets = expr`arrayMap(x -> tuple(tupleElement(x, 1), assumeNotNull(tupleElement(x, 2))), ${there})`;
  return bucketQuantile(quantileArgument(args), buckets);
}

/** The quantile of buckets that are rows: a bound, such as the tag `le`, and a count. Counts of one bound are added. */
function quantileOfRows(args: readonly Value[], builder: AggregateBuilder): Expr {
  const bound = expr`toFloat64OrNull(${boundText(args[1])})`;
  const count = doubleArgument(args[2]);
  const sums = builder.aggregate(
    'sumMapIf',
    expr`[ifNull(${bound}, 0)]`,
    expr`[ifNull(${count}, 0)]`,
    // The engine leaves out keys whose sums are all 0.
    expr`[toUInt64(1)]`,
    expr`and(isNotNull(${bound}), ifNull(not(isNaN(${bound})), 0), isNotNull(${count}))`,
  );
  const buckets = expr`arrayMap((x, y) -> tuple(x, y), tupleElement(${sums}, 1), tupleElement(${sums}, 2))`;
  return bucketQuantile(quantileArgument(args), buckets);
}

/** A bound as text, which may be a number or a piece of JSON, too. */
function boundText(arg: Value | undefined): Expr {
  if (arg !== undefined && isNumeric(arg.type)) return expr`toString(${arg.sql})`;
  if (arg?.type.name === 'JSON' && arg.member === undefined) return expr`replaceAll(${arg.sql}, '"', '')`;
  return textArgument(arg);
}

/**
 * A native histogram as expressions: numbers, and for each side an array of tuples of the index of a bucket and its
 * count.
 */
interface NativeHistogram {
  readonly count: Expr;
  /** NaN where values are among it that are no numbers. */
  readonly sum: Expr;
  /** Resolution; -53 where buckets have bounds of their own. */
  readonly schema: Expr;
  readonly zeroThreshold: Expr;
  readonly zeroCount: Expr;
  readonly positive: Expr;
  readonly negative: Expr;
  /** The bounds of buckets that have their own. */
  readonly bounds: Expr;
}

/** The upper bound of the bucket with an index, on the positive side. */
function boundAt(index: Expr): Expr {
  const own = expr`multiIf(${index} < 0, -inf, ${index} >= length(v), inf, arrayElement(v, toInt64(${index}) + 1))`;
  return expr`if(s = -53, ${own}, least(exp2(${index} * exp2(-s)), 1.7976931348623157e308))`;
}

/**
 * The quantile of a native histogram, as Prometheus has it: linear in buckets with bounds of their own and around zero,
 * otherwise on the scale of logarithms. Values are counted from the nearer end. NULL where there are none.
 */
function nativeQuantile(quantile: Expr, histogram: NativeHistogram): Expr {
  const upper = boundAt(expr`tupleElement(x, 1)`);
  const lower = boundAt(expr`tupleElement(x, 1) - 1`);
  const nearer = expr`if(and(${lower} > 0, ${lower} < z), z, ${lower})`;
  const above = expr`arrayMap(x -> tuple(${nearer}, ${upper}, tupleElement(x, 2)), p)`;
  const below = expr`arrayMap(x -> tuple(-${upper}, -${nearer}, tupleElement(x, 2)), arrayReverse(m))`;
  // The bucket around zero ends there on a side without buckets.
  const around = expr`[tuple(if(and(empty(m), notEmpty(p)), 0, -z), if(and(empty(p), notEmpty(m)), 0, z), o)]`;
  // The outermost buckets count also when they are empty: the rank is beyond all of them where values are NaN.
  const hasPlace = expr`or(tupleElement(x, 3) > 0, y = 1, y = length(w))`;
  const nonEmpty = expr`arrayFilter((x, y) -> ${hasPlace}, w, arrayEnumerate(w))`;
  const all = named({ w: expr`arrayConcat(${below}, ${around}, ${above})` }, nonEmpty);
  const isForward = expr`or(isNaN(t), ${quantile} < 0.5)`;
  const rank = expr`if(${isForward}, ${quantile}, 1 - ${quantile}) * n`;
  const summed = expr`arrayCumSum(x -> tupleElement(x, 3), b)`;
  const from = expr`tupleElement(arrayElement(b, k), 1)`;
  const to = expr`tupleElement(arrayElement(b, k), 2)`;
  const held = expr`tupleElement(arrayElement(b, k), 3)`;
  const upTo = expr`least(arrayElement(c, k), n)`;
  const part = expr`if(${isForward}, r - (${upTo} - ${held}), ${upTo} - r) / ${held}`;
  const [logFrom, logTo] = [expr`log2(abs(${from}))`, expr`log2(abs(${to}))`];
  const inside = expr`multiIf(
    and(s = -53, ${from} = -inf), if(${to} <= 0, ${to}, ${to} * ${part}),
    and(s = -53, ${to} = inf), ${from},
    ${upTo} < r, if(isNaN(t), nan, ${to}),
    or(s = -53, and(${from} <= 0, ${to} >= 0)), ${from} + (${to} - ${from}) * ${part},
    ${from} > 0, exp2(${logFrom} + (${logTo} - ${logFrom}) * ${part}),
    -exp2(${logTo} + (${logFrom} - ${logTo}) * (1 - ${part})))`;
  const outer = { b: expr`b`, s: expr`s`, t: expr`t`, n: expr`n` };
  const ranked = { ...outer, c: expr`c`, r: expr`r` };
  const at = expr`arrayFirstIndex((x, y) -> and(x >= r, tupleElement(y, 3) > 0), c, b)`;
  const ofBucket = named({ ...ranked, k: expr`if(${at} = 0, length(b), ${at})` }, inside);
  const counted = named({ ...outer, c: summed, r: rank }, ofBucket);
  const ordered = expr`if(${isForward}, a, arrayReverse(a))`;
  const isEmpty = expr`or(n <= 0, not(arrayExists(x -> tupleElement(x, 3) > 0, b)))`;
  const body = named(
    { b: named({ a: all, t: expr`t` }, ordered), s: expr`s`, t: expr`t`, n: expr`n` },
    expr`if(${isEmpty}, NULL, ${counted})`,
  );
  return named(
    {
      p: histogram.positive,
      m: histogram.negative,
      v: histogram.bounds,
      z: histogram.zeroThreshold,
      o: histogram.zeroCount,
      s: histogram.schema,
      t: histogram.sum,
      n: histogram.count,
    },
    body,
  );
}

/** The values of columns by their names. */
type Columns<Name extends string> = Readonly<Record<Name, Value | undefined>>;

function numberOr(arg: Value | undefined, otherwise: Expr): Expr {
  return expr`ifNull(${doubleArgument(arg)}, ${otherwise})`;
}

/** The numbers in the text of a JSON array, also of arrays in it. */
function numbersIn(arg: Value | undefined): Expr {
  const numbers = expr`extractAll(ifNull(${textArgument(arg)}, ''), ${text('[-+0-9.eE]+')})`;
  return expr`arrayMap(x -> toFloat64OrZero(x), ${numbers})`;
}

/** Buckets by index: each span is the distance from the one before, and its length. */
function bucketsOfSpans(spans: Value | undefined, counts: Value | undefined): Expr {
  const every = (odd: 0 | 1): Expr => expr`arrayFilter((x, y) -> y % 2 = ${odd}, f, arrayEnumerate(f))`;
  const ends = expr`arrayCumSum(arrayMap((x, y) -> x + y, d, l))`;
  // A span is no longer than there are counts, whatever it says.
  const span = expr`arrayMap(x -> y - z + x, range(toUInt32(least(greatest(z, 0), toFloat64(length(c))))))`;
  const indexes = expr`arrayFlatten(arrayMap((y, z) -> ${span}, ${ends}, l))`;
  const many = expr`least(length(i), length(c))`;
  const pairs = expr`arrayMap((x, y) -> tuple(x, y), arraySlice(i, 1, ${many}), arraySlice(c, 1, ${many}))`;
  const ofSpans = named({ c: expr`c`, i: indexes }, pairs);
  const ofNumbers = named({ c: expr`c`, d: every(1), l: every(0) }, ofSpans);
  return named({ f: numbersIn(spans), c: numbersIn(counts) }, ofNumbers);
}

/** Buckets by index: one behind the other, from an offset. */
function bucketsOfOffset(offset: Value | undefined, counts: Value | undefined): Expr {
  const pairs = expr`arrayMap((x, y) -> tuple(d + y, x), c, arrayEnumerate(c))`;
  return named({ d: numberOr(offset, zero), c: numbersIn(counts) }, pairs);
}

/** The quantile of a native histogram of remote write. */
function quantileOfNative(args: readonly Value[]): Expr {
  const { count, sum, schema, ...more } = columnsOf(nativeColumns, args);
  return nativeQuantile(quantileArgument(args), {
    count: numberOr(count, zero),
    sum: numberOr(sum, expr`nan`),
    schema: numberOr(schema, zero),
    zeroThreshold: numberOr(more.zero_threshold, zero),
    zeroCount: numberOr(more.zero_count, zero),
    positive: bucketsOfSpans(more.positive_spans, more.positive_counts),
    negative: bucketsOfSpans(more.negative_spans, more.negative_counts),
    bounds: numbersIn(more.custom_values),
  });
}

/** The quantile of an exponential histogram of OpenTelemetry, whose rows of other kinds have no scale. */
function quantileOfExponential(args: readonly Value[]): Expr {
  const { count, scale, ...more } = columnsOf(exponentialColumns, args);
  const quantile = nativeQuantile(quantileArgument(args), {
    count: numberOr(count, zero),
    sum: float64(0),
    schema: numberOr(scale, zero),
    zeroThreshold: numberOr(more.zero_threshold, zero),
    zeroCount: numberOr(more.zero_count, zero),
    positive: bucketsOfOffset(more.positive_offset, more.positive_counts),
    negative: bucketsOfOffset(more.negative_offset, more.negative_counts),
    bounds: numbersIn(undefined),
  });
  return expr`if(isNull(${doubleArgument(scale)}), NULL, ${quantile})`;
}

function columnsOf<Name extends string>(names: readonly Name[], args: readonly Value[]): Columns<Name> {
  return Object.fromEntries(names.map((name, at) => [name, args[at + 1]])) as Columns<Name>;
}

function noHistogram(reason: string): Error {
  return refuse(Codes.functionParameterValue, `Invalid parameter value : histogram_quantile: ${reason}`);
}

/**
 * HISTOGRAM_QUANTILE by what its arguments are, see `histogramCall`; the first one as it is called where they are none
 * of it.
 */
export const histogramQuantileFunctions: readonly (ScalarFunction | AggregateFunction)[] = [
  scalar(
    written,
    ['number', 'any'],
    doubleType,
    () => {
      throw noHistogram('its arguments are buckets (columns whose names are bounds, or *), or a bound and a count');
    },
    { atMost: 4096 },
  ),
  scalar(histogramQuantile.buckets, ['number', 'any'], doubleType, quantileOfColumns, { atMost: 8193 }),
  aggregate(histogramQuantile.rows, ['number', 'any', 'number'], doubleType, quantileOfRows),
  scalar(histogramQuantile.native, ['number', 'any'], doubleType, quantileOfNative, { atMost: 11 }),
  scalar(histogramQuantile.exponential, ['number', 'any'], doubleType, quantileOfExponential, { atMost: 10 }),
];
