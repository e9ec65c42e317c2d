import { Codes, type Fault, FaultError, fault } from '../model/fault.js';

/** Bounds of the bodies that are held at once. */
interface BodyBudgetOptions {
  /** Bytes of all bodies together. */
  readonly limitBytes: number;
  /** Bodies that wait for room; further ones are refused. */
  readonly maxWaiting: number;
  /** How long one waits before it is refused. */
  readonly waitMs: number;
  /** How often the pace of bodies is checked while others wait; 5 s when left out. */
  readonly paceMs?: number;
}

/** Bodies up to this length, in bytes, find room where long ones of the same user do not. */
const shortBytes = 1024 * 1024;
/**
 * The part of what others leave that one user's long bodies may fill, and all bodies of that user; and the part of the
 * places to wait.
 */
const longShare = 1 / 2;
const wholeShare = 3 / 4;
/**
 * A body that comes slower than this, in bytes per second, is given up once others have waited for two looks at its
 * pace.
 */
const slowBytesPerSecond = 16 * 1024;
const looksUntilSlow = 2;
const defaultPaceMs = 5_000;

const full = fault('resource', Codes.free, 'too many request bodies are being received (limits.bodyBytes)');
const tooSlow = fault('resource', Codes.free, 'the body came too slowly while others waited for room');

/** A body that waits for room. */
interface WaitingBody {
  readonly lease: BodyLease;
  readonly bytes: number;
  /** Takes the memory and continues. */
  readonly go: () => void;
}

/**
 * Memory budget for the request bodies of all inputs, in bytes that are requested before memory is taken. A user gets
 * at most a part of what all others leave, so no user can take all; a longer body passes when no other is held. A body
 * that finds no memory waits in round robin with the other bodies of the same user that are as long. While bodies wait,
 * those that come too slowly are given up.
 */
export class BodyBudget {
  readonly #options: BodyBudgetOptions;
  readonly #ofUser = new Map<string, number>();
  /** Bodies that are not all here yet. */
  readonly #coming = new Set<BodyLease>();
  /** By {@link turnOf}. */
  readonly #turns = new Map<string, Set<WaitingBody>>();
  #waiting = 0;
  readonly #waitingOf = new Map<string, number>();
  #bytes = 0;
  #pace: NodeJS.Timeout | undefined;

