import type { Catalogue } from './catalogue/catalogue.js';
import type { Storage } from './catalogue/storage.js';
import type { SubTables } from './catalogue/sub-tables.js';
import type { Engine } from './engine.js';

/** The parts of the database room through which definitions and rows are read and written. */
export interface DatabaseParts {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly subTables: SubTables;
}
