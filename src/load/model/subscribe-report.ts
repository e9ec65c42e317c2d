import type { RunReport } from './run-report.js';

/**
 * What a subscription run did, as its reports tell it: plain figures, so that the JSON report is this value and nothing
 * else. Times are Unix milliseconds.
 */
export interface SubscribeReport extends RunReport {
  readonly messages: number;
  readonly rows: number;
  readonly consumers: readonly ConsumerReport[];
}

/** What one consumer, or one older subscription, did. */
export interface ConsumerReport {
  readonly number: number;
  readonly group: string;
  readonly messages: number;
  readonly rows: number;
  /** True when an error ended it. */
  readonly failed: boolean;
}
