import type { WantedConsumer } from '../../model/topic-message.js';

/** Whose consumer it is, and how long it may stay away. */
export interface ConsumerOptions extends WantedConsumer {
  readonly user: string;
  /** How many intervals of commits a consumer may stay away before its share goes to the others. */
  readonly releaseMultiplier: number;
}
