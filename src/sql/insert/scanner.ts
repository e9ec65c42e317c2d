import { closeParenthesis, comma, openParenthesis, semicolon } from '../../bytes/ascii.js';
import { FaultError, missingDatabase } from '../../model/fault.js';
import { noSuperTable, noTable, refusals } from '../../model/refusals.js';
import {
  type ColumnDef,
  type DatabaseDef,
  type SubTable,
  sentName,
  type TableDef,
  type TagValue,
} from '../../model/schema.js';
import type { Name } from '../syntax/ast.js';
import * as faults from '../syntax/faults.js';
import { BlockSet } from './blocks.js';
import { BoundRows } from './bound-rows.js';
import type { InsertContext, InsertPlan, Resolved, TableName } from './context.js';
import { TagReader } from './convert-tag.js';
import { TimeReader } from './convert-time.js';
import { Cursor } from './cursor.js';
import { RowScanner, type RowSource } from './rows.js';
import { SeriesIndex } from './series-index.js';
import { type Layout, TableShape } from './shape.js';
import { readUsing, type SubTableOptions, type UsingClause } from './using.js';

export type { InsertContext, InsertPlan, Resolved, TableName } from './context.js';

/**
 * Scans the text of a whole INSERT or IMPORT statement with VALUES into column blocks. Scanning has two phases: while
 * memory does not know a table the plan lists every unknown name of the statement; the caller looks them up and scans
 * again. Throws FaultError when the statement is wrong, in which case none of it may be written.
 */
export function scanInsert(statement: Buffer, context: InsertContext): InsertPlan {
  const slices = scanInSlices(statement, context);
  let slice = slices.next();
  while (slice.done !== true) slice = slices.next();
  return slice.value;
}

/** Scans in slices between which the caller may yield to the event loop; the schema must not change meanwhile. */
export function scanInSlices(statement: Buffer, context: InsertContext): Generator<void, InsertPlan, void> {
  return new InsertScanner(statement, context).scan();
}

/** Clauses that are scanned in one slice, and bytes of rows. */
const clausesPerSlice = 256;
const bytesPerSlice = 256 * 1024;

/** Where the rows of a clause go. */
type Destination =
  | { readonly form: 'one-series'; readonly table: TableDef; readonly id: bigint; readonly subTable?: SubTable }
  | { readonly form: 'named-rows'; readonly table: TableDef };

class InsertScanner {
  readonly #context: InsertContext;
  readonly #cursor: Cursor;
  readonly #rows: RowSource;
  readonly #tags: TagReader;
  readonly #blocks = new BlockSet();
  readonly #shapes = new Map<string, TableShape>();
  readonly #times = new Map<string, TimeReader>();
  /** Sub-tables this statement makes, and names it needs, by {@link keyOf}. */
  readonly #created = new Map<string, Resolved>();
  readonly #lookups = new Map<string, TableName>();
  #rowCount = 0;

  constructor(statement: Buffer, context: InsertContext) {
    this.#context = context;
    this.#cursor = new Cursor(statement, context.checksTexts === 'all');
    this.#rows = context.boundRows === undefined ? new RowScanner(this.#cursor) : new BoundRows(context.boundRows);
    this.#tags = new TagReader(this.#cursor, context.checksTexts === 'tags');
  }

