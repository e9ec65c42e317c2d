/** How many wrong passwords may be tried: at once, and per second in the long run. */
interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  left: number;
  at: number;
}

const ofAddress: Allowance = { burst: 60, perSecond: 1 };
/** Of one address for one name. */
const ofPair: Allowance = { burst: 20, perSecond: 0.2 };
/** Of all addresses for one name, for those addresses that have been wrong before. */
const ofName: Allowance = { burst: 200, perSecond: 1 };
const maxBuckets = 10_000;

/**
 * Limits login attempts by recent wrong passwords: from one address, from one address for one name, and for one name.
 * An attempt counts as wrong until it has turned out right. An address that has used up its allowance may still try
 * names for which it was never wrong: programs behind one proxy share an address, and one with a wrong password must
 * not keep out the others.
 */
export class LoginRateLimit {
  readonly #addresses = new Buckets(ofAddress);
  readonly #pairs = new Buckets(ofPair);
  readonly #names = new Buckets(ofName);

  /** True when the address may try a password of this name now, which it then has. */
  take(address: string, name: string): boolean {
    const pair = `${address}\0${name}`;
    const hasRoom = this.#addresses.left(address) >= 1 ? this.#pairs.left(pair) >= 1 : this.#pairs.isFull(pair);
    const allowed = hasRoom && (this.#addresses.isFull(address) || this.#names.left(name) >= 1);
    if (!allowed) return false;
    this.#change(address, name, -1);
    return true;
  }

  /** Gives back an attempt that was right, or that could not be checked. */
  giveBack(address: string, name: string): void {
    this.#change(address, name, 1);
  }

  #change(address: string, name: string, by: 1 | -1): void {
    this.#addresses.change(address, by);
    this.#pairs.change(`${address}\0${name}`, by);
    this.#names.change(name, by);
  }
}

class Buckets {
  readonly #allowance: Allowance;
  readonly #buckets = new Map<string, Bucket>();

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  left(key: string): number {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? this.#allowance.burst : this.#now(bucket);
  }

  isFull(key: string): boolean {
    return this.left(key) >= this.#allowance.burst;
  }

  change(key: string, by: number): void {
    const { burst } = this.#allowance;
    const left = Math.max(-burst, Math.min(burst, this.left(key) + by));
    this.#buckets.delete(key);
    if (left >= burst) return;
    if (this.#buckets.size >= maxBuckets) this.#forget();
    this.#buckets.set(key, { left, at: performance.now() });
  }

  #now({ left, at }: Bucket): number {
    const { burst, perSecond } = this.#allowance;
    return Math.min(burst, left + ((performance.now() - at) / 1000) * perSecond);
  }

  /** Those that have recovered, or else those that changed longest ago. */
  #forget(): void {
    for (const [key] of this.#buckets) if (this.isFull(key)) this.#buckets.delete(key);
    for (const [key] of this.#buckets) {
      if (this.#buckets.size < maxBuckets * 0.9) return;
      this.#buckets.delete(key);
    }
  }
}
