import type { Acknowledgement } from '../../model/batch.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import { isTimeZone, serverTimeZone } from '../../text/time-zones.js';

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const uint64Max = 2n ** 64n - 1n;

/** Instance number in the top byte of generated request ids; the rest counts from 1. */
const instanceBits = 0x20n << 56n;
let counted = 0n;

const trueWords = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseWords = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** The fault of a call whose parameters or body cannot be taken. */
export function parameterFault(message: string): Fault {
  return fault('parameter', Codes.free, message);
}

/** A request id as logs print it: `0x` and the hexadecimal digits of the 64-bit value. */
function requestIdText(value: bigint): string {
  return `0x${BigInt.asUintN(64, value).toString(16)}`;
}

function integerIn(text: string, form: RegExp, min: bigint, max: bigint): bigint | undefined {
  if (!form.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value >= min && value <= max ? value : undefined;
}

/** A fresh request id. */
export function newRequestId(): string {
  counted++;
  return requestIdText(instanceBits | counted);
}

/** The client's `req_id` in a URL as logs print it; empty where there is none, or it is no number above 0. */
export function clientRequestId(url: string): string {
  const digits = /[?&]req_id=([0-9]{1,20})(?:&|$)/.exec(url)?.[1];
  const value = digits === undefined ? 0n : BigInt(digits);
  return value === 0n || value > uint64Max ? '' : requestIdText(value);
}

/** The client's `req_id` where it is a number, so that logs have its name for the request; otherwise a fresh id. */
export function requestIdOf(url: string): string {
  return clientRequestId(url) || newRequestId();
}

/** Visible characters, so that a name is one word in a log. */
const requestName = /^[\x21-\x7e]{1,128}$/;

/**
 * `req_id` of the SQL routes: a signed 64-bit decimal, which logs print in hexadecimal digits, or another text, such as
 * a UUID, which is kept as it is; absent, empty or 0 means the `fresh` id.
 */
export function readRequestId(text: string | null, fresh: string): string | Fault {
  if (text === null || text === '') return fresh;
  const value = integerIn(text, /^[+-]?[0-9]{1,40}$/, int64Min, int64Max);
  if (value !== undefined) return value === 0n ? fresh : requestIdText(value);
  if (requestName.test(text)) return text;
  return parameterFault(
    `illegal param, req_id must have at most 128 characters, all visible: ${JSON.stringify(text.slice(0, 128))}`,
  );
}

/**
 * `req_id` of the write routes: an unsigned 64-bit decimal; absent, empty or 0 means the `fresh` id. Undefined: not a
 * number.
 */
export function readWriteRequestId(text: string | null, fresh: string): string | undefined {
  if (text === null || text === '') return fresh;
  const value = integerIn(text, /^[0-9]{1,40}$/, 0n, uint64Max);
  if (value === undefined) return undefined;
  return value === 0n ? fresh : requestIdText(value);
}

/**
 * `tz` or `conn_tz`: an IANA zone name in its exact spelling; absent or empty is UTC, `Local` the zone of this machine.
 * Offsets are not names.
 */
export function readTimeZone(text: string | null): string | Fault {
  if (text === null || text === '' || text === 'UTC') return 'UTC';
  if (text === 'Local') return serverTimeZone();
  if (text.includes('..') || text.startsWith('/') || text.startsWith('\\')) {
    return parameterFault('time: invalid location name');
  }
  return isTimeZone(text) ? text : parameterFault(`unknown time zone ${text}`);
}

/** The truth of a parameter of that name, such as `row_with_meta`. */
export function readBoolean(name: string, text: string | null, whenAbsent: boolean): boolean | Fault {
  if (text === null || text === '') return whenAbsent;
  if (falseWords.has(text)) return false;
  if (trueWords.has(text)) return true;
  return parameterFault(`illegal param, ${name} must be boolean: ${JSON.stringify(text.slice(0, 100))}`);
}

/** `ack` of a write: when it is answered; absent or empty leaves it to the setting `write.ack`. */
export function readAck(text: string | null): Acknowledgement | undefined | Fault {
  if (text === null || text === '') return undefined;
  if (text === 'logged' || text === 'stored') return text;
  return parameterFault(`illegal param, ack must be logged or stored: ${JSON.stringify(text.slice(0, 100))}`);
}

const maxTtl = 2 ** 31 - 1;

/**
 * `ttl` of a write, in days; absent or empty is 0, for ever, and so is a negative number. A text says what is wrong
 * with it.
 */
export function readTtl(text: string | null): number | string {
  if (text === null || text === '') return 0;
  if (!/^[+-]?[0-9]+$/.test(text)) return 'ttl must be numeric';
  const days = Number(text);
  return days > maxTtl ? `ttl must be at most ${maxTtl}` : Math.max(0, days);
}

const precisions = {
  '': 'ns',
  n: 'ns',
  ns: 'ns',
  u: 'us',
  us: 'us',
  // The micro sign and the Greek letter mu.
  '\u00b5': 'us',
  '\u00b5s': 'us',
  '\u03bc': 'us',
  '\u03bcs': 'us',
  ms: 'ms',
  s: 's',
  m: 'm',
  h: 'h',
} as const;

type PrecisionWord = keyof typeof precisions;

/** Words that `precision` takes. */
export const precisionWords: readonly string[] = Object.keys(precisions).filter((word) => word !== '');

function isPrecisionWord(text: string): text is PrecisionWord {
  return Object.hasOwn(precisions, text);
}

/** `precision` of a line-protocol write; absent or empty is nanoseconds. Undefined: no such precision. */
export function readPrecision(text: string | null): (typeof precisions)[PrecisionWord] | undefined {
  const word = text ?? '';
  return isPrecisionWord(word) ? precisions[word] : undefined;
}
