import type { Fault } from '../../model/fault.js';
import { Codes, fault } from '../../model/fault.js';
import { lengthFault } from '../../model/row-length.js';
import type { ColumnDef, DatabaseDef, DataType, TableDef } from '../../model/schema.js';
import { isVariable, sameKind } from '../../model/schema.js';
import { engineType } from '../../sql/plan/storage.js';
import { normalTableId, shapeName, sharedStorage, sharedTagStorage } from './identity.js';
import type { ColumnSpec, LogEntry, Operation, TableChange } from './operations.js';

/** A table and the number of its next physical column: numbers are never used twice, so a re-added column is empty. */
export interface TableEntry {
  readonly def: TableDef;
  readonly nextColumn: number;
  /** Time of the last change, Unix ms. */
  readonly updated: number;
}

/** A database with its tables by name, and the number of its next table that shares storage. */
export interface TableSpace {
  readonly def: DatabaseDef;
  readonly tables: Map<string, TableEntry>;
  readonly numbers: { next: number };
}

type Tables = Map<string, TableEntry>;
type CreateTable = Extract<Operation, { op: 'create-table' }>;
type ExtendTable = Extract<Operation, { op: 'extend-table' }>;

/** Most columns a table may have, time column and tags included, and most tags (SQL reference, limits). */
const maxColumns = 4096;
const maxTags = 128;

/** Applies CREATE TABLE and CREATE STABLE. With `shares` the table takes its place in storage that others use too. */
export function createTable(
  { def: database, tables, numbers }: TableSpace,
  operation: CreateTable,
  entry: LogEntry,
  index: number,
  shares = false,
): Fault | undefined {
  const existing = tables.get(operation.name);
  if (existing !== undefined) {
    return existing.def.kind === 'super'
      ? fault('database', Codes.stableAlreadyExists, 'STable already exists')
      : fault('database', Codes.tableAlreadyExists, 'Table already exists');
  }
  const names = [operation.timeColumn, ...[...operation.columns, ...operation.tags].map((spec) => spec.name)];
  if (new Set(names).size < names.length) {
    return fault('syntax', Codes.duplicatedColumns, 'Duplicated column names');
  }
  const excess = beyondLimits(names.length, operation.tags.length) ?? lengthFault(operation.columns, []);
  if (excess !== undefined) return excess;
  if (operation.kind === 'super' && isFull(database, tables)) {
    return fault('database', Codes.singleStable, 'Database is single stable mode');
  }
  const made = newTable(database, operation, `${entry.position}_${index}`, entry);
  tables.set(operation.name, shares ? shared(database, made, numbers.next++) : made);
  return undefined;
}

/** True when a database that may have one super table has it. */
function isFull({ options }: DatabaseDef, tables: Tables): boolean {
  return options.SINGLE_STABLE === '1' && [...tables.values()].some(({ def }) => def.kind === 'super');
}

function newTable(database: DatabaseDef, wanted: CreateTable, number: string, entry: LogEntry): TableEntry {
  const columns = wanted.columns.map((spec, i) => named(spec, i + 1));
  const tags = wanted.tags.map((spec, i) => named(spec, wanted.columns.length + i + 1));
  const isSuper = wanted.kind === 'super';
  const storage = isSuper ? `t${number}` : `n${shapeName(columns.map((column) => column.physical))}`;
  const def: TableDef = {
    id: number,
    database: database.name,
    name: wanted.name,
    kind: wanted.kind,
    timeColumn: wanted.timeColumn,
    ...(wanted.timeEncoding === undefined ? {} : { timeEncoding: wanted.timeEncoding }),
    columns,
    tags,
    storage: `${database.id}.${storage}`,
    tagStorage: isSuper ? `${database.id}.g${number}` : undefined,
    seriesId: isSuper ? undefined : normalTableId(database.id, number),
    comment: wanted.comment,
    ttl: wanted.ttl,
    created: entry.at,
    revision: entry.position,
  };
  return { def, nextColumn: columns.length + tags.length + 1, updated: entry.at };
}

/** A table whose rows and tags lie among those of others, told apart by a number. */
function shared({ id }: DatabaseDef, entry: TableEntry, number: number): TableEntry {
  const storage = sharedStorage(id, entry.def.columns[0]?.physical ?? '');
  return { ...entry, def: { ...entry.def, number, storage, tagStorage: sharedTagStorage(id) } };
}

/**
 * True for a table that arriving data makes with one column: metrics come in hundreds of them. The one table of JSON tags
 * that a database has for labelled series holds all metrics by itself.
 */
function sharesStorage({ columns, tags }: ExtendTable): boolean {
  return columns.length === 1 && tags.every(({ type }) => type.name !== 'JSON');
}

