import type { SubscribeTo } from '../../model/topic-message.js';
import type { RunLog, RunSql } from '../model/ports.js';
import type { ConsumerCount } from './subscribe-figures.js';

/** Input of a subscription run. */
export interface SubscribeRun {
  readonly version: string;
  readonly run: RunSql;
  readonly subscribe: SubscribeTo;
  readonly log: RunLog;
  /** Ends the run: what was given out is dealt with first. */
  readonly stop: AbortSignal;
}

/** One of the two kinds of subscription. */
export interface Consumption {
  readonly counts: readonly ConsumerCount[];
  /** Makes what is needed, then polls to the end. Throws a FaultError when it cannot begin. */
  go(): Promise<void>;
}