  *scan(): Generator<void, InsertPlan, void> {
    const cursor = this.#cursor;
    if (!cursor.skipWord('INSERT') && !cursor.skipWord('IMPORT'))
      throw cursor.syntaxError('keyword INSERT is expected');
    if (!cursor.skipWord('INTO')) throw cursor.syntaxError('keyword INTO is expected');
    let clauses = 0;
    do {
      yield* this.#scanClause();
      cursor.skipBlanks();
      if (++clauses % clausesPerSlice === 0) yield;
    } while (cursor.at < cursor.end && cursor.bytes[cursor.at] !== semicolon);
    cursor.skip(semicolon);
    cursor.skipBlanks();
    if (cursor.at < cursor.end) throw cursor.syntaxError('invalid data or symbol');
    if (this.#lookups.size > 0) return { kind: 'lookup', names: [...this.#lookups.values()] };
    return { kind: 'blocks', blocks: this.#blocks.finish(), rows: this.#rowCount };
  }

  *#scanClause(): Generator<void, void, void> {
    const cursor = this.#cursor;
    const { database: written, name } = cursor.readObjectName();
    const database = written?.text ?? this.#context.currentDatabase;
    if (database === undefined) throw new FaultError(refusals.databaseNotSpecified);
    const before = this.#readColumnList();
    const using = cursor.skipWord('USING') ? readUsing(cursor) : undefined;
    const columns = before ?? this.#readColumnList();
    if (cursor.skipWord('FILE')) throw faults.invalidOperation('proxy mode does not support csv loading');
    if (!cursor.skipWord('VALUES')) throw cursor.syntaxError('keyword VALUES or FILE is expected');
    const destination = this.#destination({ database, name: name.text }, using);
    if (destination?.form === 'named-rows') yield* this.#scanNamedRows(destination.table, columns, name);
    else if (destination === undefined || this.#lookups.size > 0) {
      while (this.#rows.skipRows(cursor.at + bytesPerSlice)) yield;
    } else yield* this.#scanRows(destination, columns, name);
  }

  #readColumnList(): Name[] | undefined {
    return this.#cursor.skip(openParenthesis) ? this.#cursor.readNames() : undefined;
  }

  /** Undefined when a name has to be looked up first. */
  #destination(target: TableName, using: UsingClause | undefined): Destination | undefined {
    const meaning = this.#resolve(target);
    if (using !== undefined) return this.#usingDestination(target, meaning, using);
    if (meaning === 'unknown') return undefined;
    this.#databaseOf(target.database);
    if (meaning === 'absent') throw new FaultError(noTable(target.name));
    const { kind, table } = meaning;
    if (kind === 'super') return { form: 'named-rows', table };
    if (kind === 'sub') return { form: 'one-series', table, id: meaning.subTable.id, subTable: meaning.subTable };
    if (table.seriesId === undefined) throw new Error(`Normal table ${table.name} has no series.`);
    return { form: 'one-series', table, id: table.seriesId };
  }

