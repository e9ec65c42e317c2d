import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Codes, FaultError, fault } from '../model/fault.js';

/** Cost of a password hash: about 50 ms and 16 MiB, as OWASP advises for scrypt at least. */
const cost: ScryptOptions = { N: 16384, r: 8, p: 1 };
const hashBytes = 32;

/**
 * Hashes that run at once: half the processors, so that a flood of wrong passwords leaves the other half to work. They
 * run in the thread pool, never on the event loop.
 */
const maxRunning = Math.max(1, Math.floor(availableParallelism() / 2));
/** Hashes that wait, in all and for one user name; whoever comes then is told to come again. */
const maxWaiting = 64;
const maxWaitingOfOne = 8;

/** A turn-taking queue: `who` may have a few hashes waiting, all together some more. */
class Turns {
  readonly #waiting: { readonly who: string; readonly go: () => void }[] = [];
  #running = 0;

  async run<T>(who: string, work: () => Promise<T>): Promise<T> {
    if (this.#running >= maxRunning) await this.#wait(who);
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next.go();
    }
  }

  #wait(who: string): Promise<void> {
    const own = this.#waiting.filter((waiting) => waiting.who === who).length;
    if (this.#waiting.length >= maxWaiting || own >= maxWaitingOfOne) {
      throw new FaultError(
        fault('resource', Codes.free, 'Too many passwords to check at once, please try again later'),
      );
    }
    return new Promise((resolve) => this.#waiting.push({ who, go: resolve }));
  }
}

const turns = new Turns();

function derive(who: string, password: string, salt: Buffer): Promise<Buffer> {
  return turns.run(
    who,
    () =>
      new Promise((resolve, reject) => {
        scrypt(password, salt, hashBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
      }),
  );
}

/** A salted hash of a password, as text for the catalogue. Throws a fault of kind `resource` when too many wait. */
export async function hashPassword(password: string, who = ''): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(who, password, salt);
  return `scrypt:${salt.toString('base64')}:${key.toString('base64')}`;
}

/**
 * True when the password is the one behind a hash made by {@link hashPassword}. Throws a fault of kind `resource` when too
 * many wait, of which `who` may have a few.
 */
export async function verifyPassword(password: string, stored: string, who: string): Promise<boolean> {
  const [, salt = '', key = ''] = stored.split(':');
  const expected = Buffer.from(key, 'base64');
  const found = await derive(who, password, Buffer.from(salt, 'base64'));
  return expected.length === found.length && timingSafeEqual(found, expected);
}
