import { Codes, type Fault, FaultError, fault } from '../model/fault.js';

/** How many statements run and wait at once. */
export interface SlotLimits {
  /** Statements that run at once. */
  readonly running: number;
  /** Statements of one user that run at once; 0 is no limit. */
  readonly runningOfUser: number;
  /** Statements that wait for a slot. */
  readonly waiting: number;
  /** Longest wait, in ms. */
  readonly waitMs: number;
}

/** How many statements run and wait. */
export interface SlotMetrics {
  readonly running: number;
  readonly waiting: number;
}

interface WaitingRequest {
  readonly user: string;
  readonly admit: () => void;
}

/**
 * Limits concurrent statements, in all and per user, with a FIFO queue. A user at the limit does not block the
 * statements of other users.
 */
export class StatementSlots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  readonly #queue: WaitingRequest[] = [];
  #all = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get metrics(): SlotMetrics {
    return { running: this.#all, waiting: this.#queue.length };
  }

  /**
   * Waits for a slot; the returned function gives it back and may be called twice. Rejects with a fault of kind
   * `resource` when too many wait or the wait is too long, and with the signal's reason when the client disconnects.
   */
  async take(user: string, aborted: AbortSignal): Promise<() => void> {
    if (!this.#isFree(user)) await this.#wait(user, aborted);
    else this.#count(user, 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#count(user, -1);
      this.#admitNext();
    };
  }

  #isFree(user: string): boolean {
    const { running, runningOfUser } = this.#limits;
    if (this.#all >= running) return false;
    return runningOfUser === 0 || (this.#running.get(user) ?? 0) < runningOfUser;
  }

  #count(user: string, change: 1 | -1): void {
    this.#all += change;
    const own = (this.#running.get(user) ?? 0) + change;
    if (own === 0) this.#running.delete(user);
    else this.#running.set(user, own);
  }

  #wait(user: string, aborted: AbortSignal): Promise<void> {
    // Without this check the listener below could fire before the request is in the queue.
    aborted.throwIfAborted();
    if (this.#queue.length >= this.#limits.waiting) throw new FaultError(tooMany);
    return new Promise((resolve, reject) => {
      const end = (finish: () => void): void => {
        clearTimeout(timer);
        aborted.removeEventListener('abort', cancel);
        finish();
      };
      const fail = (reason: unknown): void => {
        this.#queue.splice(this.#queue.indexOf(waitingRequest), 1);
        end(() => reject(reason));
      };
      const cancel = (): void => fail(aborted.reason);
      const waitingRequest: WaitingRequest = { user, admit: () => end(resolve) };
      const timer = setTimeout(() => fail(new FaultError(tooLong)), this.#limits.waitMs);
      aborted.addEventListener('abort', cancel, { once: true });
      this.#queue.push(waitingRequest);
    });
  }

  #admitNext(): void {
    const at = this.#queue.findIndex(({ user }) => this.#isFree(user));
    const [next] = at < 0 ? [] : this.#queue.splice(at, 1);
    if (next === undefined) return;
    this.#count(next.user, 1);
    next.admit();
  }
}

const tooMany: Fault = fault('resource', Codes.free, 'Too many statements are waiting, please try again later');
const tooLong: Fault = fault('resource', Codes.free, 'Too many statements run at once, please try again later');
