import type { ColumnDef, DataType } from '../../model/schema.js';
import { engineType } from '../../sql/engine/storage.js';
import type { ColumnSpec } from './operations.js';

/**
 * First letter of physical names: of columns, of tags that are numbered by themselves, and of columns that are part of
 * the key.
 */
export type PhysicalPrefix = 'c' | 'g' | 'k';

/** The name of a column in the engine. The type is part of it, because tables of one shape share their engine table. */
export function physicalName(prefix: PhysicalPrefix, type: DataType, number: number): string {
  return `${prefix}${number}_${engineType(type).replace(/[^A-Za-z0-9]+/g, '_')}`;
}

/** A requested column, with its physical name. */
export function named(
  prefix: PhysicalPrefix,
  { name, type, encoding, sentAs, attribute, isKey }: ColumnSpec,
  number: number,
): ColumnDef {
  return {
    name,
    type,
    physical: physicalName(isKey ? 'k' : prefix, type, number),
    ...(encoding === undefined ? {} : { encoding }),
    ...(sentAs === undefined ? {} : { sentAs }),
    ...(attribute === undefined ? {} : { attribute }),
    ...(isKey ? { isKey } : {}),
  };
}

/** Lists kept for tables to come. */
const maxLists = 256;
const lists = new Map<string, readonly ColumnDef[]>();

/**
 * Requested columns, with physical names that are numbered from `first` on. Tables that arriving data makes by the
 * thousand are alike, so the same list serves all equal requests.
 */
export function namedList(prefix: PhysicalPrefix, specs: readonly ColumnSpec[], first: number): readonly ColumnDef[] {
  let key = `${prefix}${first}`;
  for (const { name, type, attribute = '', isKey } of specs) {
    key += ` ${name.length}:${name}${attribute.length}:${attribute}${isKey ? '!' : ''}${type.name},${type.length},${type.scale}`;
  }
  const isRare = specs.some(({ encoding, sentAs }) => encoding !== undefined || sentAs !== undefined);
  const kept = isRare ? undefined : lists.get(key);
  if (kept !== undefined) return kept;
  const columns = specs.map((spec, i) => named(prefix, spec, first + i));
  if (isRare) return columns;
  if (lists.size >= maxLists) lists.clear();
  lists.set(key, columns);
  return columns;
}
