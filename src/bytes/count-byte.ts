/** A loop over megabytes that runs once is never compiled, a function that is called for each piece of them is. */
const pieceBytes = 16 * 1024;
/** A search for the next place takes as long as looking at so many bytes. */
const bytesPerSearch = 16;

/** How often a byte stands in bytes. */
export function countByte(bytes: Uint8Array, byte: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const mostSearches = bytes.length / bytesPerSearch;
  let count = 0;
  for (let at = text.indexOf(byte); at >= 0; at = text.indexOf(byte, at + 1)) {
    count++;
    if (count > mostSearches) return countDense(bytes, byte);
  }
  return count;
}

/** The same where the byte stands so often that looking at each is faster. */
function countDense(bytes: Uint8Array, byte: number): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    count += countInPiece(bytes, byte, at, Math.min(bytes.length, at + pieceBytes));
  }
  return count;
}

function countInPiece(bytes: Uint8Array, byte: number, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (bytes[at] === byte) count++;
  return count;
}
