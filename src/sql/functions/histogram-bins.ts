import { parseJson } from '../../text/json.js';

/** Bins of HISTOGRAM: bin i reaches from edge i to edge i + 1; `heads` are its results up to the count. */
export interface HistogramBins {
  readonly edges: readonly number[];
  readonly heads: readonly string[];
}

/** Most bins that a generated description may have. */
const maxBins = 1000;

/**
 * Reads the description of bins, a JSON text: for `user_input` ascending edges, for `linear_bin` start, width, count
 * and infinity, for `log_bin` start, factor, count and infinity. With infinity there are `count` finite edges and the
 * bins beyond both ends, without it `count` bins. Undefined when it makes no sense.
 */
export function histogramBins(type: string, description: string): HistogramBins | undefined {
  const edges = edgesOf(type, parseJson(description));
  if (edges === undefined || edges.length < 2) return undefined;
  const ascending = edges.every((edge, at) => !Number.isNaN(edge) && (at === 0 || edge > (edges[at - 1] ?? edge)));
  if (!ascending) return undefined;
  const heads = edges.slice(1).map((upper, at) => {
    return `{"lower_bin":${shortNumber(edges[at] ?? 0)}, "upper_bin":${shortNumber(upper)}, "count":`;
  });
  return { edges, heads };
}

function edgesOf(type: string, bins: unknown): number[] | undefined {
  if (type === 'user_input') {
    if (!Array.isArray(bins) || bins.length > maxBins) return undefined;
    const edges = bins.filter((edge): edge is number => typeof edge === 'number');
    return edges.length === bins.length ? edges : undefined;
  }
  if (typeof bins !== 'object' || bins === null) return undefined;
  const { start, count, infinity, width, factor }: Record<string, unknown> = { ...bins };
  if (typeof start !== 'number' || typeof count !== 'number' || typeof infinity !== 'boolean') return undefined;
  if (!Number.isInteger(count) || count < 1 || count > maxBins) return undefined;
  const edges = generated(type, start, infinity ? count : count + 1, type === 'log_bin' ? factor : width);
  if (edges === undefined) return undefined;
  return infinity ? [-Infinity, ...edges, Infinity] : edges;
}

/** `count` edges from `start` on, in ascending order. */
function generated(type: string, start: number, count: number, step: unknown): number[] | undefined {
  if (typeof step !== 'number') return undefined;
  const at = (index: number): number => (type === 'log_bin' ? start * step ** index : start + index * step);
  const sensible = type === 'log_bin' ? start !== 0 && step > 0 && step !== 1 : type === 'linear_bin' && step !== 0;
  if (!sensible) return undefined;
  const edges = Array.from({ length: count }, (_, index) => at(index));
  if (!edges.every(Number.isFinite)) return undefined;
  return edges.sort((a, b) => a - b);
}

/** A number with six significant digits at most, the way C prints it with `%g`. */
export function shortNumber(value: number): string {
  if (value === Infinity) return 'inf';
  if (value === -Infinity) return '-inf';
  if (value === 0) return '0';
  const exponent = Number(value.toExponential(5).split('e')[1]);
  if (exponent >= -4 && exponent < 6) return String(Number(value.toPrecision(6)));
  const [digits, power = 0] = value.toExponential(5).split('e');
  const sign = Number(power) < 0 ? '-' : '+';
  return `${Number(digits)}e${sign}${String(Math.abs(Number(power))).padStart(2, '0')}`;
}
