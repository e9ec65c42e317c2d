/** Bytes of the length of a message that is written before its end is known: a number in more bytes than it needs. */
const lengthBytes = 5;

/** Writes a protobuf message. */
export class MessageWriter {
  #bytes: Buffer;
  #length = 0;

  /** `bytes` is how long it will probably be. */
  constructor(bytes = 256) {
    this.#bytes = Buffer.allocUnsafe(Math.max(64, bytes));
  }

  /** Begins a message in a field; returns what {@link MessageWriter.end} needs. */
  begin(field: number): number {
    this.#key(field, 2);
    this.#reserve(lengthBytes);
    this.#length += lengthBytes;
    return this.#length;
  }

  /** Ends the message that began there. */
  end(start: number): void {
    let rest = this.#length - start;
    for (let at = start - lengthBytes; at < start - 1; at++) {
      this.#bytes[at] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[start - 1] = rest;
  }

  bytes(field: number, value: Uint8Array): void {
    this.#key(field, 2);
    this.#reserve(lengthBytes);
    this.#short(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  varint(field: number, value: bigint): void {
    this.#key(field, 0);
    this.#varint(value);
  }

  fixed64(field: number, value: bigint): void {
    this.#key(field, 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
  }

  double(field: number, value: number): void {
    this.#key(field, 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** The written bytes. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #key(field: number, wire: number): void {
    this.#reserve(lengthBytes);
    this.#short(field * 8 + wire);
  }

  /** Writes a number of up to 31 bits; the caller makes room. */
  #short(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  #varint(value: bigint): void {
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#length + more, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
