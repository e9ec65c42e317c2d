/** One of the connections for results, held from the question on until the engine is done with its answer. */
export interface ResultPlace {
  /**
   * Says how the holder is found out and got rid of: `stalledMs`, how long the reader has taken nothing of an answer that waits
   * for it, and `cut`, which ends the answer.
   */
  watch(reader: StallingReader): void;
  /** Gives the place back; safe twice. */
  release(): void;
}

/** A reader of a result, as far as its speed goes. */
export interface StallingReader {
  /** 0 while the reader is not what is waited for. */
  stalledMs(): number;
  cut(): void;
}

interface Holder extends ResultPlace {
  readonly owner: string | undefined;
  reader: StallingReader | undefined;
}

interface Waiter {
  readonly owner: string | undefined;
  readonly take: (place: ResultPlace) => void;
}

/** A reader that takes nothing for this long loses its place when another reader waits for one. */
const patienceMs = 5_000;
const lookMs = 500;

/**
 * Shares the connections for results among their readers: an owner never has the last one, who has fewest comes first, and readers
 * that do not read are cut while others wait.
 */
export class ResultPlaces {
  readonly #count: number;
  readonly #patienceMs: number;
  readonly #holders = new Set<Holder>();
  readonly #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(count: number, patience = patienceMs) {
    this.#count = count;
    this.#patienceMs = patience;
  }

  /** Waits for a place; rejects with the signal's reason when it fires first. Without an owner there is no share to keep to. */
  take(owner: string | undefined, signal: AbortSignal | undefined): Promise<ResultPlace> {
    if (this.isFree(owner)) return Promise.resolve(this.#hold(owner));
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        owner,
        take: (place) => {
          signal?.removeEventListener('abort', leave);
          resolve(place);
        },
      };
      const leave = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal?.reason);
      };
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
      this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    });
  }

  /** True when a place can be had at once. */
  isFree(owner: string | undefined): boolean {
    if (this.#holders.size >= this.#count) return false;
    return owner === undefined || this.#count === 1 || this.#held(owner) < this.#count - 1;
  }

  #held(owner: string | undefined): number {
    let held = 0;
    for (const holder of this.#holders) if (holder.owner === owner) held++;
    return held;
  }

  #hold(owner: string | undefined): ResultPlace {
    const holder: Holder = {
      owner,
      reader: undefined,
      watch: (reader) => {
        holder.reader = reader;
      },
      release: () => {
        if (this.#holders.delete(holder)) this.#admit();
      },
    };
    this.#holders.add(holder);
    return holder;
  }

  #admit(): void {
    let next: Waiter | undefined;
    for (const waiter of this.#waiters) {
      if (!this.isFree(waiter.owner)) continue;
      if (next === undefined || this.#held(waiter.owner) < this.#held(next.owner)) next = waiter;
    }
    if (next === undefined) return;
    this.#waiters.splice(this.#waiters.indexOf(next), 1);
    next.take(this.#hold(next.owner));
  }

  /** Cuts the reader that has stalled longest, as long as another one waits. */
  #look(): void {
    if (this.#waiters.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    let longest: StallingReader | undefined;
    for (const { reader } of this.#holders) {
      if (reader === undefined || reader.stalledMs() < this.#patienceMs) continue;
      if (longest === undefined || reader.stalledMs() > longest.stalledMs()) longest = reader;
    }
    longest?.cut();
  }
}