/** Where a table will have its rows if arriving data makes it with these columns; undefined for storage of its own. */
export function storageWhenMade(
  { id }: DatabaseDef,
  columns: readonly Pick<ColumnSpec, 'type'>[],
  tagType: DataType['name'],
): string | undefined {
  const [only] = columns;
  if (only === undefined || columns.length > 1 || tagType === 'JSON') return undefined;
  return sharedStorage(id, physicalName(only.type, 1));
}

function physicalName(type: DataType, number: number): string {
  return `c${number}_${engineType(type).replace(/[^A-Za-z0-9]+/g, '_')}`;
}

/** The type is part of the physical name, because tables of one shape share their engine table. */
function named(spec: ColumnSpec, number: number): ColumnDef {
  const { name, type, encoding } = spec;
  return { name, type, physical: physicalName(type, number), ...(encoding === undefined ? {} : { encoding }) };
}

/** Applies the growth that arriving data needs; see the operation. */
export function extendTable(
  space: TableSpace,
  operation: ExtendTable,
  entry: LogEntry,
  index: number,
): Fault | undefined {
  const { tables } = space;
  const found = tables.get(operation.name);
  if (found === undefined) {
    const create: CreateTable = { ...operation, op: 'create-table', kind: 'super', comment: undefined, ttl: 0 };
    return createTable(space, create, entry, index, sharesStorage(operation));
  }
  if (found.def.kind !== 'super' && operation.tags.length > 0) {
    return fault('database', Codes.tableAlreadyExists, `"${operation.name}" is a normal table`);
  }
  const growth = { next: found.nextColumn };
  const columns = grow(found.def.columns, operation.columns, found.def.tags, growth);
  if (isFault(columns)) return columns;
  const tags = grow(found.def.tags, operation.tags, columns, growth);
  if (isFault(tags)) return tags;
  // Tags are measured when statements make them: widths of arriving ones are guesses, and each series has its own bytes.
  const tooLong = lengthFault(columns, []);
  if (tooLong !== undefined) return tooLong;
  return replaceColumns(tables, found, columns, tags, growth.next, entry);
}

function isFault(value: readonly ColumnDef[] | Fault): value is Fault {
  return !Array.isArray(value);
}

function grow(
  have: readonly ColumnDef[],
  want: readonly ColumnSpec[],
  others: readonly ColumnDef[],
  growth: { next: number },
): ColumnDef[] | Fault {
  const result = [...have];
  for (const spec of want) {
    const at = result.findIndex((column) => column.name === spec.name);
    const old = result[at];
    if (old !== undefined) {
      if (!sameKind(old.type, spec.type)) return typeConflict(old, spec);
      if (spec.type.length > old.type.length && isVariable(old.type.name)) result[at] = { ...old, type: spec.type };
    } else if (others.some((column) => column.name === spec.name)) {
      return fault('syntax', Codes.duplicatedColumns, `Duplicated column names: ${spec.name}`);
    } else {
      result.push(named(spec, growth.next++));
    }
  }
  return result;
}

function typeConflict(old: ColumnDef, spec: ColumnSpec): Fault {
  const message = `column "${old.name}" is ${old.type.name}, the data is ${spec.type.name}`;
  return fault('syntax', Codes.schemalessTypeConflict, message);
}

function replaceColumns(
  tables: Tables,
  found: TableEntry,
  columns: readonly ColumnDef[],
  tags: readonly ColumnDef[],
  nextColumn: number,
  { position, at }: LogEntry,
): Fault | undefined {
  const excess = beyondLimits(columns.length + tags.length + 1, tags.length);
  if (excess !== undefined) return excess;
  const def = { ...found.def, columns, tags, revision: position };
  tables.set(found.def.name, { def, nextColumn, updated: at });
  return undefined;
}

/** `columns` counts all of a table: the time column, data columns and tags. */
function beyondLimits(columns: number, tags: number): Fault | undefined {
  if (columns > maxColumns) return fault('database', Codes.tooManyTableColumns, 'Too many columns');
  if (tags > maxTags) return fault('database', Codes.invalidTagCount, 'Invalid number of tag columns');
  return undefined;
}

