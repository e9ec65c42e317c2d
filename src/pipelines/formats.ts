import { Slice } from '../async/slice.js';
import type { WireFormat } from '../model/batch.js';
import { Codes, FaultError } from '../model/fault.js';
import type { BodyPiece, MessageLimits } from '../sources/http-body/source.js';
import { type LineCutter, lineFeedCutter } from '../sources/support/framing.js';
import { parseAgentPackets } from '../transforms/parse/agentd.js';
import { parseExposition } from '../transforms/parse/exposition/exposition.js';
import { cutExposition } from '../transforms/parse/exposition/pieces.js';
import { parseGraphite } from '../transforms/parse/graphite.js';
import { parseLineProtocol } from '../transforms/parse/lineproto.js';
import { otlpOfJson, parseOtlpJson } from '../transforms/parse/otlp/json.js';
import { parseOtlp } from '../transforms/parse/otlp/otlp.js';
import { parseRemoteWrite } from '../transforms/parse/remote-write/remote-write.js';
import { parseTelnet } from '../transforms/parse/telnet.js';
import { parseOpentsdbJson, parseTsdbwireJson } from '../transforms/parse/tsdbwire-json/tsdbwire-json.js';
import type { ParsedPoints, ParseOptions } from '../transforms/points/parse-options.js';
import { deflateSnappy } from '../transforms/wire/deflate-snappy.js';
import { inflatedLength, inflateSnappy, SnappyInflation } from '../transforms/wire/inflate-snappy.js';
import { ElementCutter } from '../transforms/wire/json-elements.js';
import { endsItsLines, endsWithTime, LineCutter as LineprotoCutter } from '../transforms/wire/line-cutter.js';
import {
  countRows,
  cutMessage,
  type MessagePiece,
  type MessageShape,
  type PieceLimits,
} from '../transforms/wire/message-pieces.js';

/**
 * Formats whose bytes are parsed into points; the VALUES of `sql-insert` and `bound-rows` come as column blocks,
 * `statsd` is aggregated first.
 */
export type PointFormat = Exclude<WireFormat, 'sql-insert' | 'bound-rows' | 'statsd'>;

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

/** Messages up to this length are read at once, and so are longer ones with no more rows: each may make a table. */
const shortMessageBytes = 256 * 1024;
const mostRowsAtOnce = 8_192;
const mostBytesAtOnce = 1024 * 1024;
/**
 * The same of messages that must be inflated before their rows are counted, inflated: 10,000 series with a sample each,
 * as vmagent sends them, are read at once.
 */
const shortDeflatedBytes = 1024 * 1024;
const mostDeflatedRows = 20_480;
const mostDeflatedBytes = 4 * 1024 * 1024;
/** Rows of the messages that others are cut into: new series of so many take 5 ms, new metrics 20. */
const rowsOfPiece = 1_024;
/** Bytes of them, unless what belongs to their rows is longer. */
const bytesOfPiece = 256 * 1024;

/**
 * Series of remote write: of version 1 beside the metadata of metrics, of version 2 beside the symbols that they refer
 * to. In both there are samples, exemplars and histograms in them.
 */
const remoteWriteShape: MessageShape = { steps: [new Set([1, 5])], apart: new Set([3]), inner: new Set([2, 3, 4]) };
/** Data points of OpenTelemetry: of resource, scope, metric, and the five kinds of data. */
const otlpShape: MessageShape = {
  steps: [new Set([1]), new Set([2]), new Set([2]), new Set([5, 7, 9, 10, 11]), new Set([1])],
  apart: new Set(),
};

/**
 * The messages of fewer rows that one with very many, or a very long one, is cut into, with a yield to the event loop
 * between them; undefined where it can be read at once, or not at all. Of a message with millions of empty fields they
 * throw a FaultError.
 */
