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

interface Lease extends ConnectionLease {
  readonly owner: string | undefined;
  reader: StallingReader | undefined;
}

interface WaitingRequest {
  readonly owner: string | undefined;
  readonly grant: (lease: ConnectionLease) => void;
}

/** A reader that reads nothing for this long loses its connection when another request waits for one. */
const stallTimeoutMs = 5_000;
const checkIntervalMs = 500;

/**
 * Shares the connections for results fairly among owners: an owner never gets the last one, the waiting owner with the
 * fewest connections comes first, and stalled readers are cancelled while others wait.
 */
export class ConnectionPool {
  readonly #count: number;
  readonly #stallTimeoutMs: number;
  readonly #leases = new Set<Lease>();
  readonly #waiting: WaitingRequest[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(count: number, stallTimeout = stallTimeoutMs) {
    this.#count = count;
    this.#stallTimeoutMs = stallTimeout;
  }

  /** Waits for a connection; rejects with the signal's reason when it fires first. Without an owner no share applies. */
  take(owner: string | undefined, signal: AbortSignal | undefined): Promise<ConnectionLease> {
    if (this.isFree(owner)) return Promise.resolve(this.#lease(owner));
    return new Promise((resolve, reject) => {
      const request: WaitingRequest = {
        owner,
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

  /** True when a connection is free for this owner. */
  isFree(owner: string | undefined): boolean {
    if (this.#leases.size >= this.#count) return false;
    return owner === undefined || this.#count === 1 || this.#leaseCount(owner) < this.#count - 1;
  }

  #leaseCount(owner: string | undefined): number {
    let count = 0;
    for (const holder of this.#leases) if (holder.owner === owner) count++;
    return count;
  }

  #lease(owner: string | undefined): ConnectionLease {
    const lease: Lease = {
      owner,
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
      if (!this.isFree(request.owner)) continue;
      if (next === undefined || this.#leaseCount(request.owner) < this.#leaseCount(next.owner)) next = request;
    }
    if (next === undefined) return;
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.grant(this.#lease(next.owner));
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