  constructor(options: BodyBudgetOptions) {
    this.#options = options;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bodies that wait for room. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Room for a body of a user. Rejects with a FaultError of kind `resource` when there is none for as long as a body
   * may wait, and with the reason of `aborted` once that fires.
   */
  async lease(user: string, bytes: number, aborted: AbortSignal): Promise<BodyLease> {
    const lease = new BodyLease(this, user);
    await this.more(lease, bytes, aborted);
    return lease;
  }

  /** Room for further bytes of a body; see {@link lease}. The body keeps what it holds, whatever becomes of this. */
  async more(lease: BodyLease, bytes: number, aborted: AbortSignal): Promise<void> {
    aborted.throwIfAborted();
    const turn = turnOf(lease, bytes);
    if (!this.#turns.has(turn) && this.#fits(lease, bytes)) this.#take(lease, bytes);
    else await this.#wait(turn, lease, bytes, aborted);
  }

  /** Takes bytes back; see {@link BodyLease.release}. */
  give(lease: BodyLease, bytes: number): void {
    this.#bytes -= bytes;
    addTo(this.#ofUser, lease.user, -bytes);
    for (const turn of [...this.#turns.values()]) {
      for (const body of turn) {
        if (!this.#fits(body.lease, body.bytes)) break;
        body.go();
      }
    }
  }

  /** The body is all here: its pace counts no longer. */
  ended(lease: BodyLease): void {
    this.#coming.delete(lease);
  }

  #take(lease: BodyLease, bytes: number): void {
    lease.bytes += bytes;
    this.#bytes += bytes;
    addTo(this.#ofUser, lease.user, bytes);
    this.#coming.add(lease);
  }

  #fits({ user, bytes: held }: BodyLease, bytes: number): boolean {
    if (this.#bytes === held) return true;
    const ofUser = this.#ofUser.get(user) ?? 0;
    const left = this.#options.limitBytes - (this.#bytes - ofUser);
    return ofUser + bytes <= left * (held > 0 || bytes <= shortBytes ? wholeShare : longShare);
  }

  #wait(turn: string, lease: BodyLease, bytes: number, aborted: AbortSignal): Promise<void> {
    const { maxWaiting, waitMs, paceMs = defaultPaceMs } = this.#options;
    const { user } = lease;
    const ofUser = this.#waitingOf.get(user) ?? 0;
    const left = maxWaiting - (this.#waiting - ofUser);
    if (ofUser >= Math.ceil(left * wholeShare)) throw new FaultError(full);
    const waiters = this.#turns.get(turn) ?? new Set();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        aborted.removeEventListener('abort', abandon);
        waiters.delete(body);
        if (waiters.size === 0) this.#turns.delete(turn);
        this.#waiting--;
        addTo(this.#waitingOf, user, -1);
        if (this.#waiting === 0) this.#stopLooking();
      };
      const go = (): void => {
        leave();
        this.#take(lease, bytes);
        resolve();
      };
      const abandon = (): void => {
        leave();
        reject(aborted.reason);
      };
      const refuse = (): void => {
        leave();
        reject(new FaultError(full));
      };
      const body: WaitingBody = { lease, bytes, go };
      const timer = setTimeout(refuse, waitMs);
      aborted.addEventListener('abort', abandon, { once: true });
      waiters.add(body);
      this.#turns.set(turn, waiters);
      this.#waiting++;
      addTo(this.#waitingOf, user, 1);
      this.#pace ??= setInterval(() => this.#giveUpSlow(paceMs), paceMs).unref();
    });
  }

  #giveUpSlow(paceMs: number): void {
    const least = (paceMs / 1_000) * slowBytesPerSecond;
    for (const lease of this.#coming) if (lease.isSlow(least)) lease.giveUp?.(tooSlow);
  }

  #stopLooking(): void {
    clearInterval(this.#pace);
    this.#pace = undefined;
    for (const lease of this.#coming) lease.slowLooks = 0;
  }
}

/** Changes a user's count, which is kept while it is above zero. */
function addTo(counts: Map<string, number>, user: string, change: number): void {
  const count = (counts.get(user) ?? 0) + change;
  if (count > 0) counts.set(user, count);
  else counts.delete(user);
}

/**
 * Bodies wait for each other in one turn: long and short ones of a user apart, and those that hold something already.
 */
function turnOf({ user, bytes: held }: BodyLease, bytes: number): string {
  const kind = held > 0 ? 'more' : bytes <= shortBytes ? 'short' : 'long';
  return `${kind} ${user}`;
}

/** The room of one body. */
export class BodyLease {
  readonly user: string;
  /** Bytes of the budget that the body holds. */
  bytes = 0;
  /** Bytes of the body that have come; kept by its reader. */
  received = 0;
  /** Looks in a row at which the body came too slowly. */
  slowLooks = 0;
  /** Set by the reader: ends the reading for a reason. */
  giveUp: ((reason: Fault) => void) | undefined;
  /** Set by the reader: bytes that have come and were not read yet, for then it is the service that is slow. */
  unread: (() => number) | undefined;
  readonly #budget: BodyBudget;
  #receivedThen = 0;

  constructor(budget: BodyBudget, user: string) {
    this.#budget = budget;
    this.user = user;
  }

  /** See {@link BodyBudget.more}. */
  more(bytes: number, aborted: AbortSignal): Promise<void> {
    return this.#budget.more(this, bytes, aborted);
  }

  /** True when the body came with fewer bytes than `least` since each of the last looks. */
  isSlow(least: number): boolean {
    const came = this.received - this.#receivedThen;
    this.#receivedThen = this.received;
    this.slowLooks = came < least && (this.unread?.() ?? 0) === 0 ? this.slowLooks + 1 : 0;
    return this.slowLooks >= looksUntilSlow;
  }

  /** The body is all here. */
  ended(): void {
    this.#budget.ended(this);
  }

  /** Gives back what is beyond so many bytes. */
  shrink(bytes: number): void {
    const rest = this.bytes - bytes;
    if (rest <= 0) return;
    this.bytes = bytes;
    this.#budget.give(this, rest);
  }

  /** Gives the room back, once nothing holds the body any more; safe twice. */
  release(): void {
    this.#budget.ended(this);
    const { bytes } = this;
    if (bytes === 0) return;
    this.bytes = 0;
    this.#budget.give(this, bytes);
  }
}
