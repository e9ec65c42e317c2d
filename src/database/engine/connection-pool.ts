/** A connection for results, leased from the query until the engine has sent the whole response. */
export interface ConnectionLease {
  /**
   * Sets the reader of the response: `stalledMs` is the time since it last read while data wait, `cancel` ends the
   * response.
   */
  watch(reader: StallingReader): void;
  /** Returns the connection to the pool; safe twice. */
  release(): void;
}

/** A reader of a result that may stall. */
export interface StallingReader {
  /** 0 while no data wait for the reader. */
  stalledMs(): number;
  cancel(): void;
}

/** What wants a connection. */
interface Claim {
  /** User among whom connections are shared; without one no share applies. */
  readonly owner?: string | undefined;
  /** It ends soon, so it may use the connections that are kept for such. */
  readonly isShort?: boolean | undefined;
}

interface Lease extends ConnectionLease, Claim {
  reader: StallingReader | undefined;
}

interface WaitingRequest extends Claim {
  readonly grant: (lease: ConnectionLease) => void;
}

/** A reader that reads nothing for this long loses its connection when another request waits for one. */
const stallTimeoutMs = 5_000;
const checkIntervalMs = 500;

/**
 * Shares connections fairly among owners: an owner never gets the last one, the waiting owner with the fewest
 * connections comes first, and stalled readers are cancelled while others wait. Some connections are for short claims.
 */
export class ConnectionPool {
  readonly #count: number;
  readonly #shortCount: number;
  readonly #stallTimeoutMs: number;
  readonly #leases = new Set<Lease>();
  readonly #waiting: WaitingRequest[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** A pool of `count` connections for any claims, and `shortCount` for short ones. */
  constructor(count: number, shortCount = 0, stallTimeout = stallTimeoutMs) {
    this.#count = count;
    this.#shortCount = shortCount;
    this.#stallTimeoutMs = stallTimeout;
  }

  /** Waits for a connection; rejects with the signal's reason when it fires first. */
  take(claim: Claim, signal?: AbortSignal | undefined): Promise<ConnectionLease> {
    if (this.isFree(claim)) return Promise.resolve(this.#lease(claim));
    return new Promise((resolve, reject) => {
      const request: WaitingRequest = {
        ...claim,
        grant: (lease) => {
          signal?.removeEventListener('abort', leave);
          resolve(lease);
        },
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(request), 1);
        reject(signal?.reason);
      };
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(request);
      this.#timer ??= setInterval(() => this.#cancelStalled(), checkIntervalMs).unref();
    });
  }

  /** True when a connection is free for this claim. */
  isFree({ owner, isShort = false }: Claim): boolean {
    const shared = [...this.#leases].filter((lease) => lease.isShort !== true).length;
    if (isShort) return this.#leases.size < this.#count + this.#shortCount;
    if (shared >= this.#count || this.#leases.size >= this.#count + this.#shortCount) return false;
    return owner === undefined || this.#count === 1 || this.#leaseCount(owner) < this.#count - 1;
  }

  /** Connections of an owner, without those of short claims. */
  #leaseCount(owner: string | undefined): number {
    let count = 0;
    for (const holder of this.#leases) if (holder.owner === owner && holder.isShort !== true) count++;
    return count;
  }

  #lease(claim: Claim): ConnectionLease {
    const lease: Lease = {
      ...claim,
      reader: undefined,
      watch: (reader) => {
        lease.reader = reader;
      },
      release: () => {
        if (this.#leases.delete(lease)) this.#admit();
      },
    };
    this.#leases.add(lease);
    return lease;
  }

  #admit(): void {
    let next: WaitingRequest | undefined;
    for (const request of this.#waiting) {
      if (!this.isFree(request)) continue;
      if (next === undefined || this.#leaseCount(request.owner) < this.#leaseCount(next.owner)) next = request;
    }
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.grant(this.#lease(next));
  }

  /** Cancels the reader that has stalled longest, while another request waits. */
  #cancelStalled(): void {
    if (this.#waiting.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    let longest: StallingReader | undefined;
    for (const { reader } of this.#leases) {
      if (reader === undefined || reader.stalledMs() < this.#stallTimeoutMs) continue;
      if (longest === undefined || reader.stalledMs() > longest.stalledMs()) longest = reader;
    }
    longest?.cancel();
  }
}
