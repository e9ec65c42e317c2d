import type { WantedConsumer } from '../../model/topic-message.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Storage } from '../catalogue/storage.js';
import type { SubTables } from '../catalogue/sub-tables.js';
import type { Engine } from '../engine.js';

/** Whose consumer it is, and how long it may stay away. */
export interface ConsumerOptions extends WantedConsumer {
  readonly user: string;
  /** How many intervals of commits a consumer may stay away before its share goes to the others. */
  readonly releaseMultiplier: number;
}

/** What consumers work on. */
export interface ConsumerContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly subTables: SubTables;
}
