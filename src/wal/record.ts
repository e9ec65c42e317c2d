import { crc32 } from 'node:zlib';
import type { TextPart, WireFormat } from '../model/batch.js';

/** The number of each format in the log, which is kept for ever. */
const formatNumbers: Readonly<Record<WireFormat, number>> = {
  lineproto: 0,
  'remote-write': 1,
  'tsdbwire-telnet': 2,
  'tsdbwire-json': 3,
  statsd: 4,
  agentd: 5,
  exposition: 6,
  'sql-insert': 7,
  otlp: 8,
  'otlp-json': 9,
  graphite: 10,
  'opentsdb-json': 11,
  'bound-rows': 12,
};
const formats = new Map(Object.entries(formatNumbers).map(([format, number]) => [number, format as WireFormat]));
/** Units by their number in the log. */
const precisions = ['ns', 'us', 'ms', 's', 'm', 'h', 'auto'] as const;

/** A payload as it came, with everything that its meaning depends on beside the catalogue. */
export interface LoggedPayload {
  /** Position in the order of the answers, from 1. */
  readonly sequence: number;
  /** The input that received it. */
  readonly origin: string;
  readonly format: WireFormat;
  /** The database of its rows; of a statement the current one, empty where there is none. */
  readonly database: string;
  readonly user: string;
  readonly createDatabase: boolean;
  /** Days to live of the sub-tables that it makes. */
  readonly ttl: number;
  readonly precision: (typeof precisions)[number];
  readonly part: TextPart | undefined;
  /** True when all its rows go to `database`; a statement may name tables of others. */
  readonly isWithin: boolean;
  /** Unix microseconds of its arrival. */
  readonly receivedMicros: bigint;
  /** Of a statement: NOW in Unix nanoseconds, and the zone of times without one. */
  readonly nowNs: bigint;
  readonly zone: string;
  /** Bad lines that the reply names; undefined in logs of older versions. */
  readonly rejectedRows: number | undefined;
  readonly bytes: Uint8Array;
}

/**
 * A payload in a format or with a unit of time that this version does not know, because a newer one wrote it: `format`
 * and `precision` are the names, or `number 12`. Its content is not read, and kept as it is.
 */
export interface UnknownPayload extends Omit<LoggedPayload, 'format' | 'precision'> {
  readonly format: string;
  readonly precision: string;
}

/** The rows of one table that several payloads hold: the payloads by their sequence, rising. */
export interface Member {
  readonly database: string;
  readonly table: string;
  readonly sequences: readonly number[];
}

/** A group of rows is about to be inserted under a number that the engine knows it by. */
export interface GroupBegun {
  readonly kind: 'begun';
  readonly group: number;
  readonly members: readonly Member[];
}

/** Rows of a group have ended: all of them, or those named, and then what is left of it is no group any more. */
export interface GroupEnded {
  readonly kind: 'ended';
  readonly group: number;
  readonly members: readonly Member[] | 'all';
}

/** A record of the log. */
export type LogRecord =
  | { readonly kind: 'text'; readonly text: LoggedPayload }
  | { readonly kind: 'unknown text'; readonly text: UnknownPayload }
  | GroupBegun
  | GroupEnded;

/** Bytes before the body of a record: magic number, length of the body, CRC-32 of the body, each of 32 bits. */
export const prefixBytes = 12;
/** `SLWR` */
const magic = 0x5257_4c53;
const kinds = { text: 1, begun: 2, ended: 3 } as const;
const fixedTextBytes = 1 + 6 + 8 + 8 + 1 + 1 + 1 + 4;
const flags = {
  createDatabase: 1,
  hasPart: 2,
  first: 4,
  last: 8,
  isWithin: 16,
  isCounted: 32,
  hasRejects: 64,
} as const;

/** Length of the longest name that a record holds. */
const maxNameBytes = 65_535;

/**
 * The record of a payload without the payload itself, which follows it: so a long payload is written from where it
 * lies. All numbers are little-endian.
 */
export function encodePayloadHead(sequence: number, text: Omit<LoggedPayload, 'sequence'>): Buffer {
  const { origin, database, user, zone, bytes, part, rejectedRows = 0 } = text;
  const names = [origin, database, user, zone];
  let length = fixedTextBytes + (rejectedRows > 0 ? 4 : 0);
  for (const name of names) length += nameBytes(name);
  const out = Buffer.allocUnsafe(prefixBytes + length);
  let at = prefixBytes;
  at = out.writeUInt8(kinds.text, at);
  at = out.writeUIntLE(sequence, at, 6);
  at = out.writeBigInt64LE(text.receivedMicros, at);
  at = out.writeBigInt64LE(text.nowNs, at);
  at = out.writeUInt8(formatNumbers[text.format], at);
  at = out.writeUInt8(precisions.indexOf(text.precision), at);
  let bits = (text.createDatabase ? flags.createDatabase : 0) | (text.isWithin ? flags.isWithin : 0);
  if (text.rejectedRows !== undefined) bits |= flags.isCounted | (rejectedRows > 0 ? flags.hasRejects : 0);
  if (part !== undefined) bits |= flags.hasPart | (part.first ? flags.first : 0) | (part.last ? flags.last : 0);
  at = out.writeUInt8(bits, at);
  at = out.writeUInt32LE(text.ttl, at);
  for (const name of names) {
    const written = out.write(name, at + 2);
    out.writeUInt16LE(written, at);
    at += 2 + written;
  }
  if (rejectedRows > 0) out.writeUInt32LE(rejectedRows, at);
  seal(out, bytes);
  return out;
}

