import { parseTsdbwireJson } from '../../../src/transforms/parse/tsdbwire-json/tsdbwire-json.js';
import { LineProtocolDesk } from './line-protocol.js';

/** Reads objects as a service with one database does. */
export function newDesk(precision: 'ns' | 'ms' = 'ns'): LineProtocolDesk {
  return new LineProtocolDesk(precision, parseTsdbwireJson);
}

/** A point with some members replaced by JSON text; `undefined` leaves one out. */
export function object(members: Readonly<Record<string, string | undefined>> = {}): string {
  const all = { metric: '"m"', timestamp: '1700000000', value: '1', tags: '{"a":"b"}', ...members };
  const texts = Object.entries(all).flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${text}`]));
  return `{${texts.join(',')}}`;
}
