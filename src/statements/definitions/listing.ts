import type { ColumnMeta } from '../../model/exchange.js';
import { dataType } from '../../model/schema.js';

/** A small result made in memory. */
export interface Listing {
  readonly meta: readonly ColumnMeta[];
  readonly rows: readonly (readonly (string | number | null)[])[];
}

/** A column of text of at most so many bytes. */
export function textColumn(name: string, length: number): ColumnMeta {
  return { name, type: dataType('VARCHAR', length) };
}
