import { hash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import type { Credentials, Identity } from '../model/exchange.js';
import { Codes, type Fault, fault } from '../model/fault.js';
import type { Catalogue } from './catalogue/catalogue.js';
import type { UserDef } from './catalogue/state.js';

/** Cost of a password hash: about 50 ms and 16 MiB, as OWASP advises for scrypt at least. */
const cost: ScryptOptions = { N: 16384, r: 8, p: 1 };
const hashBytes = 32;
/** How long a verified password is remembered, so that hashing does not cap the request rate. */
const rememberMs = 60_000;
/** Verified passwords remembered at once. */
const maxRemembered = 1000;

/** The user that exists from the beginning, and the password that clients of this protocol family send for it. */
export const firstUser = { name: 'root', password: 'taosdata' } as const;

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

/** A salted hash of a password, as text for the catalogue. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt);
  return `scrypt:${salt.toString('base64')}:${key.toString('base64')}`;
}

/** True when the password is the one behind a hash made by {@link hashPassword}. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, salt = '', key = ''] = stored.split(':');
  const expected = Buffer.from(key, 'base64');
  const found = await derive(password, Buffer.from(salt, 'base64'));
  return expected.length === found.length && timingSafeEqual(found, expected);
}

interface Remembered {
  readonly digest: Buffer;
  /** Revision of the user's definition that was verified against: a changed password counts at once. */
  readonly revision: number;
  readonly until: number;
}

/** Tells who is behind credentials. Passwords are checked once and remembered for a minute by a keyed digest. */
export class CredentialCheck {
  readonly #catalogue: Catalogue;
  readonly #key = randomBytes(32).toString('hex');
  readonly #remembered = new Map<string, Remembered>();
  readonly #pending = new Map<string, Promise<boolean>>();
  #unknownHash: Promise<string> | undefined;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Creates the first user where the catalogue has none. Reads the catalogue, so it fails when the engine is down. */
  async prepare(): Promise<void> {
    await this.#catalogue.sync();
    if (this.#catalogue.users().length > 0) return;
    const passwordHash = await hashPassword(firstUser.password);
    // Another process may have been faster; its user stands.
    await this.#catalogue.submit([{ op: 'create-user', name: firstUser.name, passwordHash }]);
  }

  /** The identity, or a fault of kind `auth`, or `network` when the catalogue cannot be read. */
  async authenticate(credentials: Credentials): Promise<Identity | Fault> {
    if (credentials.scheme === 'token') return refused();
    const { user, password } = credentials;
    if (this.#catalogue.users().length === 0) {
      try {
        await this.prepare();
      } catch (error) {
        return unavailable(error);
      }
    }
    const digest = hash('sha256', `${this.#key}\0${user}\0${password}`, 'buffer');
    const revision = this.#catalogue.user(user)?.revision ?? -1;
    const known = this.#remembered.get(user);
    if (known !== undefined && known.revision === revision && known.until > Date.now()) {
      if (timingSafeEqual(known.digest, digest)) return { user };
    }
    try {
      return (await this.#verifyOnce(user, password, digest)) ? { user } : refused();
    } catch (error) {
      return unavailable(error);
    }
  }

  /** Requests that arrive together with the same credentials share one hash. */
  #verifyOnce(user: string, password: string, digest: Buffer): Promise<boolean> {
    const key = digest.toString('base64');
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      pending = this.#verify(user, password, digest).finally(() => this.#pending.delete(key));
      this.#pending.set(key, pending);
    }
    return pending;
  }

  /** Nobody is refused before the catalogue was read: another process may have made the user or changed the password. */
  async #verify(user: string, password: string, digest: Buffer): Promise<boolean> {
    const before = this.#catalogue.user(user);
    if (before !== undefined && (await this.#isRight(before, password, digest))) return true;
    await this.#catalogue.sync();
    const now = this.#catalogue.user(user);
    if (before !== undefined && now?.revision === before.revision) return false;
    return this.#isRight(now, password, digest);
  }

  async #isRight(user: UserDef | undefined, password: string, digest: Buffer): Promise<boolean> {
    // An unknown user costs as much time as a wrong password, so that names cannot be probed.
    this.#unknownHash ??= hashPassword(randomBytes(16).toString('hex'));
    const right = await verifyPassword(password, user?.passwordHash ?? (await this.#unknownHash));
    if (!right || user === undefined) return false;
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(user.name, { digest, revision: user.revision, until: Date.now() + rememberMs });
    return true;
  }
}

function unavailable(cause: unknown): Fault {
  return fault('network', Codes.networkUnavailable, 'Unable to establish connection', cause);
}

function refused(): Fault {
  return fault('auth', Codes.authenticationFailure, 'Authentication failure');
}
