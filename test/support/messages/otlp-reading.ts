import { FaultError } from '../../../src/model/fault.js';
import { parseOtlpJson } from '../../../src/transforms/parse/otlp/json.js';
import { parseOtlp } from '../../../src/transforms/parse/otlp/otlp.js';
import type { ParsedPoints, ParseOptions } from '../../../src/transforms/points/parse-options.js';
import { LineProtocolDesk } from './line-protocol.js';
import { otlpRequest } from './otlp-messages.js';

type Parse = (bytes: Uint8Array, options: ParseOptions) => ParsedPoints;

/** Rows as `table{tags} fields time`, and what was rejected. */
export function readOtlp(
  parse: Parse,
  body: Uint8Array,
  more: Partial<ParseOptions> = {},
  desk = new LineProtocolDesk(),
): string[] {
  let parsed: ParsedPoints;
  try {
    parsed = parse(body, { ...desk.options(), ...more });
  } catch (error) {
    if (error instanceof FaultError) return [`refused: ${error.fault.message}`];
    throw error;
  }
  const rows = desk.rows(parsed).map(({ table, tags, time: at, fields }) => {
    const values = Object.entries(fields).map(([name, field]) => `${name}=${field?.value}`);
    return `${table}${JSON.stringify(tags)} ${values.join(' ')} ${at}`;
  });
  return [...rows, ...parsed.rejects.map(({ row, fault }) => `${row}: ${fault.message}`)];
}

/** What a request becomes, which must be the same in both encodings. */
export function readBoth(
  t: { deepEqual(a: unknown, b: unknown): void },
  request: object,
  more: Partial<ParseOptions> = {},
): string[] {
  const rows = readOtlp(parseOtlp, otlpRequest(request), more);
  t.deepEqual(readOtlp(parseOtlpJson, Buffer.from(JSON.stringify(request)), more), rows);
  return rows;
}
