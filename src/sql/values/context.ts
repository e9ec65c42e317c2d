import type { RowForm } from '../../model/exchange.js';
import { Codes, FaultError, fault, missingDatabase, type Place } from '../../model/fault.js';
import { notSupported } from '../../model/refusals.js';
import type { Precision, TableDef } from '../../model/schema.js';
import type { UniqueRows } from '../../model/unique-rows.js';
import { suggestion } from '../../text/nearest.js';
import type { Query as EngineQuery, Expr } from '../engine/nodes.js';
import type { Name, ObjectName, Query } from '../syntax/ast.js';
import { tablesIn } from '../syntax/tree.js';
import type { BlockColumn } from './result.js';

/** Meaning of a table name. For a sub-table `table` is its super table. */
export type TableTarget =
  | {
      readonly kind: 'super' | 'normal';
      readonly table: TableDef;
      /** Since when sub-tables were dropped whose rows are still there and must be left out, Unix ms. */
      readonly hiddenSince?: number;
    }
  | { readonly kind: 'sub'; readonly table: TableDef; readonly id: bigint; readonly name: string };

/** A table that the service makes up: a query of the engine and what its columns are. */
export interface SystemRelation {
  readonly query: EngineQuery;
  readonly columns: readonly BlockColumn[];
}

/**
 * Everything beside its text that decides what a query means. Names were looked up before, see {@link collectTables}.
 */
export interface QueryContext {
  /** Current database: the one of the URL. */
  readonly database: string | undefined;
  /** Undefined when there is no such table. */
  resolveTable(database: string, name: string): TableTarget | undefined;
  /** A table of {@link systemDatabases}; undefined when there is none of this name. */
  systemTable(database: string, name: string): SystemRelation | undefined;
  /** Undefined when there is no such database. */
  precisionOf(database: string): Precision | undefined;
  /** Time of the request, Unix nanoseconds; the one value of NOW in the statement. */
  nowNanos(): bigint;
  /** IANA zone of zone-less time texts, days, weeks, months and years. */
  readonly connectionZone: string;
  /** IANA zone of printed times. */
  readonly outputZone: string;
  /** Form of the rows of its result. */
  readonly form: RowForm;
  /** Most rows to return; negative is no limit. */
  readonly rowLimit: number;
  /** For CURRENT_USER(). */
  readonly user: string;
  /** For SERVER_VERSION() and CLIENT_VERSION(); begins with `3.`. */
  readonly serverVersion: string;
  /** Further conditions on the rows of stored tables by their alias: the statement sees no others. */
  storedRows?(alias: string): readonly Expr[];
  /** True for tables with so many rows that it pays to look for few of them first; any answer is right. */
  isLarge?(table: TableDef): boolean;
  /** True for tables whose series are so short that one thread reads them soonest; any answer is right. */
  hasShortSeries?(table: TableDef): boolean;
  /** Rows of a table that are known to have a key each; undefined where none are. */
  uniqueRows?(table: TableDef): UniqueRows | undefined;
  /** True where the caller plans the query again without assumptions when the engine finds one to be wrong. */
  readonly mayAssume?: boolean;
  /** Names of tables of a database that the user may know of, for a hint where one is misspelt. */
  tableNames?(database: string): readonly string[];
  /** Plans a query in an expression, where the engine looks at it so many times; undefined where there can be none. */
  subquery?(query: Query, looks?: number): SystemRelation;
}

/** A table as a query names it. */
export interface NamedTable {
  readonly database: string | undefined;
  readonly name: string;
}

/** The tables a query mentions, each once, in order of appearance. */
export function collectTables(query: Query): NamedTable[] {
  const tables = new Map<string, NamedTable>();
  for (const { table } of tablesIn(query)) {
    const named = { database: table.database?.text, name: table.name.text };
    tables.set(JSON.stringify([named.database, named.name]), named);
  }
  return [...tables.values()];
}

/** Databases that clients expect to exist. */
export const systemDatabases: readonly string[] = ['information_schema', 'performance_schema'];

/** The system table of a name; undefined when the name lies elsewhere, FaultError when there is none of this name. */
export function findSystemTable(name: ObjectName, context: QueryContext): SystemRelation | undefined {
  const database = name.database?.text ?? context.database;
  if (database === undefined || !systemDatabases.includes(database)) return undefined;
  const table = context.systemTable(database, name.name.text);
  if (table === undefined) throw missingTable(name);
  return table;
}

/** The target of a table name; FaultError when database or table do not exist or no database is chosen. */
export function findTable(name: ObjectName, context: QueryContext): { target: TableTarget; precision: Precision } {
  const database = name.database?.text ?? context.database;
  if (database === undefined) throw refuse(Codes.databaseNotSpecified, 'Database not specified');
  const precision = context.precisionOf(database);
  if (precision === undefined) throw new FaultError(missingDatabase(database));
  const target = context.resolveTable(database, name.name.text);
  if (target === undefined) throw missingTable(name, context.tableNames?.(database));
  return { target, precision };
}

function missingTable({ name }: ObjectName, known: readonly string[] = []): FaultError {
  const what = `${name.text}${suggestion(name.text, known)}`;
  return refuse(Codes.tableInfo, `Fail to get table info, error: Table does not exist: ${what}`, placeOf(name));
}

/** Where a name stands. */
export function placeOf({ text, span }: Name): Place {
  return { start: span.start, word: text };
}

/** The error by which a query is refused, with the place of the mistake where it has one. */
export function refuse(code: number, message: string, place?: Place): FaultError {
  const error = fault(code === Codes.fillTimeRange ? 'syntax' : 'database', code, message);
  return new FaultError(place === undefined ? error : { ...error, place });
}

/** The error for what the dialect has and this planner has not. */
export function refuseUnsupported(what: string): FaultError {
  return new FaultError(notSupported(what));
}
