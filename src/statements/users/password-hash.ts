import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Codes, FaultError, fault } from '../../model/fault.js';

/** Cost of a password hash: about 50 ms and 16 MiB, as OWASP advises for scrypt at least. */
const cost: ScryptOptions = { N: 16384, r: 8, p: 1 };
const hashBytes = 32;

/**
 * Hashes that run at once: half the processors, so that a flood of wrong passwords leaves the other half to work. They
 * run in the thread pool, never on the event loop.
 */
const maxRunning = Math.max(1, Math.floor(availableParallelism() / 2));
/**
 * Hashes that wait: in all, from one address, and from there for one user name; further callers get an error and may
 * retry.
 */
const maxWaiting = 256;
const maxWaitingOfAddress = 128;
const maxWaitingOfName = 8;

/** The client of a hash: address and user name. */
interface HashClient {
  readonly from: string;
  readonly name: string;
}

interface WaitingHash {
  readonly who: HashClient;
  readonly go: () => void;
}

const theService: HashClient = { from: '', name: '' };

/** A turn-taking queue: each address may have some hashes waiting, and who was served longest ago is next. */
class HashQueue {
  readonly #waiting: WaitingHash[] = [];
  readonly #served = new Map<string, number>();
  #turn = 0;
  #running = 0;

  async run<T>(who: HashClient, work: () => Promise<T>): Promise<T> {
    if (this.#running >= maxRunning) await this.#wait(who);
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next === undefined) this.#running--;
      else next.go();
    }
  }

  #next(): WaitingHash | undefined {
    const servedAt = ({ who }: WaitingHash): number => this.#served.get(who.from) ?? 0;
    let [first] = this.#waiting;
    if (first === undefined) {
      this.#served.clear();
      return undefined;
    }
    for (const waiter of this.#waiting) if (servedAt(waiter) < servedAt(first)) first = waiter;
    this.#waiting.splice(this.#waiting.indexOf(first), 1);
    this.#served.set(first.who.from, ++this.#turn);
    return first;
  }

  #wait(who: HashClient): Promise<void> {
    const ofAddress = this.#waiting.filter((waiter) => waiter.who.from === who.from);
    const ofName = ofAddress.filter((waiter) => waiter.who.name === who.name);
    const isFull = this.#waiting.length >= maxWaiting || ofAddress.length >= maxWaitingOfAddress;
    if (isFull || ofName.length >= maxWaitingOfName) {
      throw new FaultError(
        fault('resource', Codes.free, 'Too many passwords to check at once, please try again later'),
      );
    }
    return new Promise((resolve) => this.#waiting.push({ who, go: resolve }));
  }
}

const turns = new HashQueue();

function derive(who: HashClient, password: string, salt: Buffer): Promise<Buffer> {
  return turns.run(
    who,
    () =>
      new Promise((resolve, reject) => {
        scrypt(password, salt, hashBytes, cost, (error, key) => (error === null ? resolve(key) : reject(error)));
      }),
  );
}

/** A salted hash of a password, as text for the catalogue. Throws a fault of kind `resource` when too many wait. */
export async function hashPassword(password: string, name = ''): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive({ ...theService, name }, password, salt);
  return `scrypt:${salt.toString('base64')}:${key.toString('base64')}`;
}

/**
 * True when the password is the one behind a hash made by {@link hashPassword}. Throws a fault of kind `resource` when
 * too many wait, of which `who` may have a few.
 */
export async function verifyPassword(password: string, stored: string, who: HashClient): Promise<boolean> {
  const [, salt = '', key = ''] = stored.split(':');
  const expected = Buffer.from(key, 'base64');
  const derived = await derive(who, password, Buffer.from(salt, 'base64'));
  return expected.length === derived.length && timingSafeEqual(derived, expected);
}
