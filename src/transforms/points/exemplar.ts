import type { Fault } from '../../model/fault.js';
import { fieldName, type PointCollector } from './point-collector.js';
import { badPoint } from './point-fault.js';
import type { Ticks } from './ticks.js';

const names = { value: fieldName('v'), labels: fieldName('exemplar') } as const;
/** Longest labels of an exemplar, as text. */
const maxTextBytes = 16_384;

/** An exemplar: its value, NULL where it is not finite, and its own labels as JSON. */
interface Exemplar {
  readonly value: number;
  readonly labels: string;
}

/** Gives the row that has begun the fields of `metric_exemplars`; returns why one cannot be taken, if so. */
export function putExemplar(points: PointCollector, { value, labels }: Exemplar): Fault | undefined {
  const text = Buffer.from(labels);
  if (text.length > maxTextBytes) return badPoint('its labels are too long');
  const problem = Number.isFinite(value) ? points.putDouble(names.value, value) : undefined;
  return problem ?? points.putText(names.labels, text);
}

/**
 * Stores an exemplar at the time that `times` has, in the series whose row `take` begins. `bytes` is what is read.
 * Returns why it cannot be stored, if so.
 */
export function storeExemplar(
  points: PointCollector,
  times: Ticks,
  exemplar: Exemplar,
  bytes: Uint8Array,
  take: () => Fault | undefined,
): Fault | undefined {
  const refused = take() ?? points.refusal();
  if (refused !== undefined) return refused;
  const problem = putExemplar(points, exemplar);
  if (problem === undefined) return points.commit(times.words, bytes);
  points.drop();
  return problem;
}
