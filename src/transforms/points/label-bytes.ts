import { putVarint } from '../../bytes/varint.js';
import { Wire, WireReader } from '../wire/protobuf.js';
import type { RawLabel } from './label-set.js';

/** Longest labels of a series that are read, in bytes as they stand in a message. */
export const maxLabelBytes = 65536;

/** Fields of a series, and of a label in it, with their keys as they stand in a message. */
const labelKey = 0x0a;
const nameField = 1;
const nameKey = 0x0a;
const valueField = 2;
const valueKey = 0x12;

function varintLength(value: number): number {
  return value < 128 ? 1 : value < 16384 ? 2 : 3;
}

/**
 * The labels of one series as a version 1 message has them, for messages that do not have them in one piece. One is
 * enough for all calls, which run one after the other.
 */
export class LabelBytes {
  readonly bytes = new Uint8Array(maxLabelBytes);
  readonly view = new DataView(this.bytes.buffer);
  length = 0;

  /** Appends a label field as it stands in a message; false when there is no room. */
  append(from: Uint8Array, start: number, end: number): boolean {
    if (end - start > maxLabelBytes - this.length) return false;
    this.#copy(from, start, end);
    return true;
  }

  /** Appends a label; name and value are parts of `from`. False when there is no room. */
  write(from: Uint8Array, nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): boolean {
    const name = nameEnd - nameStart;
    const value = valueEnd - valueStart;
    const length = 2 + varintLength(name) + name + varintLength(value) + value;
    if (length + 4 > maxLabelBytes - this.length) return false;
    this.#head(labelKey, length);
    this.#head(nameKey, name);
    this.#copy(from, nameStart, nameEnd);
    this.#head(valueKey, value);
    this.#copy(from, valueStart, valueEnd);
    return true;
  }

  #head(key: number, length: number): void {
    this.bytes[this.length++] = key;
    this.length = putVarint(this.bytes, this.length, length);
  }

  #copy(from: Uint8Array, start: number, end: number): void {
    let to = this.length;
    for (let i = start; i < end; i++) this.bytes[to++] = from[i]!;
    this.length = to;
  }
}

/** Reads the label fields in `bytes[start, end)`. Throws a FaultError when they are malformed. */
export function readLabels(bytes: Uint8Array, start: number, end: number): RawLabel[] {
  const reader = new WireReader(bytes);
  reader.at = start;
  const labels: RawLabel[] = [];
  while (reader.at < end) {
    reader.end = end;
    reader.next();
    reader.end = reader.enter();
    labels.push(readLabel(reader));
  }
  return labels;
}

function readLabel(reader: WireReader): RawLabel {
  let name = new Uint8Array(0);
  let value = name;
  while (reader.next()) {
    if (reader.is(nameField, Wire.bytes)) name = readBytes(reader);
    else if (reader.is(valueField, Wire.bytes)) value = readBytes(reader);
    else reader.skip();
  }
  return { name, value };
}

function readBytes(reader: WireReader): Uint8Array<ArrayBuffer> {
  const end = reader.enter();
  const bytes = Uint8Array.prototype.slice.call(reader.bytes, reader.at, end);
  reader.at = end;
  return bytes;
}
