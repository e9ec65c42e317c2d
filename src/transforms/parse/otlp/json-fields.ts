const [int64, uint64] = [
  [-(2n ** 63n), 2n ** 63n - 1n],
  [0n, 2n ** 64n - 1n],
] as const;
/** The least and the greatest value of integers by their type. */
export const integers = {
  fixed64: uint64,
  sfixed64: int64,
  int64,
  uint64,
  uint32: [0n, 2n ** 32n - 1n],
  sint32: [-(2n ** 31n), 2n ** 31n - 1n],
} as const;

/** A field of a message: its number, and how its JSON is written. */
export interface Field {
  readonly number: number;
  readonly type: 'text' | 'bool' | 'double' | 'bytes' | 'hex' | 'message' | keyof typeof integers;
  readonly isList?: boolean;
  /**
   * True for messages between the request and its data points: their content is written with yields to the event loop.
   */
  readonly leads?: boolean;
  readonly message?: () => Message;
  /** Names of the values of an enumeration, in the order of their numbers. */
  readonly words?: readonly string[];
}

export type Message = Readonly<Record<string, Field>>;

const text = (number: number): Field => ({ number, type: 'text' });
/** A message is described at its first use, because some contain themselves. */
const once = (message: () => Message): (() => Message) => {
  let known: Message | undefined;
  return () => {
    known ??= message();
    return known;
  };
};
const one = (number: number, message: () => Message): Field => ({ number, type: 'message', message: once(message) });
const many = (number: number, message: () => Message): Field => ({ ...one(number, message), isList: true });
const leading = (field: Field): Field => ({ ...field, leads: true });
const fixed64 = (number: number): Field => ({ number, type: 'fixed64' });
const sfixed64 = (number: number): Field => ({ number, type: 'sfixed64' });
const double = (number: number): Field => ({ number, type: 'double' });
const uint32 = (number: number): Field => ({ number, type: 'uint32' });
const sint32 = (number: number): Field => ({ number, type: 'sint32' });

const temporality: Field = {
  number: 2,
  type: 'uint32',
  words: ['AGGREGATION_TEMPORALITY_UNSPECIFIED', 'AGGREGATION_TEMPORALITY_DELTA', 'AGGREGATION_TEMPORALITY_CUMULATIVE'],
};

const anyValue: Message = {
  stringValue: text(1),
  boolValue: { number: 2, type: 'bool' },
  intValue: { number: 3, type: 'int64' },
  doubleValue: double(4),
  arrayValue: one(5, () => arrayValue),
  kvlistValue: one(6, () => listValue),
  bytesValue: { number: 7, type: 'bytes' },
};
const keyValue: Message = { key: text(1), value: one(2, () => anyValue) };
const arrayValue: Message = { values: many(1, () => anyValue) };
const listValue: Message = { values: many(1, () => keyValue) };
const attributes = (number: number): Field => many(number, () => keyValue);
const buckets: Message = { offset: sint32(1), bucketCounts: { number: 2, type: 'uint64', isList: true } };
const quantile: Message = { quantile: double(1), value: double(2) };
const exemplar: Message = {
  timeUnixNano: fixed64(2),
  asDouble: double(3),
  spanId: { number: 4, type: 'hex' },
  traceId: { number: 5, type: 'hex' },
  asInt: sfixed64(6),
  filteredAttributes: attributes(7),
};
const exemplars = (number: number): Field => many(number, () => exemplar);
const numberPoint: Message = {
  attributes: attributes(7),
  timeUnixNano: fixed64(3),
  asDouble: double(4),
  exemplars: exemplars(5),
  asInt: sfixed64(6),
  flags: uint32(8),
};
const histogramPoint: Message = {
  attributes: attributes(9),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: double(5),
  bucketCounts: { number: 6, type: 'fixed64', isList: true },
  explicitBounds: { number: 7, type: 'double', isList: true },
  exemplars: exemplars(8),
  flags: uint32(10),
  min: double(11),
  max: double(12),
};
const exponentialPoint: Message = {
  attributes: attributes(1),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: double(5),
  scale: sint32(6),
  zeroCount: fixed64(7),
  positive: one(8, () => buckets),
  negative: one(9, () => buckets),
  flags: uint32(10),
  exemplars: exemplars(11),
  min: double(12),
  max: double(13),
  zeroThreshold: double(14),
};
const summaryPoint: Message = {
  attributes: attributes(7),
  timeUnixNano: fixed64(3),
  count: fixed64(4),
  sum: double(5),
  quantileValues: many(6, () => quantile),
  flags: uint32(8),
};
/** Points of a metric, and their metadata. */
function data(number: number, point: () => Message, more: Message): Field {
  return leading(one(number, () => ({ dataPoints: leading(many(1, point)), ...more })));
}

const metric: Message = {
  name: text(1),
  description: text(2),
  unit: text(3),
  gauge: data(5, () => numberPoint, {}),
  sum: data(7, () => numberPoint, { aggregationTemporality: temporality, isMonotonic: { number: 3, type: 'bool' } }),
  histogram: data(9, () => histogramPoint, { aggregationTemporality: temporality }),
  exponentialHistogram: data(10, () => exponentialPoint, { aggregationTemporality: temporality }),
  summary: data(11, () => summaryPoint, {}),
};
/** An `ExportMetricsServiceRequest`. */
export const request: Message = {
  resourceMetrics: leading(
    many(1, () => ({
      resource: one(1, () => ({ attributes: attributes(1) })),
      scopeMetrics: leading(
        many(2, () => ({
          scope: one(1, () => ({ name: text(1), version: text(2), attributes: attributes(3) })),
          metrics: leading(many(2, () => metric)),
        })),
      ),
    })),
  ),
};

/**
 * The field of a key in camel case, or in snake case as the definition of the message has it; undefined for an unknown
 * one.
 */
export function fieldOf(message: Message, key: string): Field | undefined {
  if (Object.hasOwn(message, key)) return message[key];
  const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return name !== key && Object.hasOwn(message, name) ? message[name] : undefined;
}
