import type { ColumnDef, DataType } from '../../model/schema.js';
import { engineType } from '../../sql/engine/storage.js';
import type { ColumnSpec } from './operations.js';

/** First letter of physical names: of columns, of tags that are numbered by themselves, and of columns that are part of the key. */
export type PhysicalPrefix = 'c' | 'g' | 'k';

/** The name of a column in the engine. The type is part of it, because tables of one shape share their engine table. */
export function physicalName(prefix: PhysicalPrefix, type: DataType, number: number): string {
  return `${prefix}${number}_${engineType(type).replace(/[^A-Za-z0-9]+/g, '_')}`;
}

/** A column as asked for, with its physical name. */
export function named(prefix: PhysicalPrefix, { name, type, encoding, isKey }: ColumnSpec, number: number): ColumnDef {
  return {
    name,
    type,
    physical: physicalName(isKey ? 'k' : prefix, type, number),
    ...(encoding === undefined ? {} : { encoding }),
    ...(isKey ? { isKey } : {}),
  };
}
