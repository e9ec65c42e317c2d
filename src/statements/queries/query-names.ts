import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { Access } from '../../database/catalogue/rights.js';
import type { Storage } from '../../database/store/storage.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import type { SqlRequest } from '../../model/exchange.js';
import type { Right } from '../../model/rights.js';
import { expandViews } from '../../sql/resolve/views.js';
import type { Query } from '../../sql/syntax/ast.js';
import { collectTables, type NamedTable, type QueryContext, systemDatabases } from '../../sql/values/context.js';
import { StatementNames } from '../names.js';
import type { StatementReader } from '../read-statement.js';

/** Context that turns the names in a query into tables that can be read. */
export interface QueryNamesContext {
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly subTables: SubTables;
  /** Zone of times without one. */
  readonly connectionZone: string;
  /** Answer of SERVER_VERSION(). */
  readonly version: string;
}

/** Reads the queries of views. */
interface ViewReader {
  readonly reader: Pick<StatementReader, 'view'>;
}

/** Names that a misspelt one is compared with at most. */
const comparedNames = 5000;

/** The part of a request that decides what its statement means. */
export type QueryRequest = Pick<
  SqlRequest,
  'database' | 'connectionZone' | 'timeZone' | 'form' | 'rowLimit' | 'emptyGroups'
>;

/**
 * Looks up the tables that a statement mentions and sees to it that the engine holds them; gives everything beside its
 * text that decides what the statement means. Throws when the user lacks the right on one of them.
 */
export async function queryContext(
  mentioned: readonly NamedTable[],
  systemTable: QueryContext['systemTable'],
  request: QueryRequest,
  access: Access,
  right: Right,
  { catalogue, storage, subTables, connectionZone, version }: QueryNamesContext,
): Promise<QueryContext> {
  const names = new StatementNames(catalogue, subTables, access, right);
  const tables = mentioned.flatMap(({ database = request.database, name }) =>
    database === undefined || systemDatabases.includes(database) ? [] : [{ database, name }],
  );
  const unknown = () => tables.filter(({ database, name }) => names.resolve(database, name) === 'unknown');
  for (let missing = unknown(); missing.length > 0; missing = unknown()) await names.lookUp(missing);
  for (const { database, name } of tables) {
    const meaning = names.resolve(database, name);
    if (typeof meaning === 'object') await storage.ensure(catalogue.database(database)!, meaning.table);
  }
  const now = nowNanos();
  return {
    database: request.database,
    systemTable,
    resolveTable: (database, name) => {
      const meaning = names.resolve(database, name);
      return typeof meaning === 'object' ? meaning : undefined;
    },
    precisionOf: (database) => {
      access.requireSight(database);
      return catalogue.database(database)?.precision;
    },
    nowNanos: () => now,
    tableNames: (database) => {
      const tables = catalogue.tables(database).slice(0, comparedNames);
      return tables.flatMap(({ name }) => (access.may(right, database, name) ? [name] : []));
    },
    ...knownTables(storage),
    connectionZone: request.connectionZone ?? connectionZone,
    outputZone: request.timeZone,
    form: request.form,
    rowLimit: request.rowLimit,
    user: access.user,
    serverVersion: version,
  };
}

/**
 * A query with the views it names written out. A name that memory does not know may be a view that another process made
 * a moment ago, so the catalogue is read on before it is taken for something else. A view lends its reader no rights:
 * its database must be readable, and so must the tables it stands on.
 */
export async function withoutViews(
  query: Query,
  current: string | undefined,
  access: Access,
  { catalogue, subTables, reader }: Pick<QueryNamesContext, 'catalogue' | 'subTables'> & ViewReader,
): Promise<Query> {
  const names = new StatementNames(catalogue, subTables, access.inPart, 'READ');
  const expand = (): Query =>
    expandViews(query, current, (database, name) => {
      const view = catalogue.view(database, name);
      if (view === undefined) return undefined;
      access.require('READ', database);
      return { query: reader.view(view), current: view.current };
    });
  const expanded = expand();
  const isKnown = ({ database = current, name }: NamedTable): boolean =>
    database === undefined || systemDatabases.includes(database) || names.resolve(database, name) !== 'unknown';
  if (collectTables(expanded).every(isKnown)) return expanded;
  await catalogue.sync();
  return expand();
}

/** Knowledge about stored rows, as far as plans go by it. */
export function knownTables(
  storage: Storage,
): Required<Pick<QueryContext, 'isLarge' | 'hasShortSeries' | 'uniqueRows'>> {
  return {
    isLarge: (table) => storage.sizes.isLarge(table),
    hasShortSeries: (table) => storage.sizes.hasShortSeries(table),
    uniqueRows: (table) => storage.uniqueRows(table),
  };
}

/** Unix nanoseconds, in steps of a millisecond. */
export function nowNanos(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}
