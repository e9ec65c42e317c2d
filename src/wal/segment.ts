import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  decodeRecord,
  findRecord,
  type LogRecord,
  lengthAt,
  nextMagic,
  type PayloadHead,
  PayloadHeads,
} from './record.js';

/** One file of a log. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** Bytes that are written, the head of the file included. */
  size: number;
  /** Payloads in it with rows that have not ended. */
  open: number;
  /** True once its file was deleted or moved away. */
  isLost?: boolean;
  /** True once damage was met in it: the file is moved aside and not deleted, so that people can look at it. */
  isDamaged?: boolean;
}

/** Where a record lies. */
export interface RecordPosition {
  readonly segment: Segment;
  readonly offset: number;
  /** Its prefix included. */
  readonly length: number;
}

/** Bytes before the first record: `SLUICEW` and a version, the id of the log, the number of the segment. */
export const headBytes = 32;
const magicText = 'SLUICEW';
const version = '1';
const ending = '.wal';

/** A file that is no segment of this version. */
class SegmentError extends Error {
  constructor(path: string, why: string) {
    super(`The write-ahead log ${path} ${why}.`);
    this.name = 'SegmentError';
  }
}

/** The head of a segment of the log with an id of 16 bytes. */
export function segmentHead(id: Buffer, number: number): Buffer {
  const head = Buffer.alloc(headBytes);
  head.write(magicText + version, 0, 'latin1');
  id.copy(head, 8, 0, 16);
  head.writeUIntLE(number, 24, 6);
  return head;
}

/** The id of the log in the head of a segment; undefined for a file that was torn before its head was whole. */
export function readHead(path: string, bytes: Buffer): Buffer | undefined {
  if (bytes.length < headBytes) return undefined;
  if (bytes.toString('latin1', 0, magicText.length) !== magicText) {
    throw new SegmentError(path, 'is no log of this program; move it elsewhere');
  }
  const writtenVersion = bytes.toString('latin1', magicText.length, magicText.length + 1);
  if (writtenVersion !== version) {
    throw new SegmentError(
      path,
      `is of version ${writtenVersion}, and this program reads version ${version}; start a newer one`,
    );
  }
  return Buffer.from(bytes.subarray(8, 24));
}

/**
 * Moves a damaged segment beside its log, as `log-1-000000000001.wal.damaged` or with a number where that is there;
 * gives its path. Throws what the system says.
 */
export function moveAside(path: string): string {
  const log = dirname(path);
  const base = join(dirname(log), `${basename(log)}-${basename(path)}.damaged`);
  for (let count = 1; ; count++) {
    const aside = count === 1 ? base : `${base}-${count}`;
    if (existsSync(aside)) continue;
    renameSync(path, aside);
    return aside;
  }
}

/** Path of a segment in the directory of its log. */
export function segmentPath(directory: string, number: number): string {
  return join(directory, `${String(number).padStart(12, '0')}${ending}`);
}

/** The segments of a directory by number, rising. */
export function listSegments(directory: string): readonly { readonly number: number; readonly path: string }[] {
  return readdirSync(directory)
    .filter((name) => /^\d{12}\.wal$/.test(name))
    .toSorted()
    .map((name) => ({ number: Number(name.slice(0, -ending.length)), path: join(directory, name) }));
}

/** A record, and where it lies in the bytes that it was read from. */
export interface Scanned {
  readonly record: LogRecord;
  readonly offset: number;
  readonly length: number;
}

/** End of a scan. */
interface ScanEnd {
  /** End of the last whole record: what follows was torn off while it was written. */
  readonly end: number;
  /** Bytes inside that are no records, and were left out; where the first of them lies, 0 when there are none. */
  readonly damagedBytes: number;
  readonly damagedAt: number;
}

/** Decides by the head of a payload whether it is read. */
export type Wants = (head: PayloadHead) => boolean;

/**
 * Which payloads of a segment are read: others are passed over up to `limit` in the bytes, which may lie behind their
 * end.
 */
interface Wanted {
  readonly wants: Wants;
  readonly limit: number;
}

/**
 * Reads all records in bytes from `from` on. Damaged and torn records are left out. With `filter`
 * the end may lie behind the bytes.
 */
export function scan(bytes: Buffer, from: number, each: (scanned: Scanned) => void, filter?: Wanted): ScanEnd {
  const heads = new PayloadHeads();
  let at = from;
  let end = from;
  let [damagedBytes, damagedAt] = [0, 0];
  let skippedAt = -1;
  while (at < bytes.length) {
    const skipped = filter === undefined ? 0 : unwanted(bytes, at, heads, filter);
    const frame = skipped > 0 ? 'skipped' : findRecord(bytes, at);
    if (frame === 'skipped' || typeof frame === 'object') {
      const length = lengthAt(bytes, at);
      const record = frame === 'skipped' ? undefined : decodeRecord(frame.body);
      if (frame !== 'skipped' && record === undefined) {
        skippedAt = -1;
        at += length;
        continue;
      }
      if (record !== undefined) each({ record, offset: at, length });
      if (at > end && damagedBytes === 0) damagedAt = end;
      damagedBytes += at - end;
      skippedAt = frame === 'skipped' ? at : -1;
      at += length;
      end = at;
      continue;
    }
    // The length of what was passed over may be what is damaged.
    const isAstray = frame === 'none' && at === end && skippedAt >= 0;
    const next = nextMagic(bytes, (isAstray ? skippedAt : at) + 1);
    if (isAstray) end = skippedAt;
    skippedAt = -1;
    if (next < 0) break;
    at = next;
  }
  return { end, damagedBytes, damagedAt };
}

/** Length of the record at `at` where that is a payload that is not wanted, else 0. */
function unwanted(bytes: Buffer, at: number, heads: PayloadHeads, { wants, limit }: Wanted): number {
  const length = lengthAt(bytes, at);
  if (length === 0 || at + length > limit) return 0;
  const head = heads.at(bytes, at);
  return head === undefined || head === 'short' || wants(head) ? 0 : length;
}
