import type { Fault } from '../../../model/fault.js';
import { type FieldName, fieldName, type PointCollector } from '../../points/point-collector.js';
import { badPoint, ofColumn } from '../../points/point-fault.js';

/** Fields of points by what they hold. */
export const fieldNames = {
  gauge: fieldName('gauge'),
  counter: fieldName('counter'),
  count: fieldName('count'),
  sum: fieldName('sum'),
  min: fieldName('min'),
  max: fieldName('max'),
  scale: fieldName('scale'),
  zeroCount: fieldName('zero_count'),
  zeroThreshold: fieldName('zero_threshold'),
  positiveOffset: fieldName('positive_offset'),
  positiveCounts: fieldName('positive_counts'),
  negativeOffset: fieldName('negative_offset'),
  negativeCounts: fieldName('negative_counts'),
} as const;

/** Longest list of counts of an exponential histogram, as text. */
const maxCountsBytes = 16_384;

/** Buckets of an exponential histogram. */
export interface Side {
  offset: number;
  readonly counts: number[];
}

/** Adds a number; one that is not finite is no field. */
export function put(points: PointCollector, name: FieldName, value: number): Fault | undefined {
  if (!Number.isFinite(value)) return undefined;
  return ofColumn(name, points.putDouble(name, value));
}

/** Adds buckets, as their offset and a JSON array of their counts; none are no fields. */
export function putSide(points: PointCollector, offset: FieldName, counts: FieldName, side: Side): Fault | undefined {
  if (side.counts.length === 0) return undefined;
  const problem = put(points, offset, side.offset);
  if (problem !== undefined) return problem;
  const text = Buffer.from(`[${side.counts.join(',')}]`);
  if (text.length > maxCountsBytes)
    return badPoint(`column "${counts.text}" would take more than ${maxCountsBytes} bytes`);
  return ofColumn(counts, points.putText(counts, text));
}
