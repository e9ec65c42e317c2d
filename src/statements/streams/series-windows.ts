import type { Changed } from '../../database/store/changes.js';
import { allOf, column, fromQuery, int64, join, number, select, text, zero } from '../../sql/engine/build.js';
import { type Expr, Named } from '../../sql/engine/nodes.js';
import { printExpr, printQuery } from '../../sql/engine/print.js';
import {
  bareTime,
  idColumn,
  isAmong,
  nameColumn,
  ofSeries,
  ofTable,
  rowsSource,
  tagsSource,
  timeColumn,
  writtenBetween,
} from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { planGroups, type StreamPiece } from '../../sql/plan/stream.js';
import { type PreparedStream, planPiece, seriesTerms, store } from './prepared.js';
import { removeStale } from './stale.js';

/** Series that are worked on at once. */
const pageSeries = 500;
const firstTick = -(2n ** 63n);

/** A series of the source with new rows. */
interface Touched {
  readonly id: bigint;
  /** The least timestamp of the new rows, ticks. */
  readonly low: bigint;
}

/** The same, with the sub-table of its results. */
interface TouchedGroup extends Touched {
  readonly target: string;
}

/**
 * Brings windows that rows make up to date, series by series. A window that began before the first new row of a series
 * begins where it did: nothing before it has changed, nor its first row. So all windows from there on are computed
 * anew, and those of the target that are not among them are removed. A series without such a window is computed from
 * its first row.
 */
export async function recomputeSeries(stream: PreparedStream, changed: Changed): Promise<void> {
  const engine = stream.context.engine.complete;
  const { query } = stream;
  const { storage } = query.source.table;
  const where = [writtenBetween('', changed), ...seriesTerms(query)];
  for (let after = 0n; ; ) {
    const rest = printExpr(allOf([...where, expr`i > ${after}`]));
    const page = await engine.rows(
      `SELECT toString(id AS i), toString(min(${printExpr(bareTime)})) FROM ${storage} WHERE ${rest}
       GROUP BY i ORDER BY i LIMIT ${pageSeries}`,
    );
    const touched = page.map(([id, low]): Touched => ({ id: BigInt(String(id)), low: BigInt(String(low)) }));
    if (touched.length > 0) await recomputePage(stream, changed, touched);
    const last = touched.at(-1);
    if (last === undefined || touched.length < pageSeries) return;
    after = last.id;
  }
}

async function recomputePage(stream: PreparedStream, changed: Changed, touched: readonly Touched[]): Promise<void> {
  const groups = await withTargets(stream, changed, touched);
  if (groups.length === 0) return;
  const starts = await lastStarts(stream, groups);
  const startOf = ({ target }: TouchedGroup): bigint => starts.get(target) ?? firstTick;
  const [first = firstTick] = groups.map(startOf).toSorted((a, b) => (a < b ? -1 : 1));
  const ids = groups.map(({ id }) => id);
  const piece: StreamPiece = {
    rows: (alias) => [
      isAmong(idColumn(alias), ids),
      expr`${timeColumn(alias)} >= ${int64(first)}`,
      expr`${timeColumn(alias)} >= ${choice(idColumn(alias), ids.map(number), groups.map(startOf))}`,
    ],
    // Without a window to begin with, those that end before the new rows are history and stay as they were.
    results: (_, end, name) => {
      const limits = groups.map((group) => (starts.has(group.target) ? firstTick : group.low));
      const targets = groups.map(({ target }) => text(target));
      return [expr`${end ?? zero} >= ${choice(name, targets, limits)}`];
    },
  };
  const plan = planPiece(stream, piece);
  const stored = await store(stream, plan);
  const targets = await targetIds(stream, groups);
  if (targets.size === 0) return;
  const known = groups.filter(({ target }) => targets.has(target));
  const knownIds = known.map(({ target }) => targets.get(target) ?? 0n);
  await removeStale(stream, plan, stored, [
    ofSeries(knownIds),
    expr`${bareTime} >= ${choice(idColumn(''), knownIds.map(number), known.map(startOf))}`,
  ]);
}

