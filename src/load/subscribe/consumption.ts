import type { SubscribeTo } from '../../model/topic-message.js';
import type { StatementContext } from '../execution/statements.js';
import type { ConsumerCount } from './subscribe-figures.js';

/** Input of a subscription run. */
export interface SubscribeRun extends StatementContext {
  readonly version: string;
  readonly subscribe: SubscribeTo;
}

/** One of the two kinds of subscription. */
export interface Consumption {
  readonly counts: readonly ConsumerCount[];
  /** Makes what is needed, then polls to the end. Throws a FaultError when it cannot begin. */
  go(): Promise<void>;
}
