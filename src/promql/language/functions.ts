import type { ValueType } from './tree.js';

/** A function: the types of its arguments and of its result. */
export interface FunctionSignature {
  readonly name: string;
  readonly args: readonly ValueType[];
  readonly returns: ValueType;
  /**
   * 0 when the arguments are as many as their types. Else the last one is optional, and this many of its type may follow the
   * others; -1 for any number.
   */
  readonly variadic: number;
}

function row(
  name: string,
  args: readonly ValueType[],
  returns: ValueType = 'vector',
  variadic = 0,
): readonly [string, FunctionSignature] {
  return [name, { name, args, returns, variadic }];
}

/** All functions by their names. */
export const functions: ReadonlyMap<string, FunctionSignature> = new Map([
  row('abs', ['vector']),
  row('absent', ['vector']),
  row('absent_over_time', ['matrix']),
  row('acos', ['vector']),
  row('acosh', ['vector']),
  row('asin', ['vector']),
  row('asinh', ['vector']),
  row('atan', ['vector']),
  row('atanh', ['vector']),
  row('avg_over_time', ['matrix']),
  row('ceil', ['vector']),
  row('changes', ['matrix']),
  row('clamp', ['vector', 'scalar', 'scalar']),
  row('clamp_max', ['vector', 'scalar']),
  row('clamp_min', ['vector', 'scalar']),
  row('cos', ['vector']),
  row('cosh', ['vector']),
  row('count_over_time', ['matrix']),
  row('day_of_month', ['vector'], 'vector', 1),
  row('day_of_week', ['vector'], 'vector', 1),
  row('day_of_year', ['vector'], 'vector', 1),
  row('days_in_month', ['vector'], 'vector', 1),
  row('deg', ['vector']),
  row('delta', ['matrix']),
  row('deriv', ['matrix']),
  row('double_exponential_smoothing', ['matrix', 'scalar', 'scalar']),
  row('end', [], 'scalar'),
  row('exp', ['vector']),
  row('first_over_time', ['matrix']),
  row('floor', ['vector']),
  row('histogram_avg', ['vector']),
  row('histogram_count', ['vector']),
  row('histogram_fraction', ['scalar', 'scalar', 'vector']),
  row('histogram_quantile', ['scalar', 'vector']),
  row('histogram_quantiles', ['vector', 'string', 'scalar', 'scalar'], 'vector', 9),
  row('histogram_stddev', ['vector']),
  row('histogram_stdvar', ['vector']),
  row('histogram_sum', ['vector']),
  row('hour', ['vector'], 'vector', 1),
  row('idelta', ['matrix']),
  row('increase', ['matrix']),
  row('info', ['vector', 'vector'], 'vector', 1),
  row('irate', ['matrix']),
  row('label_join', ['vector', 'string', 'string', 'string'], 'vector', -1),
  row('label_replace', ['vector', 'string', 'string', 'string', 'string']),
  row('last_over_time', ['matrix']),
  row('ln', ['vector']),
  row('log10', ['vector']),
  row('log2', ['vector']),
  row('mad_over_time', ['matrix']),
  row('max_over_time', ['matrix']),
  row('min_over_time', ['matrix']),
  row('minute', ['vector'], 'vector', 1),
  row('month', ['vector'], 'vector', 1),
  row('pi', [], 'scalar'),
  row('predict_linear', ['matrix', 'scalar']),
  row('present_over_time', ['matrix']),
  row('quantile_over_time', ['scalar', 'matrix']),
  row('rad', ['vector']),
  row('range', [], 'scalar'),
  row('rate', ['matrix']),
  row('resets', ['matrix']),
  row('round', ['vector', 'scalar'], 'vector', 1),
  row('scalar', ['vector'], 'scalar'),
  row('sgn', ['vector']),
  row('sin', ['vector']),
  row('sinh', ['vector']),
  row('sort', ['vector']),
  row('sort_by_label', ['vector', 'string'], 'vector', -1),
  row('sort_by_label_desc', ['vector', 'string'], 'vector', -1),
  row('sort_desc', ['vector']),
  row('sqrt', ['vector']),
  row('start', [], 'scalar'),
  row('stddev_over_time', ['matrix']),
  row('stdvar_over_time', ['matrix']),
  row('step', [], 'scalar'),
  row('sum_over_time', ['matrix']),
  row('tan', ['vector']),
  row('tanh', ['vector']),
  row('time', [], 'scalar'),
  row('timestamp', ['vector']),
  row('ts_of_first_over_time', ['matrix']),
  row('ts_of_last_over_time', ['matrix']),
  row('ts_of_max_over_time', ['matrix']),
  row('ts_of_min_over_time', ['matrix']),
  row('vector', ['scalar']),
  row('year', ['vector'], 'vector', 1),
]);
