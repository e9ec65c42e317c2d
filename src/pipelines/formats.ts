import type { WireFormat } from '../model/batch.js';
import { type LineCutter, lineFeedCutter } from '../sources/support/framing.js';
import { parseAgentPackets } from '../transforms/parse/agentd.js';
import { parseExposition } from '../transforms/parse/exposition.js';
import { parseGraphite } from '../transforms/parse/graphite.js';
import { ElementCutter } from '../transforms/parse/json-elements.js';
import { LineCutter as LineprotoCutter } from '../transforms/parse/line-cutter.js';
import { parseLineProtocol } from '../transforms/parse/lineproto.js';
import { parseOtlp } from '../transforms/parse/otlp.js';
import { parseOtlpJson } from '../transforms/parse/otlp-json.js';
import type { ParsedPoints, ParseOptions } from '../transforms/parse/parse-options.js';
import { parseRemoteWrite } from '../transforms/parse/remote-write.js';
import { inflatedLength } from '../transforms/parse/snappy.js';
import { parseTelnet } from '../transforms/parse/telnet.js';
import { parseTsdbwireJson } from '../transforms/parse/tsdbwire-json.js';

/** Formats whose bytes are parsed into points; the VALUES of `sql-insert` come as column blocks, `statsd` is aggregated first. */
export type PointFormat = Exclude<WireFormat, 'sql-insert' | 'statsd'>;

/** Bytes that a message counts for while it is on its way: those that it is inflated to, where it is compressed. */
export function weigh(format: WireFormat, message: Uint8Array): number {
  if (format !== 'remote-write') return message.length;
  try {
    return Math.max(message.length, inflatedLength(message));
  } catch {
    // Its parser will say what is wrong with it.
    return message.length;
  }
}

/** The parser of every format that points arrive in. */
export const pointParsers: Readonly<Record<PointFormat, (bytes: Uint8Array, options: ParseOptions) => ParsedPoints>> = {
  lineproto: parseLineProtocol,
  agentd: parseAgentPackets,
  exposition: parseExposition,
  graphite: parseGraphite,
  otlp: parseOtlp,
  'otlp-json': parseOtlpJson,
  'remote-write': parseRemoteWrite,
  'tsdbwire-telnet': parseTelnet,
  'tsdbwire-json': parseTsdbwireJson,
};

/** What cuts a long body of a format into blocks of whole rows. */
export function newBodyCutter(format: WireFormat, maxLineBytes: number): LineCutter {
  if (format === 'lineproto') return new LineprotoCutter(maxLineBytes);
  return format === 'tsdbwire-json' ? new ElementCutter() : lineFeedCutter;
}
