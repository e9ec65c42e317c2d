import { Codes, type Fault, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { TableDef, TagIndexDef } from '../../model/schema.js';
import type { TableChange } from './operations.js';

/** A change of the indexes alone. */
export type IndexChange = Extract<TableChange, { kind: 'add-index' | 'drop-index' }>;

/**
 * The indexes on the tags of a table. Until a statement says otherwise, the first tag of a super table has one by
 * itself.
 */
export function indexesOf({ name, tags, created, indexes }: TableDef): readonly TagIndexDef[] {
  if (indexes !== undefined) return indexes;
  const [first] = tags;
  return first === undefined ? [] : [{ name: `${first.name}_${name}`, tag: first.name, created }];
}

/** The indexes of a table with one more or one less, or why that cannot be: a tag has one index at most. */
export function changeIndexes(table: TableDef, change: IndexChange, at: number): readonly TagIndexDef[] | Fault {
  const indexes = indexesOf(table);
  if (change.kind === 'drop-index') {
    const rest = indexes.filter(({ name }) => name !== change.name);
    return rest.length === indexes.length ? refusals.indexNotExist : rest;
  }
  const { name, tag } = change;
  if (!table.tags.some((known) => known.name === tag)) {
    return fault('syntax', Codes.invalidTagName, `Invalid tag name: ${tag}`);
  }
  if (indexes.some((index) => index.name === name || index.tag === tag)) return refusals.indexAlreadyExists;
  return [...indexes, { name, tag, created: at }];
}

/** The table with indexes that follow a tag which is renamed or dropped. */
export function withFollowingIndexes(table: TableDef, change: TableChange): TableDef {
  const { indexes } = table;
  if (indexes === undefined) return table;
  switch (change.kind) {
    case 'rename-tag':
      return {
        ...table,
        indexes: indexes.map((index) => (index.tag === change.from ? { ...index, tag: change.to } : index)),
      };
    case 'drop-tag':
      return { ...table, indexes: indexes.filter(({ tag }) => tag !== change.name) };
    default:
      return table;
  }
}
