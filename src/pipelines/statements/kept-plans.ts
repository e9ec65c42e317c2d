import type { TableDef } from '../../model/schema.js';
import type { UniqueRows } from '../../model/unique-rows.js';
import type { QueryPlan } from '../../sql/plan/query.js';
import { type MovablePlan, movablePlan, movedPlan, timePlaces } from '../../sql/plan/time-places.js';
import type { Query } from '../../sql/syntax/ast.js';
import type { QueryRequest } from './query-names.js';

/** Facts beside the query that a plan was made of. */
export interface PlanOrigin {
  readonly user: string;
  readonly request: QueryRequest;
  /** How far the catalogue was read: whatever decides about names and rights is in it. */
  readonly position: number;
}

/** Knowledge about the tables that a plan reads. */
export interface KnownTables {
  /** Whether the engine is known to hold a table. */
  isReadable(table: TableDef): boolean;
  /** Whether it is planned for as a large one, and as one of short or of few series. */
  isLarge(table: TableDef): boolean;
  hasShortSeries(table: TableDef): boolean;
  hasFewSeries(table: TableDef): boolean;
  /** Which rows of it are read without merging versions. */
  uniqueRows(table: TableDef): UniqueRows | undefined;
}

interface KnownTable {
  readonly table: TableDef;
  readonly isLarge: boolean;
  readonly isShort: boolean;
  readonly hasFew: boolean;
  readonly unique: UniqueRows | undefined;
}

interface KeptPlan extends PlanOrigin {
  readonly plan: QueryPlan;
  readonly tables: readonly KnownTable[];
  /** It reads nothing but single series, whose versions are always merged: which rows are unique is not asked, as that is found out by counting. */
  readonly isOfSeries: boolean;
}

interface KeptMovable extends Omit<KeptPlan, 'plan'> {
  readonly movable: MovablePlan;
}

/** Longest text of a plan that is kept: views and lists of names make a short query a long one. */
const keptCharacters = 65_536;
/** Plans for other times that are kept, and the longest text of one: dashboards ask about each of a thousand devices in turn. */
const [keptMovable, movableCharacters] = [1_000, 2_048];

/**
 * The last plan of each query that is still in memory, for the programs that ask the same thing again and again, also with other times. A
 * plan holds for the same user and request while the catalogue does not grow.
 */
export class KeptPlans {
  readonly #plans = new WeakMap<Query, KeptPlan>();
  /** By the shape of the text; the one used last stands last. */
  readonly #movable = new Map<string, KeptMovable>();

  /**
   * The last plan that holds; `text` is what the query was read from. One that is not the same at any time was made at another time, and what it
   * reads is what it would read now.
   */
  latest(query: Query, text: string, origin: PlanOrigin, known: KnownTables): QueryPlan | undefined {
    const kept = this.#plans.get(query);
    if (kept !== undefined && holds(kept, origin, known)) return kept.plan;
    const places = timePlaces(query, text);
    const movable = places && this.#movable.get(places.shape);
    if (places === undefined || movable === undefined || !holds(movable, origin, known)) return undefined;
    const plan = movedPlan(movable.movable, places.times);
    if (plan === undefined) return undefined;
    this.#movable.delete(places.shape);
    this.#movable.set(places.shape, movable);
    this.#plans.set(query, { ...movable, plan });
    return plan;
  }

  keep(
    query: Query,
    text: string,
    origin: PlanOrigin,
    plan: QueryPlan,
    tables: readonly TableDef[],
    known: Omit<KnownTables, 'isReadable'>,
  ): void {
    if (plan.sql.length > keptCharacters) return;
    const { user, position, request } = origin;
    const { database, connectionZone, timeZone, keyed, rowLimit, emptyGroups } = request;
    const isOfSeries = plan.series !== undefined;
    const facts = tables.map((table) => ({
      table,
      isLarge: known.isLarge(table),
      isShort: known.hasShortSeries(table),
      hasFew: known.hasFewSeries(table),
      unique: isOfSeries ? undefined : known.uniqueRows(table),
    }));
    const asked = { database, connectionZone, timeZone, keyed, rowLimit, emptyGroups };
    const kept: KeptPlan = { user, position, request: asked, plan, tables: facts, isOfSeries };
    this.#plans.set(query, kept);
    if (plan.isTimeless && plan.reading !== undefined && text.length + plan.sql.length <= movableCharacters)
      this.#keepMovable(query, text, kept);
  }

  #keepMovable(query: Query, text: string, { plan, ...how }: KeptPlan): void {
    const places = timePlaces(query, text);
    const movable = places && movablePlan(plan, places);
    if (places === undefined || movable === undefined) return;
    this.#movable.delete(places.shape);
    this.#movable.set(places.shape, { ...how, movable });
    const [oldest] = this.#movable.keys();
    if (this.#movable.size > keptMovable && oldest !== undefined) this.#movable.delete(oldest);
  }
}

function holds(kept: Omit<KeptPlan, 'plan'>, origin: PlanOrigin, known: KnownTables): boolean {
  if (!isSame(kept, origin)) return false;
  return kept.tables.every(
    ({ table, isLarge, isShort, hasFew, unique }) =>
      known.isReadable(table) &&
      known.isLarge(table) === isLarge &&
      known.hasShortSeries(table) === isShort &&
      known.hasFewSeries(table) === hasFew &&
      (kept.isOfSeries || known.uniqueRows(table) === unique),
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
    a.keyed === b.keyed &&
    a.rowLimit === b.rowLimit &&
    a.emptyGroups === b.emptyGroups
  );
}
