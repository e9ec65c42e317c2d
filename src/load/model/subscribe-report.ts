import type { RunReport } from './run-report.js';

/**
 * Report of a subscription run: plain figures, so that the JSON report is this value and nothing
 * else. Times are Unix milliseconds.
 */
export interface SubscribeReport extends RunReport {
  readonly messages: number;
  readonly rows: number;
  readonly consumers: readonly ConsumerReport[];
}

/** Figures of one consumer, or of one older subscription. */
export interface ConsumerReport {
  readonly number: number;
  readonly group: string;
  readonly messages: number;
  readonly rows: number;
  /** True when an error ended it. */
  readonly failed: boolean;
}
