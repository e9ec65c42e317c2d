import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { storageWhenMade } from '../../database/catalogue/shapes.js';
import { type ColumnBlock, tableKey } from '../../model/column-block.js';

/** The engine table that the rows of a block will be in, or the name of their own table where that is not known yet. */
export function storageOf(catalogue: Catalogue, { database: name, table, columns, style }: ColumnBlock): string {
  const known = catalogue.table(name, table);
  if (known !== undefined) return known.storage;
  const database = catalogue.database(name);
  const storage = database && style && storageWhenMade(database, columns, style.tagType);
  return storage ?? tableKey({ database: name, table });
}
