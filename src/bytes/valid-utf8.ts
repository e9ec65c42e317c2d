import { isUtf8 } from 'node:buffer';

const nothing = new Uint8Array(0);
/** A character has no more bytes than this behind its first. */
const mostFollowing = 3;

/**
 * Makes UTF-8 of bytes that come in pieces, cut anywhere: bytes that are not UTF-8 become U+FFFD, all others pass
 * unchanged.
 */
export class Utf8Mender {
  #rest: Uint8Array = nothing;

  /** The next bytes, without the start of a character whose end is still to come. */
  piece(bytes: Uint8Array): Uint8Array {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = nothing;
    if (isUtf8(all)) return all;
    const end = lastWhole(all);
    this.#rest = all.slice(end);
    return mended(all.subarray(0, end));
  }

  /** The bytes of a character that did not end. */
  end(): Uint8Array {
    const rest = this.#rest;
    this.#rest = nothing;
    return mended(rest);
  }
}

function mended(bytes: Uint8Array): Uint8Array {
  return isUtf8(bytes) ? bytes : Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
}

/** Where the last character begins that may continue behind the end, or the end. */
function lastWhole(bytes: Uint8Array): number {
  const start = Math.max(0, bytes.length - mostFollowing);
  for (let at = bytes.length - 1; at >= start; at--) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0xc0) return at + (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > bytes.length ? at : bytes.length;
    if (byte < 0x80) break;
  }
  return bytes.length;
}
