import type { ColumnDef, DatabaseDef, DataType, TableDef } from '../../model/schema.js';
import { shapeName, sharedStorage, sharedTagStorage } from './identity.js';
import { physicalName } from './physical-names.js';

/** A list of physical columns with which arriving data makes tables of one database. */
export interface Shape {
  /** Tables that were made with it and exist. */
  tables: number;
  /** How many of its shared engine tables are full. */
  closed: number;
}

/**
 * Where a table that arriving data makes has its rows: in storage of its own, or in the shared one numbered `place` of
 * its shape.
 */
type Placement = 'own' | { readonly place: number };

/**
 * Columns that a table in shared storage may be given before that storage is full: each of them is a column of
 * NULLs in every row of its neighbours.
 */
const maxAddedColumns = 16;

const shapeNames = new WeakMap<readonly ColumnDef[], string>();

/** The name of a shape by its physical columns, worked out once for a list that many tables have. */
export function shapeOf({ columns }: Pick<TableDef, 'columns'>): string {
  const known = shapeNames.get(columns);
  if (known !== undefined) return known;
  const name = shapeName(columns.map(({ physical }) => physical));
  shapeNames.set(columns, name);
  return name;
}

/**
 * Records a table that arriving data makes, and returns where it has its rows; see
 * docs/decisions/007-shared-storage.md. Metrics, tables of one column, share from the first on. Of other shapes the
 * first table has storage of its own: where it stays the only one, which is usual, its key is the shorter for it.
 */
export function placeNext(shapes: Map<string, Shape>, name: string, columns: number): Placement {
  const known = shapes.get(name);
  const shape = known ?? { tables: 0, closed: 0 };
  if (known === undefined) shapes.set(name, shape);
  shape.tables++;
  return columns > 1 && shape.tables === 1 ? 'own' : { place: shape.closed };
}

/** Notes that a table of a shape is gone. */
export function leaveShape(shapes: Map<string, Shape>, name: string): void {
  const shape = shapes.get(name);
  if (shape !== undefined) shape.tables--;
}

/**
 * Notes that a table of a shape was given `added` columns in all: its shared storage may be too wide for new neighbours
 * now.
 */
export function widenShape(
  shapes: Map<string, Shape>,
  name: string,
  database: DatabaseDef,
  { storage }: TableDef,
  added: number,
): void {
  const shape = shapes.get(name);
  if (shape === undefined || added <= maxAddedColumns) return;
  if (storage === sharedStorage(database.id, name, shape.closed)) shape.closed++;
}

/** A definition or an entry that is still being put together. */
export type Draft<T> = { -readonly [Key in keyof T]: T[Key] };

/** The names of the storage that was shared last: tables that come one after the other mostly share the same. */
let latest = { storage: '', tagStorage: '' };

/** Lays the rows and tags of a table among those of others, distinguished by a number. */
export function share(
  def: Draft<TableDef>,
  { id }: DatabaseDef,
  shape: string,
  { place, number }: { readonly place: number; readonly number: number },
): void {
  const storage = sharedStorage(id, shape, place);
  if (storage !== latest.storage) latest = { storage, tagStorage: sharedTagStorage(id) };
  def.number = number;
  def.storage = latest.storage;
  def.tagStorage = latest.tagStorage;
}

/**
 * A name for the engine table that tables with these columns share if arriving data makes them, by which their rows are
 * kept together while they do not exist; undefined for the one table of labelled series (JSON tags), which has its own.
 * Its first rows may lie elsewhere: the definition decides.
 */
export function storageWhenMade(
  { id }: DatabaseDef,
  columns: readonly { readonly type: DataType }[],
  tagType: DataType['name'],
): string | undefined {
  if (columns.length === 0 || tagType === 'JSON') return undefined;
  return sharedStorage(id, shapeName(columns.map(({ type }, at) => physicalName('c', type, at + 1))), 0);
}
