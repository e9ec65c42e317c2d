import { malformedMessage, Wire, WireReader } from './protobuf.js';

/** Texts of a version 2 message of remote write, to which its series refer by number. */
const symbolsField = 4;

/** Start and end of every symbol of a message. Its series may stand before them. */
export function findSymbols(message: Uint8Array): Int32Array {
  const reader = new WireReader(message);
  let ends = new Int32Array(256);
  let count = 0;
  while (reader.next()) {
    if (!reader.is(symbolsField, Wire.bytes)) {
      reader.skip();
      continue;
    }
    if (count === ends.length) {
      const grown = new Int32Array(count * 2);
      grown.set(ends);
      ends = grown;
    }
    const end = reader.enter();
    ends[count++] = reader.at;
    ends[count++] = end;
    reader.at = end;
  }
  return ends.subarray(0, count);
}

/** The symbol that `what` refers to by its number. Throws a FaultError when it is not there. */
export function symbolText(
  { bytes, at }: WireReader,
  symbols: Int32Array | undefined,
  number: number,
  what: string,
): string {
  const start = symbols?.[2 * number];
  if (start === undefined) throw malformedMessage(at, `${what} refers to a symbol that is not there`);
  return textOf(bytes, start, symbols![2 * number + 1]!);
}

/** Bytes as text; what is not UTF-8 in them becomes U+FFFD. */
export function textOf({ buffer, byteOffset }: Uint8Array, start: number, end: number): string {
  return Buffer.from(buffer, byteOffset + start, end - start).toString();
}
