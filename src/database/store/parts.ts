import type { Catalogue } from '../catalogue/catalogue.js';
import type { Engine } from '../engine/engine.js';
import type { Storage } from './storage.js';
import type { SubTables } from './sub-tables.js';

/** The parts of the database room through which definitions and rows are read and written. */
export interface DatabaseParts {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly subTables: SubTables;
}
