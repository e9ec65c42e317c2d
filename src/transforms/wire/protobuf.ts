import { two32 } from '../../bytes/words.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { countCharacters } from './utf8.js';

/** Wire types of Protocol Buffers; groups (3 and 4) are obsolete and refused. */
export const Wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A body that is not a message: kind `parameter`. `at` counts bytes of the inflated body from 0. */
export function malformedMessage(at: number, reason: string): FaultError {
  const text = `the body is not a valid protobuf message: ${reason} at byte ${at}`;
  return new FaultError(fault('parameter', Codes.schemalessData, text));
}

/**
 * Reads the fields of a Protocol Buffers message one by one and in place, without an object for any of them. Messages
 * within messages are read by setting `end` to the end of the inner one ({@link WireReader.enter}) and back again.
 * Never reads past `end`; what is malformed throws a FaultError of kind `parameter`.
 */
export class WireReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at = 0;
  end: number;
  /** Number and wire type of the current field. */
  field = 0;
  wire = 0;
  /** The last varint as two words, both without a sign. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.length;
  }

  /** Reads the key of the next field; false at the end of the message. The value must be read or skipped next. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const start = this.at;
    const byte = this.bytes[start]!;
    if (byte < 0x80) {
      this.at++;
      this.field = byte >>> 3;
      this.wire = byte & 7;
    } else {
      this.varint();
      if (this.high !== 0) throw malformedMessage(start, 'a field number is out of range');
      this.field = this.low >>> 3;
      this.wire = this.low & 7;
    }
    if (this.field === 0) throw malformedMessage(start, 'a field has the number 0');
    return true;
  }

  /** True when the current field is the requested one; another wire type under its number is malformed. */
  is(field: number, wire: number): boolean {
    if (this.field !== field) return false;
    if (this.wire === wire) return true;
    throw malformedMessage(this.at, `field ${field} has wire type ${this.wire} instead of ${wire}`);
  }

  /** Reads a varint into `low` and `high`. */
  varint(): void {
    const { bytes, end } = this;
    const start = this.at;
    let at = start;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (at >= end) throw malformedMessage(start, 'a number is cut off');
      const byte = bytes[at++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.at = at;
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw malformedMessage(start, 'a number has more than ten bytes');
  }

  /** Reads the length of a bytes field and returns where the field ends, which is within the message. */
  enter(): number {
    const start = this.at;
    const byte = start < this.end ? this.bytes[start]! : 0x80;
    let length = byte;
    if (byte < 0x80) {
      this.at = start + 1;
    } else {
      this.varint();
      length = this.high === 0 ? this.low : Number.POSITIVE_INFINITY;
    }
    if (length > this.end - this.at) throw malformedMessage(start, 'a field is longer than its message');
    return this.at + length;
  }

  /** Passes a value of eight bytes and returns where it is. */
  fixed64(): number {
    this.is(this.field, Wire.fixed64);
    const { at } = this;
    this.skip();
    return at;
  }

  /** Reads a double. */
  double(): number {
    return this.view.getFloat64(this.fixed64(), true);
  }

  /** Reads a whole number of eight bytes without a sign, as near as a double is. */
  fixedUnsigned(): number {
    const at = this.fixed64();
    return this.view.getUint32(at + 4, true) * two32 + this.view.getUint32(at, true);
  }

  /** Reads a whole number of eight bytes with a sign, as near as a double is. */
  fixedSigned(): number {
    return this.signedAt(this.fixed64());
  }

  /** The whole number of eight bytes with a sign at a place, as near as a double is. */
  signedAt(at: number): number {
    return this.view.getInt32(at + 4, true) * two32 + this.view.getUint32(at, true);
  }

  /** Reads a varint without a sign, as near as a double is. */
  unsigned(): number {
    this.is(this.field, Wire.varint);
    this.varint();
    return this.high * two32 + this.low;
  }

  /** Reads a zigzag number of 32 bits. */
  zigzag(): number {
    this.is(this.field, Wire.varint);
    this.varint();
    return (this.low >>> 1) ^ -(this.low & 1);
  }

  /** Reads a varint of 64 bits with a sign. */
  int64(): bigint {
    this.varint();
    return (BigInt(this.high | 0) << 32n) | BigInt(this.low);
  }

  /** Reads the bytes of a field, in place. */
  content(): Uint8Array {
    const end = this.enter();
    const bytes = this.bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  /** Reads a text; ill-formed UTF-8 is malformed, as protobuf says. */
  text(): string {
    const start = this.at;
    const bytes = this.content();
    if (countCharacters(bytes, 0, bytes.length) < 0) throw malformedMessage(start, 'a text is not well-formed UTF-8');
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  }

  /** Skips the value of the current field. */
  skip(): void {
    const start = this.at;
    switch (this.wire) {
      case Wire.varint:
        this.varint();
        return;
      case Wire.bytes:
        this.at = this.enter();
        return;
      case Wire.fixed64:
      case Wire.fixed32:
        this.at += this.wire === Wire.fixed64 ? 8 : 4;
        if (this.at > this.end) throw malformedMessage(start, 'a number is cut off');
        return;
      default:
        throw malformedMessage(start, `wire type ${this.wire} does not exist`);
    }
  }
}
