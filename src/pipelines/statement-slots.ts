import { Codes, type Fault, FaultError, fault } from '../model/fault.js';

/** How many statements run and wait at once. */
export interface SlotLimits {
  /** Statements that run at once. */
  readonly running: number;
  /** Of one user; 0 is no limit of its own. */
  readonly runningOfUser: number;
  /** Statements that wait for others to end. */
  readonly waiting: number;
  /** How long one waits. */
  readonly waitMs: number;
}

/** How many statements run and wait. */
export interface SlotFigures {
  readonly running: number;
  readonly waiting: number;
}

interface Waiter {
  readonly user: string;
  readonly go: () => void;
}

/**
 * Lets statements in, a limited number in all and of one user, in the order of their coming; a user who has enough running
 * does not hold up the others.
 */
export class StatementSlots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  readonly #waiters: Waiter[] = [];
  #all = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get figures(): SlotFigures {
    return { running: this.#all, waiting: this.#waiters.length };
  }

  /**
   * Waits for a slot; the returned function gives it back and may be called twice. Rejects with a fault of kind `resource`
   * when too many wait or the wait is too long, and with the signal's reason when the asking side went away.
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
    // One that is gone stands in no queue; asking here keeps the listener below from firing before it does.
    aborted.throwIfAborted();
    if (this.#waiters.length >= this.#limits.waiting) throw new FaultError(tooMany);
    return new Promise((resolve, reject) => {
      const end = (finish: () => void): void => {
        clearTimeout(timer);
        aborted.removeEventListener('abort', leave);
        finish();
      };
      const giveUp = (reason: unknown): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        end(() => reject(reason));
      };
      const leave = (): void => giveUp(aborted.reason);
      const waiter: Waiter = { user, go: () => end(resolve) };
      const timer = setTimeout(() => giveUp(new FaultError(tooLong)), this.#limits.waitMs);
      aborted.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
    });
  }

  #admitNext(): void {
    const at = this.#waiters.findIndex(({ user }) => this.#isFree(user));
    const [next] = at < 0 ? [] : this.#waiters.splice(at, 1);
    if (next === undefined) return;
    this.#count(next.user, 1);
    next.go();
  }
}

const tooMany: Fault = fault('resource', Codes.free, 'Too many statements are waiting, please try again later');
const tooLong: Fault = fault('resource', Codes.free, 'Too many statements run at once, please try again later');
