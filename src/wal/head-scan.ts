import { readSync } from 'node:fs';
import {
  decodeRecord,
  findRecord,
  type GroupBegun,
  type GroupEnded,
  type LogRecord,
  lengthAt,
  type PayloadHead,
  PayloadHeads,
  prefixBytes,
} from './record.js';
import { headBytes } from './segment.js';

/** Gets the records that the scan finds: of a payload the head alone. */
interface HeadListener {
  text(head: PayloadHead): void;
  group(record: GroupBegun | GroupEnded): void;
}

/** Bytes that are read at a time where records are short, and where they are long and only their heads are wanted. */
const nearBytes = 1024 * 1024;
const farBytes = 4096;
const longBytes = 64 * 1024;

/**
 * Looks through a segment of `size` bytes without reading the bodies of its payloads, so that a long log is opened
 * quickly. The checksum of a payload is checked when recovery reads it; here its number must follow the one before,
 * which is `after` for the first, or else its checksum counts. False as soon as anything is not as it should be: such a
 * segment must be scanned as a whole, and what the listener got of it forgotten.
 */
export function scanHeads(fd: number, size: number, after: number, { text, group }: HeadListener): boolean {
  const window = new Window(fd, size);
  let last = after;
  for (let at = headBytes; at < size; ) {
    const length = window.lengthOf(at);
    if (length <= prefixBytes || at + length > size) return false;
    const head = window.head(at, length);
    if (head === undefined || head.sequence !== last + 1) {
      const record = window.record(at, length);
      if (record === undefined) return false;
      if (record.kind === 'begun' || record.kind === 'ended') group(record);
    }
    if (head !== undefined) {
      last = head.sequence;
      text(head);
    }
    at += length;
  }
  return true;
}

/** The part of a file that is in memory. */
class Window {
  readonly #fd: number;
  readonly #size: number;
  readonly #heads = new PayloadHeads();
  #bytes: Buffer = Buffer.alloc(0);
  #room = Buffer.allocUnsafe(nearBytes);
  #from = 0;
  #isFar = false;

  constructor(fd: number, size: number) {
    this.#fd = fd;
    this.#size = size;
  }

  /** Length of the record at a place of the file, its prefix included; 0 where none begins. */
  lengthOf(at: number): number {
    const from = this.#reach(at, Math.min(prefixBytes, this.#size - at));
    const length = lengthAt(this.#bytes, from);
    this.#isFar = length > longBytes;
    return length;
  }

  /** The head of the payload at a place; undefined where another record is. */
  head(at: number, length: number): PayloadHead | undefined {
    const from = this.#reach(at, Math.min(length, farBytes));
    const head = this.#heads.at(this.#bytes, from);
    if (head !== 'short') return head;
    const again = this.#reach(at, length);
    const whole = this.#heads.at(this.#bytes, again);
    return whole === 'short' ? undefined : whole;
  }

  /** The whole record at a place; undefined where it is damaged, or of a kind that is not known. */
  record(at: number, length: number): LogRecord | undefined {
    const from = this.#reach(at, length);
    const frame = findRecord(this.#bytes, from);
    return typeof frame === 'object' ? decodeRecord(frame.body) : undefined;
  }

  /** Where a place of the file is in memory, with `length` bytes from there on. */
  #reach(at: number, length: number): number {
    if (at < this.#from || at + length > this.#from + this.#bytes.length) {
      const bytes = Math.min(Math.max(length, this.#isFar ? farBytes : nearBytes), this.#size - at);
      if (bytes > this.#room.length) this.#room = Buffer.allocUnsafe(bytes);
      this.#bytes = this.#room.subarray(0, readSync(this.#fd, this.#room, 0, bytes, at));
      this.#from = at;
    }
    return at - this.#from;
  }
}
