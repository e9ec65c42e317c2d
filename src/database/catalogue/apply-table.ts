import type { Fault } from '../../model/fault.js';
import { Codes, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { lengthFault } from '../../model/row-length.js';
import type { ColumnDef, DatabaseDef, TableDef } from '../../model/schema.js';
import { isVariable, sameKind, sentName } from '../../model/schema.js';
import { refusalOfAttribute, refusalOfMetric } from '../../model/sent-name.js';
import { normalTableId, shapeName } from './identity.js';
import type { ColumnSpec, LogEntry, Operation, TableChange } from './operations.js';
import { named, namedList, type PhysicalPrefix } from './physical-names.js';
import { type Draft, leaveShape, placeNext, type Shape, shapeOf, share, widenShape } from './shapes.js';
import { changeIndexes, type IndexChange, withFollowingIndexes } from './tag-indexes.js';

/** A table and the number of its next physical column: numbers are never used twice, so a re-added column is empty. */
interface TableEntry {
  readonly def: TableDef;
  readonly nextColumn: number;
  /** The number of the next tag, of tables whose tags are numbered by themselves. */
  readonly nextTag?: number;
  /** The shape with which arriving data made it. */
  readonly shape?: string;
  /** Columns that it was given since it was made. */
  readonly added: number;
  /** Time of the last change, Unix ms. */
  readonly updated: number;
}

/** A database with its tables by name, the number of its next table that shares storage, and its shapes by name. */
export interface TableSpace {
  readonly def: DatabaseDef;
  readonly tables: Map<string, TableEntry>;
  readonly numbers: { next: number };
  readonly shapes: Map<string, Shape>;
}

type Tables = Map<string, TableEntry>;
type CreateTable = Extract<Operation, { op: 'create-table' }>;
type ExtendTable = Extract<Operation, { op: 'extend-table' }>;

/** Most columns a table may have, time column and tags included, and most tags. */
const maxColumns = 4096;
const maxTags = 128;

/**
 * Applies CREATE TABLE and CREATE STABLE; `arriving` is the growth by which data makes the table, which may share
 * storage.
 */
export function createTable(
  space: TableSpace,
  operation: CreateTable,
  entry: LogEntry,
  index: number,
  arriving?: ExtendTable,
): Fault | undefined {
  const { def: database, tables } = space;
  const existing = tables.get(operation.name);
  if (existing !== undefined) {
    return existing.def.kind === 'super'
      ? fault('database', Codes.stableAlreadyExists, 'STable already exists')
      : refusals.tableAlreadyExists;
  }
  const { timeColumn, columns, tags } = operation;
  const names = new Set([timeColumn]);
  for (const { name } of columns) names.add(name);
  for (const { name } of tags) names.add(name);
  const count = 1 + columns.length + tags.length;
  if (names.size < count) return refusals.duplicatedColumns;
  const excess = beyondLimits(count, tags.length) ?? lengthFault(columns, []);
  if (excess !== undefined) return excess;
  if (operation.kind === 'super' && isFull(database, tables)) {
    return fault('database', Codes.singleStable, 'Database is single stable mode');
  }
  const table = newTable(database, operation, `${entry.position}_${index}`, entry, arriving);
  if (arriving !== undefined) place(space, table, arriving);
  tables.set(operation.name, table);
  return undefined;
}

/** True when a database that may have one super table has it. */
function isFull({ options }: DatabaseDef, tables: Tables): boolean {
  return options.SINGLE_STABLE === '1' && [...tables.values()].some(({ def }) => def.kind === 'super');
}

/** A new table: a log of many tables is folded in half the time where none of them is copied. */
interface NewTable extends Draft<TableEntry> {
  readonly def: Draft<TableDef>;
}

function newTable(
  database: DatabaseDef,
  operation: CreateTable,
  number: string,
  entry: LogEntry,
  arriving: ExtendTable | undefined,
): NewTable {
  const columns = namedList('c', operation.columns, 1);
  const ownTagNumbers = arriving?.shares === 'shape';
  const tags = ownTagNumbers ? namedList('g', operation.tags, 1) : namedList('c', operation.tags, columns.length + 1);
  const isSuper = operation.kind === 'super';
  const storage = isSuper ? `t${number}` : `n${shapeName(columns.map((column) => column.physical))}`;
  const def: Draft<TableDef> = {
    id: number,
    database: database.name,
    name: operation.name,
    kind: operation.kind,
    timeColumn: operation.timeColumn,
    ...(operation.timeEncoding === undefined ? {} : { timeEncoding: operation.timeEncoding }),
    columns,
    tags,
    storage: `${database.id}.${storage}`,
    tagStorage: isSuper ? `${database.id}.g${number}` : undefined,
    seriesId: isSuper ? undefined : normalTableId(database.id, number),
    comment: operation.comment,
    ttl: operation.ttl,
    ...(arriving?.sentAs === undefined ? {} : { sentAs: arriving.sentAs }),
    created: entry.at,
    revision: entry.position,
  };
  const next = ownTagNumbers
    ? { nextColumn: columns.length + 1, nextTag: tags.length + 1 }
    : { nextColumn: columns.length + tags.length + 1 };
  return { def, ...next, added: 0, updated: entry.at };
}

/**
 * Gives a table that arriving data makes its place; see {@link placeNext}. The one table of JSON tags that a database
 * has for labelled series holds all metrics by itself. Logs of before shared by shape say less: their tables of one
 * column share.
 */
function place({ def: database, shapes, numbers }: TableSpace, table: NewTable, arriving: ExtendTable): void {
  const { columns, tags, shares } = arriving;
  if (columns.length === 0 || tags.some(({ type }) => type.name === 'JSON')) return;
  if (columns.length > 1 && shares === undefined) return;
  const shape = shapeOf(table.def);
  const placement = placeNext(shapes, shape, columns.length);
  table.shape = shape;
  if (placement === 'own') return;
  share(table.def, database, shape, { place: shares === undefined ? 0 : placement.place, number: numbers.next++ });
}

/** Applies a drop: the table and its name in its shape are gone. */
export function dropTable({ tables, shapes }: TableSpace, name: string): void {
  const shape = tables.get(name)?.shape;
  if (shape !== undefined) leaveShape(shapes, shape);
  tables.delete(name);
}

/** Applies the growth that arriving data needs; see the operation. */
export function extendTable(
  space: TableSpace,
  operation: ExtendTable,
  entry: LogEntry,
  index: number,
): Fault | undefined {
  const table = space.tables.get(operation.name);
  if (table === undefined) {
    // Written out: copies of parsed objects take a third of a start with many tables.
    const { database, name, timeColumn, columns, tags } = operation;
    const kind = { kind: 'super', comment: undefined, ttl: 0 } as const;
    const create: CreateTable = { op: 'create-table', database, name, timeColumn, columns, tags, ...kind };
    return createTable(space, create, entry, index, operation);
  }
  if (table.def.kind !== 'super' && operation.tags.length > 0) {
    return fault('database', Codes.tableAlreadyExists, `"${operation.name}" is a normal table`);
  }
  const taken = refusalOfMetric(operation.sentAs, operation.name, table.def.sentAs);
  if (taken !== undefined) return taken;
  const numbering = numberingOf(table);
  const columns = grow(table.def.columns, operation.columns, table.def.tags, numbering.columns);
  if (isFault(columns)) return columns;
  const tags = grow(table.def.tags, operation.tags, columns, numbering.tags);
  if (isFault(tags)) return tags;
  // Tags are measured when statements make them: widths of arriving ones are guesses, and each series has its own
  // bytes.
  const tooLong = lengthFault(columns, []);
  if (tooLong !== undefined) return tooLong;
  return replaceColumns(space, numbered(table, numbering), columns, tags, entry);
}

function isFault(value: readonly unknown[] | Fault): value is Fault {
  return !Array.isArray(value);
}

/** The numbers of a table's next columns or tags. */
interface Numbers {
  readonly prefix: PhysicalPrefix;
  next: number;
}

/** Numbering of a table's columns and tags: the same for both, or each its own. */
function numberingOf({ nextColumn, nextTag }: TableEntry): { readonly columns: Numbers; readonly tags: Numbers } {
  const columns: Numbers = { prefix: 'c', next: nextColumn };
  return { columns, tags: nextTag === undefined ? columns : { prefix: 'g', next: nextTag } };
}

/** The entry with the numbers given meanwhile taken. */
function numbered(table: TableEntry, { columns, tags }: ReturnType<typeof numberingOf>): TableEntry {
  return { ...table, nextColumn: columns.next, ...(table.nextTag === undefined ? {} : { nextTag: tags.next }) };
}

function grow(
  have: readonly ColumnDef[],
  want: readonly ColumnSpec[],
  others: readonly ColumnDef[],
  numbers: Numbers,
): ColumnDef[] | Fault {
  const result = [...have];
  for (const spec of want) {
    const at = result.findIndex((column) => column.name === spec.name);
    const old = result[at];
    if (old !== undefined && sentName(old) === sentName(spec)) {
      if (!sameKind(old.type, spec.type)) return typeConflict(old, spec);
      const taken = refusalOfAttribute(spec.attribute, spec.name, old.attribute);
      if (taken !== undefined) return taken;
      if (spec.type.length > old.type.length && isVariable(old.type.name)) result[at] = { ...old, type: spec.type };
    } else if (old !== undefined || others.some((column) => column.name === spec.name)) {
      return fault('syntax', Codes.duplicatedColumns, `Duplicated column names: ${spec.name}`);
    } else {
      result.push(named(numbers.prefix, spec, numbers.next++));
    }
  }
  return result;
}

function typeConflict(old: ColumnDef, spec: ColumnSpec): Fault {
  const message = `column "${old.name}" is ${old.type.name}, the data is ${spec.type.name}`;
  return fault('syntax', Codes.schemalessTypeConflict, message);
}

/** Gives a table these columns and tags. It stays where it is, whatever others there have. */
function replaceColumns(
  { def: database, tables, shapes }: TableSpace,
  table: TableEntry,
  columns: readonly ColumnDef[],
  tags: readonly ColumnDef[],
  { position, at }: LogEntry,
): Fault | undefined {
  const excess = beyondLimits(columns.length + tags.length + 1, tags.length);
  if (excess !== undefined) return excess;
  const had = new Set(table.def.columns.map(({ physical }) => physical));
  const added = table.added + columns.filter(({ physical }) => !had.has(physical)).length;
  if (table.shape !== undefined && table.def.number !== undefined) {
    widenShape(shapes, table.shape, database, table.def, added);
  }
  const def = { ...table.def, columns, tags, revision: position };
  tables.set(table.def.name, { ...table, def, added, updated: at });
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
  space: TableSpace,
  operation: Extract<Operation, { op: 'alter-table' }>,
  entry: LogEntry,
): Fault | undefined {
  const { tables } = space;
  const table = tables.get(operation.name);
  if (table === undefined) return refusals.tableNotExist;
  const { change } = operation;
  if (change.kind === 'add-index' || change.kind === 'drop-index') {
    const indexes = changeIndexes(table.def, change, entry.at);
    return isFault(indexes) ? indexes : replaceOptions(tables, table, { indexes }, entry);
  }
  if (change.kind === 'comment') return replaceOptions(tables, table, { comment: change.text }, entry);
  if (change.kind === 'ttl') return replaceOptions(tables, table, { ttl: change.days }, entry);
  if (change.kind === 'encode-column') return encode(tables, table, change, entry);
  const onTags = change.kind.endsWith('tag');
  const numbering = numberingOf(table);
  const changed = changeList(table, onTags, change, onTags ? numbering.tags : numbering.columns);
  if (isFault(changed)) return changed;
  if (onTags && changed.length > 1 && changed.some(({ type }) => type.name === 'JSON')) return refusals.oneJsonTag;
  const tooLong = onTags ? lengthFault([], changed) : lengthFault(changed, []);
  if (tooLong !== undefined && growsRow(change)) return tooLong;
  const def = withFollowingIndexes(table.def, change);
  const grown = { ...numbered(table, numbering), def: takesTag(change) ? { ...def, hasLostTags: true as const } : def };
  return onTags
    ? replaceColumns(space, grown, table.def.columns, changed, entry)
    : replaceColumns(space, grown, changed, table.def.tags, entry);
}

/** True when a tag has its name no longer: arriving data makes another one of that name. */
export function takesTag({ kind }: TableChange): boolean {
  return kind === 'drop-tag' || kind === 'rename-tag';
}

function replaceOptions(
  tables: Tables,
  table: TableEntry,
  options: Partial<TableDef>,
  { position, at }: LogEntry,
): undefined {
  tables.set(table.def.name, { ...table, def: { ...table.def, ...options, revision: position }, updated: at });
}

function encode(
  tables: Tables,
  table: TableEntry,
  { name, encoding }: Extract<TableChange, { kind: 'encode-column' }>,
  { position, at }: LogEntry,
): Fault | undefined {
  const { def } = table;
  const isTime = name === def.timeColumn;
  if (!isTime && !def.columns.some((column) => column.name === name)) return refusals.columnNotExist;
  const columns = def.columns.map((column) =>
    column.name === name ? { ...column, encoding: { ...column.encoding, ...encoding } } : column,
  );
  const changed = isTime ? { ...def, timeEncoding: { ...def.timeEncoding, ...encoding } } : { ...def, columns };
  tables.set(def.name, { ...table, def: { ...changed, revision: position }, updated: at });
  return undefined;
}

function growsRow({ kind }: ColumnChange): boolean {
  return kind.startsWith('add') || kind.startsWith('modify');
}

type ColumnChange = Exclude<TableChange, IndexChange | { kind: 'comment' | 'ttl' | 'encode-column' }>;

function changeList(
  { def }: TableEntry,
  onTags: boolean,
  change: ColumnChange,
  numbers: Numbers,
): readonly ColumnDef[] | Fault {
  const list = onTags ? def.tags : def.columns;
  const missing = onTags ? fault('database', Codes.tagNotExist, 'Tag does not exist') : refusals.columnNotExist;
  switch (change.kind) {
    case 'add-column':
    case 'add-tag':
      if (isTaken(def, change.column.name)) return exists(onTags);
      return [...list, named(numbers.prefix, change.column, numbers.next++)];
    case 'drop-column':
    case 'drop-tag':
      if (change.name === def.timeColumn) {
        return fault('database', Codes.primaryTimestampDrop, 'Primary timestamp column cannot be dropped');
      }
      if (!list.some((column) => column.name === change.name)) return missing;
      if (isKey(list, change.name)) return keyIsFixed;
      if (list.length === 1) return lastOne(onTags);
      return list.filter((column) => column.name !== change.name);
    case 'rename-column':
    case 'rename-tag':
      if (!list.some((column) => column.name === change.from)) return missing;
      if (isTaken(def, change.to)) return exists(onTags);
      return list.map((column) => (column.name === change.from ? { ...column, name: change.to } : column));
    default:
      if (change.column.name === def.timeColumn) return onlyWidens();
      if (isKey(list, change.column.name)) return keyIsFixed;
      return widen(list, change.column, missing);
  }
}

function isKey(list: readonly ColumnDef[], name: string): boolean {
  return list[0]?.isKey === true && list[0].name === name;
}

/** A column that is part of the key is what it was made as, and no other becomes one. */
export const keyIsFixed = fault(
  'database',
  Codes.keyIsFixed,
  'Primary key column can not be added, modified, and dropped',
);

function lastOne(onTags: boolean): Fault {
  return onTags ? refusals.invalidAlterTable : fault('database', Codes.noColumnsToDrop, 'No columns can be dropped');
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

function widen(list: readonly ColumnDef[], spec: ColumnSpec, missing: Fault): readonly ColumnDef[] | Fault {
  const old = list.find((column) => column.name === spec.name);
  if (old === undefined) return missing;
  if (!isVariable(old.type.name) || old.type.name !== spec.type.name || spec.type.length <= old.type.length) {
    return onlyWidens();
  }
  return list.map((column) => (column === old ? { ...old, type: spec.type } : column));
}
