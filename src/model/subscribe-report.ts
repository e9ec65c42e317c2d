import type { LoadSetting } from './load-report.js';

/**
 * What a subscription run did, as its reports tell it: plain figures, so that the JSON report is this value and nothing
 * else. Times are Unix milliseconds.
 */
export interface SubscribeReport {
  /** The tool's version. */
  readonly version: string;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'completed' | 'interrupted' | 'failed';
  /** Why the run failed; undefined when it did not. */
  readonly failure: string | undefined;
  /** What was asked for, in effect: name and value of each setting, secrets masked already. */
  readonly settings: readonly LoadSetting[];
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
