import { isUtf8 } from 'node:buffer';
import { createDecipheriv } from 'node:crypto';

/**
 * The cipher and the key are public: all clients of the original service have them, so such a code hides no more than
 * Base64 does.
 */
const cipherName = 'des-ede3-ecb';
const key = Buffer.from('40b67a305673fd44'.repeat(3), 'hex');
/** Bytes of the user and of the password, each filled up with zeros. */
const partBytes = 24;

/**
 * Opens a code of the `Taosd` scheme that clients make themselves: user and password of 24 bytes each, encrypted under
 * a key that all of them share, in Base64. Undefined for anything else.
 */
export function openClientCode(code: string): { readonly user: string; readonly password: string } | undefined {
  const bytes = Buffer.from(code, 'base64');
  if (bytes.length !== 2 * partBytes || bytes.toString('base64') !== code) return undefined;
  const cipher = createDecipheriv(cipherName, key, null).setAutoPadding(false);
  const parts = Buffer.concat([cipher.update(bytes), cipher.final()]);
  const user = readPart(parts.subarray(0, partBytes));
  const password = readPart(parts.subarray(partBytes));
  return user === undefined || password === undefined ? undefined : { user, password };
}

/** The text in front of the zeros; undefined where something follows them, nothing precedes them, or it is not UTF-8. */
function readPart(bytes: Buffer): string | undefined {
  const zero = bytes.indexOf(0);
  const end = zero < 0 ? bytes.length : zero;
  if (end === 0 || bytes.subarray(end).some((byte) => byte !== 0) || !isUtf8(bytes)) return undefined;
  return bytes.toString('utf8', 0, end);
}