/** Applies ALTER TABLE and ALTER STABLE. */
export function applyToTable(
  tables: Tables,
  operation: Extract<Operation, { op: 'alter-table' }>,
  entry: LogEntry,
): Fault | undefined {
  const found = tables.get(operation.name);
  if (found === undefined) return fault('database', Codes.tableNotExist, 'Table does not exist');
  const { change } = operation;
  if (change.kind === 'comment' || change.kind === 'ttl') {
    const def = change.kind === 'comment' ? { comment: change.text } : { ttl: change.days };
    const changed = { ...found.def, ...def, revision: entry.position };
    tables.set(found.def.name, { ...found, def: changed, updated: entry.at });
    return undefined;
  }
  if (change.kind === 'encode-column') return encode(tables, found, change, entry);
  const onTags = change.kind.endsWith('tag');
  const changed = changeList(found, onTags, change);
  if (isFault(changed)) return changed;
  if (onTags && changed.length > 1 && changed.some(({ type }) => type.name === 'JSON')) {
    return fault('syntax', Codes.oneJsonTag, 'Only one tag if there is a json tag');
  }
  const tooLong = onTags ? lengthFault([], changed) : lengthFault(changed, []);
  if (tooLong !== undefined && growsRow(change)) return tooLong;
  const next = found.nextColumn + (change.kind.startsWith('add') ? 1 : 0);
  return onTags
    ? replaceColumns(tables, found, found.def.columns, changed, next, entry)
    : replaceColumns(tables, found, changed, found.def.tags, next, entry);
}

function encode(
  tables: Tables,
  found: TableEntry,
  { name, encoding }: Extract<TableChange, { kind: 'encode-column' }>,
  { position, at }: LogEntry,
): Fault | undefined {
  const { def } = found;
  const isTime = name === def.timeColumn;
  if (!isTime && !def.columns.some((column) => column.name === name)) {
    return fault('database', Codes.columnNotExist, 'Column does not exist');
  }
  const columns = def.columns.map((column) =>
    column.name === name ? { ...column, encoding: { ...column.encoding, ...encoding } } : column,
  );
  const changed = isTime ? { ...def, timeEncoding: { ...def.timeEncoding, ...encoding } } : { ...def, columns };
  tables.set(def.name, { ...found, def: { ...changed, revision: position }, updated: at });
  return undefined;
}

function growsRow({ kind }: ColumnChange): boolean {
  return kind.startsWith('add') || kind.startsWith('modify');
}

type ColumnChange = Exclude<TableChange, { kind: 'comment' | 'ttl' | 'encode-column' }>;

function changeList(
  { def, nextColumn }: TableEntry,
  onTags: boolean,
  change: ColumnChange,
): readonly ColumnDef[] | Fault {
  const list = onTags ? def.tags : def.columns;
  const missing = onTags
    ? fault('database', Codes.tagNotExist, 'Tag does not exist')
    : fault('database', Codes.columnNotExist, 'Column does not exist');
  switch (change.kind) {
    case 'add-column':
    case 'add-tag':
      if (isTaken(def, change.column.name)) return exists(onTags);
      return [...list, named(change.column, nextColumn)];
    case 'drop-column':
    case 'drop-tag':
      if (change.name === def.timeColumn) {
        return fault('database', Codes.primaryTimestampDrop, 'Primary timestamp column cannot be dropped');
      }
      if (!list.some((column) => column.name === change.name)) return missing;
      if (list.length === 1) return lastOne(onTags);
      return list.filter((column) => column.name !== change.name);
    case 'rename-column':
    case 'rename-tag':
      if (!list.some((column) => column.name === change.from)) return missing;
      if (isTaken(def, change.to)) return exists(onTags);
      return list.map((column) => (column.name === change.from ? { ...column, name: change.to } : column));
    default:
      if (change.column.name === def.timeColumn) return onlyWidens();
      return widen(list, change.column, missing);
  }
}

function lastOne(onTags: boolean): Fault {
  return onTags
    ? fault('database', Codes.invalidAlterTable, 'Invalid alter table statement')
    : fault('database', Codes.noColumnsToDrop, 'No columns can be dropped');
}

function isTaken(def: TableDef, name: string): boolean {
  return name === def.timeColumn || [...def.columns, ...def.tags].some((column) => column.name === name);
}

function exists(onTags: boolean): Fault {
  return onTags
    ? fault('database', Codes.tagAlreadyExists, 'Tag already exists')
    : fault('database', Codes.columnAlreadyExists, 'Column already exists');
}

function onlyWidens(): Fault {
  const text =
    'Only varbinary/binary/nchar/geometry column length could be modified, and the length can only be increased, not decreased';
  return fault('database', Codes.modifyOnlyWidens, text);
}

function widen(list: readonly ColumnDef[], wanted: ColumnSpec, missing: Fault): readonly ColumnDef[] | Fault {
  const old = list.find((column) => column.name === wanted.name);
  if (old === undefined) return missing;
  if (!isVariable(old.type.name) || old.type.name !== wanted.type.name || wanted.type.length <= old.type.length) {
    return onlyWidens();
  }
  return list.map((column) => (column === old ? { ...old, type: wanted.type } : column));
}
