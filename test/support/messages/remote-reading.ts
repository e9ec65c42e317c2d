import { parseRemoteWrite } from '../../../src/transforms/parse/remote-write/remote-write.js';
import type { ParsedPoints } from '../../../src/transforms/points/parse-options.js';
import { LineProtocolDesk } from './line-protocol.js';
import type { TestLabel } from './remote-messages.js';

/** A row as a sample: labels, milliseconds, value or undefined for NULL. */
export type ReadSample = readonly [labels: string, millis: number, value: number | undefined];

/** The samples of a message that was read; what is told of metrics beside them is left out. */
export function samplesOf(desk: LineProtocolDesk, parsed: ParsedPoints): ReadSample[] {
  const rows = desk.rows(parsed).filter(({ table }) => !/^metric_(?:histograms|exemplars|metadata)$/.test(table));
  return rows.map(({ table, tags, time, fields }) => {
    if (table !== 'metrics' || time % 1_000_000n !== 0n) throw new Error(`${table} ${time}`);
    const value = fields.v?.value;
    return [tags.labels ?? '', Number(time / 1_000_000n), typeof value === 'number' ? value : undefined];
  });
}

/** Reads a message of remote write. */
export function parseBody(desk: LineProtocolDesk, body: Uint8Array): ParsedPoints {
  return parseRemoteWrite(body, desk.options());
}

/** The samples of a message that must have no bad ones. */
export function readSamples(body: Uint8Array): ReadSample[] {
  const desk = new LineProtocolDesk();
  const parsed = parseBody(desk, body);
  if (parsed.rejectedRows > 0) throw new Error(parsed.rejects[0]?.fault.message);
  return samplesOf(desk, parsed);
}

/** Labels as the JSON tag has them: without empty values, by the bytes of their names. */
export function jsonOf(labels: readonly TestLabel[]): string {
  const sorted = labels
    .filter(({ value }) => value !== '')
    .toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  return `{${sorted.map(({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}