/** The whole record of a group. */
export function encodeGroup(record: GroupBegun | GroupEnded): Buffer {
  const { kind, group } = record;
  const members = record.members === 'all' ? [] : record.members;
  let length = 1 + 6 + 1 + 4;
  for (const { database, table, sequences } of members) {
    length += nameBytes(database) + nameBytes(table) + 4 + sequences.length * 7;
  }
  const out = Buffer.allocUnsafe(prefixBytes + length);
  let at = prefixBytes;
  at = out.writeUInt8(kinds[kind], at);
  at = out.writeUIntLE(group, at, 6);
  at = out.writeUInt8(Number(record.members === 'all'), at);
  at = out.writeUInt32LE(members.length, at);
  for (const { database, table, sequences } of members) {
    for (const name of [database, table]) {
      const written = out.write(name, at + 2);
      out.writeUInt16LE(written, at);
      at += 2 + written;
    }
    at = out.writeUInt32LE(sequences.length, at);
    let before = 0;
    for (const sequence of sequences) {
      at = writeVarint(out, sequence - before, at);
      before = sequence;
    }
  }
  const whole = out.subarray(0, at);
  seal(whole, noBytes);
  return whole;
}

const noBytes = new Uint8Array(0);

function nameBytes(name: string): number {
  const length = Buffer.byteLength(name);
  if (length > maxNameBytes) throw new RangeError(`A name of ${length} bytes is too long for the log.`);
  return 2 + length;
}

/** Fills in the prefix of a record whose body continues in `rest`. */
function seal(head: Buffer, rest: Uint8Array): void {
  head.writeUInt32LE(magic, 0);
  head.writeUInt32LE(head.length - prefixBytes + rest.length, 4);
  const begun = crc32(head.subarray(prefixBytes));
  head.writeUInt32LE(rest.length === 0 ? begun : crc32(rest, begun), 8);
}

