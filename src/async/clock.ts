/** The time, and what is to happen later; a test has one of its own, in which time passes when it says so. */
export interface Clock {
  /** Milliseconds since some moment; they never go back. */
  now(): number;
  /**
   * Runs something once, so many milliseconds later. The process may end before it where that does not keep it alive.
   */
  after(ms: number, run: () => void, keepsAlive?: boolean): Alarm;
}

/** Something that is to happen later. */
export interface Alarm {
  cancel(): void;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  after: (ms, run, keepsAlive = true) => {
    const timer = setTimeout(run, ms);
    if (!keepsAlive) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** How far the monotonic clock may be from the system's before it is set anew. */
const maxClockErrorMs = 2;
let clockOriginMs = performance.timeOrigin;

/** Unix microseconds: the fine steps of the monotonic clock, which alone would not follow when the system's is set. */
export function nowMicros(): bigint {
  const elapsedMs = performance.now();
  const systemMs = Date.now();
  if (Math.abs(clockOriginMs + elapsedMs - systemMs) > maxClockErrorMs) clockOriginMs = systemMs - elapsedMs;
  return BigInt(Math.round((clockOriginMs + elapsedMs) * 1000));
}
