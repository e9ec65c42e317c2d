const newline = 0x0a;

/** The text with a line break at its end, so that every scan that minds line breaks stops by itself. Copies only to add one. */
export function terminated(bytes: Uint8Array): Uint8Array {
  if (bytes.length > 0 && bytes[bytes.length - 1] === newline) return bytes;
  const copy = new Uint8Array(bytes.length + 1);
  copy.set(bytes);
  copy[bytes.length] = newline;
  return copy;
}
