import type { ComponentLog } from '../../model/component.js';

/** One repeated loss: its log message, and the sum that was not logged yet. */
interface Loss {
  readonly level: 'warn' | 'error';
  count: number;
  reason: string;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Logs what an input loses without flooding the log: the first loss of a kind at once, those that follow as one sum an
 * interval. Kinds are sentences from a small fixed set.
 */
export class LossLog {
  readonly #log: ComponentLog;
  readonly #intervalMs: number;
  readonly #losses = new Map<string, Loss>();

  constructor(log: ComponentLog, intervalMs = 10_000) {
    this.#log = log;
    this.#intervalMs = intervalMs;
  }

  /** Counts a loss; `reason` is that of the last one in the line. */
  add(level: 'warn' | 'error', sentence: string, count: number, reason: string): void {
    let loss = this.#losses.get(sentence);
    if (loss === undefined) {
      loss = { level, count: 0, reason, timer: undefined };
      this.#losses.set(sentence, loss);
    }
    loss.count += count;
    loss.reason = reason;
    if (loss.timer === undefined) this.#say(sentence, loss);
  }

  /** Logs what was not logged yet. */
  stop(): void {
    for (const [sentence, loss] of this.#losses) {
      clearTimeout(loss.timer);
      if (loss.count > 0) this.#log[loss.level]({ count: loss.count, reason: loss.reason }, sentence);
    }
    this.#losses.clear();
  }

  #say(sentence: string, loss: Loss): void {
    this.#log[loss.level]({ count: loss.count, reason: loss.reason }, sentence);
    loss.count = 0;
    loss.timer = setTimeout(() => {
      loss.timer = undefined;
      if (loss.count > 0) this.#say(sentence, loss);
    }, this.#intervalMs);
    loss.timer.unref();
  }
}
