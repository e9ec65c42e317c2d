import type { ComponentLog } from '../../model/component.js';
import type { WatchedMetrics } from '../../model/metric.js';

/** Between two lines of the log about one user and address. */
const repeatMs = 60_000;
/** Users and addresses that are remembered for that; of more, lines come more often. */
const maxRemembered = 1_000;
const maxNameLength = 64;

/** Counts log-ins that were refused, and logs them: a user at an address once per minute, with how many there were. */
export class RefusedLogins {
  readonly #log: ComponentLog;
  readonly #logged = new Map<string, { at: number; since: number }>();
  #count = 0;

  constructor(log: ComponentLog) {
    this.#log = log;
  }

  /** `user` is what was given, or undefined for a token. */
  add(user: string | undefined, from: string): void {
    this.#count++;
    const name = (user ?? '').slice(0, maxNameLength);
    const key = `${from}\0${name}`;
    const now = performance.now();
    const before = this.#logged.get(key);
    if (before !== undefined && now - before.at < repeatMs) {
      before.since++;
      return;
    }
    if (this.#logged.size >= maxRemembered) this.#logged.clear();
    this.#logged.set(key, { at: now, since: 0 });
    const who = user === undefined ? {} : { user: name };
    this.#log.warn({ ...who, from, times: (before?.since ?? 0) + 1 }, 'A log-in was refused.');
  }

  get metrics(): WatchedMetrics {
    return {
      adapter_refused_logins: {
        isCounter: true,
        help: 'Requests whose user, password or token was refused.',
        read: () => this.#count,
      },
    };
  }
}