export function piecesOf(
  format: WireFormat,
  message: Uint8Array,
  { maxMessageBytes, maxLineBytes }: MessageLimits,
): Iterable<BodyPiece> | AsyncIterable<BodyPiece> | undefined {
  const limits: PieceLimits = { rows: rowsOfPiece, bytes: bytesOfPiece, rowBytes: maxLineBytes };
  try {
    if (format === 'exposition') return scrapePieces(message, maxLineBytes);
    if (format !== 'remote-write' && message.length <= shortMessageBytes) return undefined;
    if (format === 'otlp') {
      const isShort = message.length <= mostBytesAtOnce && countRows(message, otlpShape) <= mostRowsAtOnce;
      return isShort ? undefined : cutMessage(message, otlpShape, limits);
    }
    if (format === 'otlp-json') return piecesOfJson(message, limits);
    const weight = weigh(format, message);
    if (format !== 'remote-write' || weight <= shortDeflatedBytes) return undefined;
    if (weight > mostDeflatedBytes) return piecesOfSnappy(message, maxMessageBytes, limits);
    const inflated = inflateSnappy(message, maxMessageBytes);
    if (countRows(inflated, remoteWriteShape) <= mostDeflatedRows) return undefined;
    return deflated(cutMessage(inflated, remoteWriteShape, limits));
  } catch (error) {
    if (error instanceof FaultError && error.fault.code === Codes.statementTooLong) return refused(error);
    // Its parser will say what is wrong with it.
    return undefined;
  }
}

/**
 * The pieces of a long scrape with its head; undefined where it is short. Throws a FaultError where it is malformed
 * before its rows.
 */
export function scrapePieces(scrape: Uint8Array, maxLineBytes: number): Iterable<BodyPiece> | undefined {
  return cutExposition(scrape, mostRowsAtOnce, { rows: rowsOfPiece, bytes: bytesOfPiece, rowBytes: maxLineBytes });
}

/** No pieces: the call for the first one throws the error. */
function refused(error: FaultError): Iterable<never> {
  return {
    [Symbol.iterator]: () => {
      throw error;
    },
  };
}

/** A long request in JSON as short ones in protobuf. Throws a FaultError of kind `parameter` where it is no request. */
async function* piecesOfJson(message: Uint8Array, limits: PieceLimits): AsyncGenerator<BodyPiece> {
  const slice = new Slice();
  await slice.next();
  const writing = otlpOfJson(message);
  let step = writing.next();
  for (; step.done !== true; step = writing.next()) if (slice.isOver()) await slice.next();
  for (const piece of cutMessage(step.value, otlpShape, limits)) yield { ...piece, format: 'otlp' };
}

/**
 * A long request in snappy as short ones. Throws a FaultError of kind `parameter` where it is malformed or inflates to
 * more than it may.
 */
async function* piecesOfSnappy(message: Uint8Array, maxBytes: number, limits: PieceLimits): AsyncGenerator<BodyPiece> {
  const inflation = new SnappyInflation(message, maxBytes);
  const slice = new Slice();
  while (!inflation.advance(bytesOfPiece)) if (slice.isOver()) await slice.next();
  yield* deflated(cutMessage(inflation.out, remoteWriteShape, limits));
}

function* deflated(pieces: Iterable<MessagePiece>): Generator<MessagePiece> {
  for (const piece of pieces) {
    yield { ...piece, bytes: Buffer.concat([...deflateSnappy([piece.bytes], piece.bytes.length)]) };
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
  'opentsdb-json': parseOpentsdbJson,
};

/** Rules of a format of lines about payloads that stand one behind the other. */
interface LineRules {
  /** True if the last line of a payload ends with it: no string of it could go on in the next payload. */
  endsItsLines(payload: Uint8Array): boolean;
  /** True if the last row of a payload has a time of its own. */
  endsWithTime(payload: Uint8Array): boolean;
}

/** The formats of lines whose payloads may be merged. Each line of telnet has a time, and ends with its line feed. */
export const lineRules: Readonly<Partial<Record<WireFormat, LineRules>>> = {
  lineproto: { endsItsLines, endsWithTime },
  'tsdbwire-telnet': { endsItsLines: () => true, endsWithTime: () => true },
};

/** Makes the cutter of a format, which cuts a long body into blocks of whole rows. */
export function newBodyCutter(format: WireFormat, maxLineBytes: number): LineCutter {
  if (format === 'lineproto') return new LineprotoCutter(maxLineBytes);
  return format === 'tsdbwire-json' || format === 'opentsdb-json' ? new ElementCutter() : lineFeedCutter;
}