  #usingDestination(target: TableName, meaning: Resolved, using: UsingClause): Destination | undefined {
    const superName = { database: using.database ?? target.database, name: using.name };
    if (superName.database !== target.database) throw new FaultError(refusals.stableNotInDatabase);
    const isOwn = typeof meaning === 'object' && meaning.kind === 'sub' && meaning.table.name === using.name;
    const owner = isOwn ? meaning : this.#resolve(superName);
    if (meaning === 'unknown' || owner === 'unknown') return undefined;
    const database = this.#databaseOf(target.database);
    if (owner === 'absent') throw new FaultError(noTable(using.name));
    if (owner.kind !== 'super' && !isOwn) throw new FaultError(noSuperTable(using.name));
    if (meaning !== 'absent' && (meaning.kind !== 'sub' || !isOwn)) throw new FaultError(refusals.tableInOtherStable);
    const { table } = owner;
    const tags = this.#readUsingTags(table, using);
    const subTable =
      meaning === 'absent' ? this.#makeSubTable(database, table, target.name, tags, using.options) : meaning.subTable;
    return { form: 'one-series', table, id: subTable.id, subTable };
  }

  *#scanRows(
    destination: Destination & { form: 'one-series' },
    columns: Name[] | undefined,
    name: Name,
  ): Generator<void, void, void> {
    const cursor = this.#cursor;
    const shape = this.#shapeOf(destination.table);
    const layout = shape.layoutOf(columns, false, cursor, name.span.start);
    const block = this.#blocks.open(shape, layout, destination.id);
    if (destination.subTable !== undefined) block.list(destination.subTable);
    const before = block.builder.rows;
    while (this.#rows.scanRows(shape, layout, block, destination.id, cursor.at + bytesPerSlice)) yield;
    this.#rowCount += block.builder.rows - before;
  }

  *#scanNamedRows(table: TableDef, columns: Name[] | undefined, name: Name): Generator<void, void, void> {
    const cursor = this.#cursor;
    const shape = this.#shapeOf(table);
    const layout = shape.layoutOf(columns, true, cursor, name.span.start);
    const block = this.#blocks.open(shape, layout, undefined);
    const before = block.builder.rows;
    const index = new SeriesIndex();
    const add = (tagsAt: Int32Array): void => {
      const { text, textStart, textEnd } = cursor;
      const key = text.slice(textStart, textEnd);
      const subTable = this.#subTableOfRow(shape, layout, tagsAt);
      if (subTable !== undefined) {
        this.#blocks.touch(block, subTable.id);
        block.list(subTable);
      }
      index.add(key, subTable?.id ?? 0n);
    };
    while (this.#rows.scanNamedRows(shape, layout, block, { index, add }, cursor.at + bytesPerSlice)) yield;
    this.#rowCount += block.builder.rows - before;
  }

  /**
   * The sub-table that the last literal names, made from the tags of its row when it is new; undefined to look it up.
   */
  #subTableOfRow(shape: TableShape, layout: Layout, tagsAt: Int32Array): SubTable | undefined {
    const name = this.#cursor.textString();
    if (name === '' || Buffer.byteLength(name) > 192 || name.includes('.')) throw faults.invalidIdentifier(name);
    const { table, database } = shape;
    const meaning = this.#resolve({ database: database.name, name });
    if (meaning === 'unknown') return undefined;
    if (meaning === 'absent') {
      const tags = this.#readRowTags(shape, layout, tagsAt);
      return this.#makeSubTable(database, table, name, tags, { ttl: 0, comment: undefined });
    }
    if (meaning.kind !== 'sub' || meaning.table.name !== table.name) throw new FaultError(refusals.tableInOtherStable);
    return meaning.subTable;
  }

  #readRowTags(shape: TableShape, layout: Layout, tagsAt: Int32Array): Map<string, TagValue> {
    const cursor = this.#cursor;
    const tags = noTags(shape.table);
    for (const [i, position] of layout.positions.entries()) {
      if (!shape.isTag(position)) continue;
      const tag = shape.columnAt(position);
      cursor.at = tagsAt[i]!;
      tags.set(sentName(tag), this.#tags.read(tag, shape.times));
      cursor.skipBlanks();
      const next = cursor.bytes[cursor.at];
      if (next !== comma && next !== closeParenthesis) throw cursor.syntaxError(', expected');
    }
    return tags;
  }

  #readUsingTags(table: TableDef, using: UsingClause): Map<string, TagValue> {
    const cursor = this.#cursor;
    const { times } = this.#shapeOf(table);
    const listed = using.tagNames === undefined ? table.tags : this.#tagsNamed(table, using.tagNames);
    const tags = noTags(table);
    const after = cursor.at;
    cursor.at = using.valuesAt + 1;
    let count = 0;
    do {
      cursor.skipBlanks();
      const tag = listed[count++];
      if (tag === undefined) throw new FaultError(refusals.tagsNotMatched);
      tags.set(sentName(tag), this.#tags.read(tag, times));
    } while (cursor.skip(comma));
    cursor.expectClose();
    if (count !== listed.length) throw new FaultError(refusals.tagsNotMatched);
    cursor.at = after;
    return tags;
  }

  #tagsNamed(table: TableDef, names: readonly Name[]): ColumnDef[] {
    const seen = new Set<string>();
    return names.map((name) => {
      const tag = table.tags.find((known) => known.name === name.text);
      if (tag === undefined) throw faults.invalidColumnName(name.text);
      if (seen.has(name.text)) throw this.#cursor.syntaxError('duplicated column name', name.span.start);
      seen.add(name.text);
      return tag;
    });
  }

  #makeSubTable(
    database: DatabaseDef,
    table: TableDef,
    name: string,
    tags: ReadonlyMap<string, TagValue>,
    { ttl, comment }: SubTableOptions,
  ): SubTable {
    const bare = this.#context.makeSubTable(database, table, name, tags, ttl);
    const subTable = comment === undefined ? bare : { ...bare, comment };
    this.#created.set(keyOf({ database: database.name, name }), { kind: 'sub', table, subTable });
    return subTable;
  }

  #resolve(name: TableName): Resolved {
    const key = keyOf(name);
    const meaning = this.#created.get(key) ?? this.#context.resolve(name.database, name.name);
    if (meaning === 'unknown') this.#lookups.set(key, name);
    return meaning;
  }

  #databaseOf(name: string): DatabaseDef {
    const database = this.#context.database(name);
    if (database === undefined) throw new FaultError(missingDatabase(name));
    return database;
  }

  #shapeOf(table: TableDef): TableShape {
    const known = this.#shapes.get(table.id);
    if (known !== undefined) return known;
    const { zone, nowNs } = this.#context;
    const database = this.#databaseOf(table.database);
    const times = this.#times.get(database.precision) ?? new TimeReader(this.#cursor, database.precision, zone, nowNs);
    this.#times.set(database.precision, times);
    const shape = new TableShape(table, database, times, this.#context.timeRange(database));
    this.#shapes.set(table.id, shape);
    return shape;
  }
}

function keyOf(name: TableName): string {
  return `${name.database}\0${name.name}`;
}

/** Every tag of a super table, NULL. */
function noTags(table: TableDef): Map<string, TagValue> {
  return new Map(table.tags.map((tag) => [sentName(tag), undefined]));
}
