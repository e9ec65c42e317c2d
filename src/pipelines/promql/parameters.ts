import { readDurationMs } from '../../promql/language/literals.js';
import { parseQuery } from '../../promql/language/parse.js';
import type { Expr } from '../../promql/language/tree.js';
import { QueryError } from '../../promql/query-error.js';

/** Times that clients send for "any time", as Prometheus prints them. */
const outerTimes: ReadonlyMap<string, number> = new Map([
  ['-292273086-05-16T16:47:06Z', -8.64e15],
  ['292277025-08-18T07:12:54.999999999Z', 8.64e15],
]);

const decimal = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const rfc3339 = /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/;

/** An error about a parameter, in the words of Prometheus. */
export function badParameter(name: string, problem: string): QueryError {
  return new QueryError('bad_data', `invalid parameter ${JSON.stringify(name)}: ${problem}`);
}

/** A time in Unix seconds, with or without a fraction, or by RFC 3339; Unix milliseconds. `absent` stands for none. */
export function readTime<T>(parameters: URLSearchParams, name: string, absent: T): number | T {
  const text = parameters.get(name);
  if (text === null || text === '') return absent;
  if (decimal.test(text)) {
    const ms = Math.round(Number(text) * 1000);
    if (Math.abs(ms) <= 8.64e15) return ms;
  }
  const outer = outerTimes.get(text);
  if (outer !== undefined) return outer;
  const ms = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw badParameter(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`);
}

/** A time that must be there. */
export function requireTime(parameters: URLSearchParams, name: string): number {
  const ms = readTime(parameters, name, undefined);
  if (ms === undefined) throw badParameter(name, 'cannot parse "" to a valid timestamp');
  return ms;
}

/** A duration in seconds or with units (`1h30m`) in milliseconds; undefined where there is none. */
export function readSpan(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null || text === '') return undefined;
  return spanOf(text) ?? refuseSpan(name, text);
}

/** A duration that must be there. */
export function requireSpan(parameters: URLSearchParams, name: string): number {
  return readSpan(parameters, name) ?? refuseSpan(name, '');
}

function spanOf(text: string): number | undefined {
  if (!decimal.test(text)) return readDurationMs(text);
  const ms = Number(text) * 1000;
  return Math.abs(ms) < 2 ** 63 / 1e6 ? ms : undefined;
}

function refuseSpan(name: string, text: string): never {
  throw badParameter(name, `cannot parse ${JSON.stringify(text)} to a valid duration`);
}

/** `limit` and the like: a whole number, 0 is none. */
export function readLimit(parameters: URLSearchParams, name = 'limit'): number {
  const text = parameters.get(name);
  if (text === null || text === '') return 0;
  if (!/^[+-]?[0-9]{1,15}$/.test(text))
    throw badParameter(name, `cannot parse ${JSON.stringify(text)} to a valid limit`);
  const limit = Number(text);
  if (limit < 0) throw badParameter(name, 'limit must be non-negative');
  return limit;
}

/** The tree of the parameter `query`. */
export function queryOf(parameters: URLSearchParams): Expr {
  return parsed('query', parameters.get('query') ?? '', parseQuery);
}

/** What a text in PromQL means; an error names the parameter. */
export function parsed<T>(name: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof QueryError && error.kind === 'bad_data') throw badParameter(name, error.message);
    throw error;
  }
}

/** The range between `start` and `end` where one of them is there. */
export function readRange(
  parameters: URLSearchParams,
): { readonly startMs: bigint; readonly endMs: bigint } | undefined {
  const start = readTime(parameters, 'start', undefined);
  const end = readTime(parameters, 'end', undefined);
  if (start === undefined && end === undefined) return undefined;
  const [startMs, endMs] = [start ?? -8.64e15, end ?? 8.64e15];
  if (endMs < startMs) throw badParameter('end', 'end timestamp must not be before start timestamp');
  return { startMs: BigInt(startMs), endMs: BigInt(endMs) };
}
