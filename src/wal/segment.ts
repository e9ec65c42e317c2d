import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecord, findRecord, type LogRecord, lengthAt, nextMagic } from './record.js';

/** One file of a log. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** Bytes that are written, the head of the file included. */
  size: number;
  /** Texts in it with rows that have not ended. */
  open: number;
}

/** Where a record lies. */
export interface Place {
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
export class SegmentError extends Error {
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
  const found = bytes.toString('latin1', magicText.length, magicText.length + 1);
  if (found !== version) {
    throw new SegmentError(
      path,
      `is of version ${found}, and this program reads version ${version}; start a newer one`,
    );
  }
  return Buffer.from(bytes.subarray(8, 24));
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

/** What became of the bytes of a scan. */
export interface ScanEnd {
  /** End of the last whole record: what follows was torn off while it was written. */
  readonly end: number;
  /** Bytes inside that are no records, and were left out. */
  readonly damagedBytes: number;
}

/** Reads all records in bytes from `from` on. What is damaged in the middle is left out, what is torn at the end too. */
export function scan(bytes: Buffer, from: number, each: (scanned: Scanned) => void): ScanEnd {
  let at = from;
  let end = from;
  let damagedBytes = 0;
  while (at < bytes.length) {
    const found = findRecord(bytes, at);
    if (typeof found === 'object') {
      const length = lengthAt(bytes, at);
      const record = decodeRecord(found.body);
      if (record !== undefined) each({ record, offset: at, length });
      damagedBytes += at - end;
      at += length;
      end = at;
      continue;
    }
    const next = nextMagic(bytes, at + 1);
    if (next < 0) break;
    at = next;
  }
  return { end, damagedBytes };
}
