/** A field of a protobuf message that holds bytes: its number, their length, and they themselves. The number is below 16. */
export function field(number: number, ...parts: Uint8Array[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  const head = [number * 8 + 2];
  for (let rest = length; ; rest >>>= 7) {
    head.push(rest >= 0x80 ? (rest & 0x7f) | 0x80 : rest);
    if (rest < 0x80) return Buffer.concat([Buffer.from(head), ...parts]);
  }
}

/** A field that holds text. */
export function text(number: number, value: string): Buffer {
  return field(number, Buffer.from(value));
}

/** A field that holds a number of eight bytes. */
export function fixed64(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9, number * 8 + 1);
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}

/** A field that holds a double. */
export function double(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(9, number * 8 + 1);
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

/** A field that holds a whole number in as few bytes as it needs. */
export function varint(number: number, value: number): Buffer {
  const bytes = [number * 8];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}
