import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipherName = 'aes-256-gcm';
const version = 1;
const nonceBytes = 12;
const tagBytes = 16;
const issueTimeBytes = 8;
const lengthBytes = 2;
const minSecretBytes = 16;

/** Content of a login code. `issued` is Unix time in milliseconds. */
interface LoginCodeContent {
  readonly user: string;
  readonly password: string;
  readonly issued: number;
}

/** Seals and opens the code that the login route hands out. */
export interface LoginCodes {
  /** A code without blanks; two codes for the same user differ. */
  seal(user: string, password: string): string;
  /** Content of a code, or undefined for one that was altered, sealed under another secret, or is too old. */
  open(code: string): LoginCodeContent | undefined;
}

/** How authorization codes are sealed, and how long they are good. */
interface LoginCodeOptions {
  /** Secret of the installation, at least 16 random bytes. A new secret makes all codes void. */
  readonly secret: Uint8Array;
  /** Age after which a code is refused; left out, a code is good as long as the password in it. */
  readonly maxAgeMs?: number;
  readonly now?: () => number;
}

/**
 * Login codes as sealed records: version, random nonce, AES-256-GCM over issue time, user and password, tag; in
 * base64url. Clients treat a code as opaque, so the format may change with the version byte.
 * Throws when the secret is too short.
 */
export function createLoginCodes(options: LoginCodeOptions): LoginCodes {
  if (options.secret.length < minSecretBytes)
    throw new Error(`The login secret needs ${minSecretBytes} bytes or more.`);
  const key = Buffer.from(hkdfSync('sha256', options.secret, '', 'login code', 32));
  const now = options.now ?? Date.now;
  const maxAgeMs = options.maxAgeMs ?? Number.POSITIVE_INFINITY;
  return {
    seal: (user, password) => seal(key, packContent({ user, password, issued: now() })),
    open: (code) => {
      const content = unseal(key, code);
      return content !== undefined && now() - content.issued <= maxAgeMs ? content : undefined;
    },
  };
}

function seal(key: Buffer, content: Buffer): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, key, nonce).setAAD(Buffer.of(version));
  const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, sealed, cipher.getAuthTag()]).toString('base64url');
}

function unseal(key: Buffer, code: string): LoginCodeContent | undefined {
  const bytes = Buffer.from(code, 'base64url');
  // The decoder forgives strange characters and stray bits; one record must have one text only.
  if (bytes.toString('base64url') !== code) return undefined;
  if (bytes.length < 1 + nonceBytes + tagBytes || bytes[0] !== version) return undefined;
  const nonce = bytes.subarray(1, 1 + nonceBytes);
  const decipher = createDecipheriv(cipherName, key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.of(version)).setAuthTag(bytes.subarray(bytes.length - tagBytes));
  try {
    const opened = decipher.update(bytes.subarray(1 + nonceBytes, bytes.length - tagBytes));
    return unpackContent(Buffer.concat([opened, decipher.final()]));
  } catch {
    // The tag does not fit: forged, cut, or from another installation.
    return undefined;
  }
}

function packContent(content: LoginCodeContent): Buffer {
  const user = Buffer.from(content.user);
  const head = Buffer.alloc(issueTimeBytes + lengthBytes);
  head.writeDoubleBE(content.issued, 0);
  head.writeUInt16BE(user.length, issueTimeBytes);
  return Buffer.concat([head, user, Buffer.from(content.password)]);
}

function unpackContent(bytes: Buffer): LoginCodeContent {
  const userStart = issueTimeBytes + lengthBytes;
  const userEnd = userStart + bytes.readUInt16BE(issueTimeBytes);
  return {
    issued: bytes.readDoubleBE(0),
    user: bytes.toString('utf8', userStart, userEnd),
    password: bytes.toString('utf8', userEnd),
  };
}