function writeVarint(out: Buffer, value: number, start: number): number {
  let at = start;
  let rest = value;
  while (rest >= 0x80) {
    out[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  out[at++] = rest;
  return at;
}

/** Finding at a place in bytes of the log: a whole record, the beginning of one, or none. */
type RecordResult = { readonly body: Buffer } | 'short' | 'none';

/**
 * Looks for a record at `at`. `short`: what is there may be the beginning of a record that continues behind the bytes;
 * `none`: it is not a record, or its checksum is wrong.
 */
export function findRecord(bytes: Buffer, at: number): RecordResult {
  if (at + prefixBytes > bytes.length) return 'short';
  if (bytes.readUInt32LE(at) !== magic) return 'none';
  const end = at + prefixBytes + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) return 'short';
  const body = bytes.subarray(at + prefixBytes, end);
  return crc32(body) === bytes.readUInt32LE(at + 8) ? { body } : 'none';
}

/** Length of the record that seems to begin at `at`, prefix included; 0 when none does. */
export function lengthAt(bytes: Buffer, at: number): number {
  if (at + prefixBytes > bytes.length || bytes.readUInt32LE(at) !== magic) return 0;
  return prefixBytes + bytes.readUInt32LE(at + 4);
}

/** Position of the next magic number from `from` on, or -1: where reading may continue behind damage. */
export function nextMagic(bytes: Buffer, from: number): number {
  return bytes.indexOf(magicBytes, from);
}

const magicBytes = Buffer.from('SLWR');

/**
 * Reads the body of a record; undefined for a kind that this version does not know, and for a body whose lengths do not
 * fit. The payload is a view on the body.
 */
export function decodeRecord(body: Buffer): LogRecord | undefined {
  try {
    return decode(body);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function decode(body: Buffer): LogRecord | undefined {
  const kind = body.readUInt8(0);
  if (kind === kinds.text) return decodePayload(body);
  if (kind === kinds.begun) return { kind: 'begun', ...decodeGroup(body) };
  if (kind !== kinds.ended) return undefined;
  const { group, members } = decodeGroup(body);
  return { kind: 'ended', group, members: body.readUInt8(7) === 1 ? 'all' : members };
}

/** The head of a payload, which decides whether the payload is read. */
export interface PayloadHead {
  readonly sequence: number;
  readonly database: string;
  readonly isWithin: boolean;
}

/** Reads the heads of payloads, most of which name the same database as the one before. */
export class PayloadHeads {
  #name: Buffer = Buffer.alloc(0);
  #database = '';

  /**
   * The head of the payload whose record begins at `at`; undefined for a record of another kind, `short` when more
   * bytes are needed. The checksum of the record is not checked.
   */
  at(bytes: Buffer, at: number): PayloadHead | undefined | 'short' {
    const body = at + prefixBytes;
    const origin = body + fixedTextBytes;
    if (body >= bytes.length) return 'short';
    if (bytes[body] !== kinds.text) return undefined;
    if (origin + 2 > bytes.length) return 'short';
    const name = origin + 2 + bytes.readUInt16LE(origin);
    if (name + 2 > bytes.length) return 'short';
    const length = bytes.readUInt16LE(name);
    if (name + 2 + length > bytes.length) return 'short';
    const database = this.#read(bytes, name + 2, length);
    const bits = bytes.readUInt8(body + 25);
    return { sequence: bytes.readUIntLE(body + 1, 6), database, isWithin: isWithin(bytes.readUInt8(body + 23), bits) };
  }

  #read(bytes: Buffer, at: number, length: number): string {
    const before = this.#name;
    let same = before.length === length;
    for (let i = 0; same && i < length; i++) same = before[i] === bytes[at + i];
    if (!same) {
      this.#name = Buffer.from(bytes.subarray(at, at + length));
      this.#database = this.#name.toString('utf8');
    }
    return this.#database;
  }
}

/** Lines go to the database that they were sent to; older records of statements do not say where their rows go. */
function isWithin(format: number, bits: number): boolean {
  const isOfStatement = format === formatNumbers['sql-insert'] || format === formatNumbers['bound-rows'];
  return !isOfStatement || (bits & flags.isWithin) !== 0;
}

function decodePayload(body: Buffer): LogRecord {
  const bits = body.readUInt8(25);
  const names: string[] = [];
  let at = fixedTextBytes;
  for (let i = 0; i < 4; i++) {
    const length = body.readUInt16LE(at);
    names.push(body.toString('utf8', at + 2, at + 2 + length));
    at += 2 + length;
  }
  const [origin = '', database = '', user = '', zone = ''] = names;
  let rejectedRows = (bits & flags.isCounted) === 0 ? undefined : 0;
  if ((bits & flags.hasRejects) !== 0) {
    rejectedRows = body.readUInt32LE(at);
    at += 4;
  }
  const part = { first: (bits & flags.first) !== 0, last: (bits & flags.last) !== 0 };
  const rest = {
    sequence: body.readUIntLE(1, 6),
    receivedMicros: body.readBigInt64LE(7),
    nowNs: body.readBigInt64LE(15),
    createDatabase: (bits & flags.createDatabase) !== 0,
    part: (bits & flags.hasPart) === 0 ? undefined : part,
    isWithin: isWithin(body.readUInt8(23), bits),
    ttl: body.readUInt32LE(26),
    origin,
    database,
    user,
    zone,
    rejectedRows,
    bytes: body.subarray(at),
  };
  const [format, precision] = [formats.get(body.readUInt8(23)), precisions[body.readUInt8(24)]];
  if (format !== undefined && precision !== undefined) return { kind: 'text', text: { ...rest, format, precision } };
  const text = {
    ...rest,
    format: format ?? `number ${body.readUInt8(23)}`,
    precision: precision ?? `number ${body.readUInt8(24)}`,
  };
  return { kind: 'unknown text', text };
}

function decodeGroup(body: Buffer): { readonly group: number; readonly members: readonly Member[] } {
  const count = body.readUInt32LE(8);
  const members: Member[] = [];
  let at = 12;
  for (let i = 0; i < count; i++) {
    const names: string[] = [];
    for (let n = 0; n < 2; n++) {
      const length = body.readUInt16LE(at);
      names.push(body.toString('utf8', at + 2, at + 2 + length));
      at += 2 + length;
    }
    const sequences: number[] = [];
    let sequence = 0;
    const length = body.readUInt32LE(at);
    at += 4;
    for (let n = 0; n < length; n++) {
      let scale = 1;
      for (;;) {
        const byte = body.readUInt8(at++);
        sequence += (byte & 0x7f) * scale;
        if (byte < 0x80) break;
        scale *= 0x80;
      }
      sequences.push(sequence);
    }
    const [database = '', table = ''] = names;
    members.push({ database, table, sequences });
  }
  return { group: body.readUIntLE(1, 6), members };
}
