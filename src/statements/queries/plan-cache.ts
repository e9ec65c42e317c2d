import type { TableDef } from '../../model/schema.js';
import type { UniqueRows } from '../../model/unique-rows.js';
import type { QueryPlan } from '../../sql/plan/query.js';
import type { Query } from '../../sql/syntax/ast.js';
import type { QueryRequest } from './query-names.js';

/** What a plan depends on in addition to the query. */
export interface PlanOrigin {
  readonly user: string;
  readonly request: QueryRequest;
  /** Position in the catalogue's log: all names and rights are in the entries before it. */
  readonly position: number;
}

/** Knowledge about the tables that a plan reads. */
export interface KnownTables {
  /** Whether the engine is known to hold a table. */
  isReadable(table: TableDef): boolean;
  /** Whether the planner treats a table as a large one, and as one of short series. */
  isLarge(table: TableDef): boolean;
  hasShortSeries(table: TableDef): boolean;
  /** Which of its rows need no merging of versions. */
  uniqueRows(table: TableDef): UniqueRows | undefined;
}

interface KnownTable {
  readonly table: TableDef;
  readonly isLarge: boolean;
  readonly isShort: boolean;
  readonly unique: UniqueRows | undefined;
}

interface CachedPlan extends PlanOrigin {
  readonly plan: QueryPlan;
  readonly tables: readonly KnownTable[];
  /**
   * The plan reads single series only, whose versions are always merged: unique rows, which are found by counting, do
   * not matter.
   */
  readonly isOfSeries: boolean;
}

/** Longest text of a cached plan: views and lists of names make a short query a long one. */
const maxPlanChars = 65_536;

/**
 * The last plan of each syntax tree that is still in memory. A plan holds for the same user and the same request until
 * the catalogue grows or the knowledge about its tables changes.
 */
export class PlanCache {
  readonly #plans = new WeakMap<Query, CachedPlan>();

  /** The cached plan, if it is valid. With `isTimeless` false it is of another NOW, and only its series are valid. */
  get(query: Query, origin: PlanOrigin, known: KnownTables): QueryPlan | undefined {
    const cached = this.#plans.get(query);
    return cached !== undefined && isValid(cached, origin, known) ? cached.plan : undefined;
  }

  /** Caches a plan, unless its text is too long. */
  put(
    query: Query,
    origin: PlanOrigin,
    plan: QueryPlan,
    tables: readonly TableDef[],
    known: Omit<KnownTables, 'isReadable'>,
  ): void {
    if (plan.sql.length > maxPlanChars) return;
    const { user, position, request } = origin;
    const { database, connectionZone, timeZone, form, rowLimit, emptyGroups } = request;
    const isOfSeries = plan.series !== undefined;
    const facts = tables.map((table) => ({
      table,
      isLarge: known.isLarge(table),
      isShort: known.hasShortSeries(table),
      unique: isOfSeries ? undefined : known.uniqueRows(table),
    }));
    const own = { database, connectionZone, timeZone, form, rowLimit, emptyGroups };
    this.#plans.set(query, { user, position, request: own, plan, tables: facts, isOfSeries });
  }
}

function isValid(cached: CachedPlan, origin: PlanOrigin, known: KnownTables): boolean {
  if (!isSame(cached, origin)) return false;
  return cached.tables.every(
    ({ table, isLarge, isShort, unique }) =>
      known.isReadable(table) &&
      known.isLarge(table) === isLarge &&
      known.hasShortSeries(table) === isShort &&
      (cached.isOfSeries || known.uniqueRows(table) === unique),
  );
}

function isSame(one: PlanOrigin, other: PlanOrigin): boolean {
  const [a, b] = [one.request, other.request];
  return (
    one.position === other.position &&
    one.user === other.user &&
    a.database === b.database &&
    a.connectionZone === b.connectionZone &&
    a.timeZone === b.timeZone &&
    a.form === b.form &&
    a.rowLimit === b.rowLimit &&
    a.emptyGroups === b.emptyGroups
  );
}