/** A number that depends on what another expression is. */
function choice(of: Expr, keys: readonly Expr[], values: readonly bigint[]): Expr {
  return expr`transform(${of}, [${keys}], [${values.map(int64)}], ${int64(firstTick)})`;
}

/** The sub-tables that the results of series go to. */
async function withTargets(
  stream: PreparedStream,
  changed: Changed,
  touched: readonly Touched[],
): Promise<readonly TouchedGroup[]> {
  const { context, query, def, names } = stream;
  const { source } = query;
  const rows = (alias: string): Expr[] => [writtenBetween(alias, changed)];
  const groups = planGroups(query, def.name, { ...names, storedRows: rows });
  if (source.kind !== 'super') {
    const [[, target] = []] = await context.engine.complete.rows(`SELECT * FROM (${groups}) LIMIT 1`);
    return touched.map((series) => ({ ...series, target: String(target) }));
  }
  const byId = new Map(touched.map((series) => [String(series.id), series]));
  const named = select({
    columns: [
      [expr`toString(${idColumn('g')})`, ''],
      [column('n', 'target'), ''],
    ],
    from: join('INNER', fromQuery({ raw: groups }, 'n'), tagsSource(source.table, 'g'), [
      expr`${nameColumn('g')} = n.source`,
    ]),
    where: [
      isAmong(
        idColumn('g'),
        touched.map(({ id }) => id),
      ),
    ],
  });
  const targets = await context.engine.complete.rows(printQuery(named));
  return targets.flatMap(([id, target]) => {
    const series = byId.get(String(id));
    return series === undefined ? [] : [{ ...series, target: String(target) }];
  });
}

/** Ids of the sub-tables of results that exist, by name. */
async function targetIds(
  { context, def }: PreparedStream,
  groups: readonly TouchedGroup[],
): Promise<ReadonlyMap<string, bigint>> {
  const database = context.catalogue.database(def.target.database);
  if (database === undefined) return new Map();
  const byName = await context.subTables.lookUp(
    database,
    groups.map(({ target }) => target),
  );
  return new Map([...byName].map(([name, { id }]) => [name, id]));
}

/**
 * By sub-table of results: the start of its last window that began before the new rows; where windows overlap, of as
 * many before it as the first new row may be in. Absent when there are not so many.
 */
async function lastStarts(
  stream: PreparedStream,
  groups: readonly TouchedGroup[],
): Promise<ReadonlyMap<string, bigint>> {
  const { context, def } = stream;
  const targets = await targetIds(stream, groups);
  const table = context.catalogue.table(def.target.database, def.target.table);
  if (targets.size === 0 || table === undefined) return new Map();
  const known = groups.filter(({ target }) => targets.has(target));
  const ids = known.map(({ target }) => targets.get(target) ?? 0n);
  const names = new Map(known.map(({ target }, at) => [String(ids[at]), target]));
  const before = choice(
    idColumn('r'),
    ids.map(number),
    known.map(({ low }) => low),
  );
  const overlap = stream.query.windows.kind === 'rows' ? stream.query.windows.overlap : 1;
  const starts = expr`groupArraySorted(${overlap})(0 - ${timeColumn('r')})`;
  const series = column(undefined, 'i');
  const stored = select({
    columns: [
      [expr`toString(${new Named(idColumn('r'), 'i')})`, ''],
      [expr`toString(0 - ${starts}[${overlap}])`, ''],
    ],
    from: rowsSource(table.storage, 'r'),
    where: [...ofTable(table, 'r'), isAmong(series, ids), expr`${timeColumn('r')} < ${before}`],
    groupBy: [series],
    having: [expr`length(${starts}) = ${overlap}`],
  });
  const rows = await context.engine.complete.rows(printQuery(stored));
  return new Map(rows.map(([id, start]) => [names.get(String(id)) ?? '', BigInt(String(start))]));
}
