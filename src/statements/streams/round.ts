import type { Changed } from '../../database/store/changes.js';
import type { StreamState } from '../../database/store/stream-states.js';
import type { StreamDef } from '../../model/derivation.js';
import { type Precision, ticksPerSecond } from '../../model/schema.js';
import { allOf, anyOf, inQuery } from '../../sql/engine/build.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { bareTime, idColumn, keysSource, ofTable, timeColumn, writtenBetween } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import type { StreamPiece } from '../../sql/plan/stream.js';
import { type CreateStream, resultsVanish, type StreamQuery } from '../../sql/plan/stream-query.js';
import type { Duration } from '../../sql/syntax/ast.js';
import { durationTicks } from '../../sql/times/timestamp.js';
import type { StreamContext } from './context.js';
import { type PreparedStream, planPiece, preparedStream, seriesTerms, store } from './prepared.js';
import { batched, type RowRange, rowRanges } from './ranges.js';
import { recomputeSeries } from './series-windows.js';
import { removeStale } from './stale.js';

/** Stored rows whose results are brought up to date in one round, at least, when there are that many. */
const maxRoundRows = 5_000_000;

/** How a stream begins. */
export function firstState({ start }: StreamDef): StreamState {
  return { place: start, newest: undefined, opened: undefined, closed: undefined, fault: undefined };
}

/**
 * Works one piece of what was written to the source since into the target. The returned state must be stored once this
 * resolves: done again from the state before, the same work changes nothing. Undefined when there was nothing to do.
 * Throws FaultErrors.
 */
export async function streamRound(
  def: StreamDef,
  statement: CreateStream,
  state: StreamState,
  context: StreamContext,
  signal: AbortSignal,
): Promise<StreamState | undefined> {
  const stream = await preparedStream(def, statement, context, signal);
  const { query } = stream;
  const { table } = query.source;
  await context.writes.visible([{ database: table.database, table: table.name }]);
  await context.changes.track(stream.source, table);
  const series = seriesTerms(query);
  const [changed] = await context.changes.since(
    table,
    state.place,
    maxRoundRows,
    series.length > 0 ? printExpr(allOf(series)) : undefined,
  );
  if (changed === undefined) return undefined;
  const next = { ...state, place: changed.upTo, fault: undefined };
  if (changed.rows === 0) return next;
  if (query.windows.kind === 'rows') {
    await recomputeSeries(stream, changed);
    return next;
  }
  const ranges = await rowRanges(
    context.engine.complete,
    table.storage,
    [writtenBetween('', changed), ...series].map(printExpr),
    stepOf(query),
  );
  const ends = ranges.flatMap(({ low, high }) => [low, high]);
  const [opened, newest] = limitsOf([...ends, ...listed(state.newest), ...listed(state.opened)]);
  if (statement.options.trigger.kind === 'window-close' && query.windows.kind === 'interval') {
    const closed = await closeWindows(stream, { ranges, changed, newest, opened }, state);
    return { ...next, newest: String(newest), opened: String(opened), closed };
  }
  const expired =
    statement.options.ignoreExpired && state.newest !== undefined
      ? BigInt(state.newest) - watermarkOf(stream)
      : undefined;
  await recompute(stream, ranges, expired === undefined ? {} : { above: expired }, changed);
  return { ...next, newest: String(newest), opened: String(opened) };
}

function stepOf({ windows, precision }: StreamQuery): bigint {
  if (windows.kind !== 'interval') return BigInt(ticksPerSecond(precision));
  const { length } = windows;
  return length.behind(0n) - length.firstStart(0n);
}

function watermarkOf({ statement, query }: PreparedStream): bigint {
  return ticksOfDuration(statement.options.watermark, query.precision);
}

function ticksOfDuration(duration: Duration | undefined, precision: Precision): bigint {
  return duration === undefined ? 0n : (durationTicks(duration, precision) ?? 0n);
}

/** Which windows count: those whose end is above one instant and not above another. */
interface Ends {
  readonly above?: bigint;
  readonly upTo?: bigint;
}

/**
 * Computes the results that rows in ranges of time contribute to, each of them from all its rows, and writes them;
 * where it can be known, only those that rows of `changed` contribute to. Many ranges are worked on at once.
 */
async function recompute(
  stream: PreparedStream,
  ranges: readonly RowRange[],
  ends: Ends,
  changed?: Changed,
): Promise<void> {
  for (const batch of batched(ranges)) await recomputeBatch(stream, batch, ends, changed);
}

async function recomputeBatch(
  stream: PreparedStream,
  ranges: readonly RowRange[],
  ends: Ends,
  changed: Changed | undefined,
): Promise<void> {
  const { query } = stream;
  const reach = query.windows.kind === 'interval' ? query.windows.length : undefined;
  const limits = ranges.map(({ low, high }) => ({
    low: reach?.firstStart(low) ?? low,
    behind: reach?.behind(high) ?? high + 1n,
    last: reach?.lastStart(high) ?? high,
  }));
  const [least, most] = limitsOf(limits.flatMap(({ low, behind }) => [low, behind]));
  const vanishing = ends.above === undefined && resultsVanish(stream.statement, query.source.table.tags);
  const only = changed === undefined || vanishing ? () => [] : touchedOnly(query, changed);
  const within = (time: Expr): Expr => anyOf(limits.map(({ low, last }) => between(time, low, last)));
  const piece: StreamPiece = {
    rows: (alias) => {
      const time = timeColumn(alias);
      const inside = anyOf(limits.map(({ low, behind }) => between(time, low, behind - 1n)));
      return [between(time, least, most - 1n), inside, ...only(alias)];
    },
    results: (time, end) => [within(time), ...endTerms(end, ends)],
  };
  const plan = planPiece(stream, piece);
  const stored = await store(stream, plan);
  if (vanishing) await removeStale(stream, plan, stored, [within(bareTime)]);
}

function between(time: Expr, low: bigint, high: bigint): Expr {
  return expr`and(${time} >= ${low}, ${time} <= ${high})`;
}

function endTerms(end: Expr | undefined, { above, upTo }: Ends): Expr[] {
  if (end === undefined) return [];
  const terms = above === undefined ? [] : [expr`${end} > ${above}`];
  return upTo === undefined ? terms : [...terms, expr`${end} <= ${upTo}`];
}

/** Where every group is one series, series that were not written to need no look. */
function touchedOnly({ keys, source }: StreamQuery, changed: Changed): (alias: string) => Expr[] {
  const byTable = keys.some(({ names }) => names.includes('tbname'));
  if (source.kind !== 'super' || !byTable) return () => [];
  const where = [...ofTable(source.table, 'w'), writtenBetween('w', changed)];
  const touched = { columns: [[idColumn('w'), '']], from: keysSource(source.table.storage, 'w'), where } as const;
  return (alias) => [inQuery(idColumn(alias), touched)];
}

/** Rows that came, and the greatest and the least timestamp that ever did. */
interface Arrived {
  readonly ranges: readonly RowRange[];
  readonly changed: Changed;
  readonly newest: bigint;
  readonly opened: bigint;
}

/**
 * Writes the windows that are closed now and were not before, and, unless late rows are ignored, those that were closed
 * before and have new rows. Gives up to where windows are closed.
 */
async function closeWindows(
  stream: PreparedStream,
  { ranges, changed, newest, opened }: Arrived,
  state: StreamState,
): Promise<string | undefined> {
  const { query, statement, context } = stream;
  const before = state.closed === undefined ? undefined : BigInt(state.closed);
  const now = newest - watermarkOf(stream);
  const reach = query.windows.kind === 'interval' ? query.windows.length : undefined;
  if (reach === undefined) throw new Error('Only windows of time are closed by time.');
  if (before !== undefined && !statement.options.ignoreExpired) {
    const late = ranges.filter(({ low }) => reach.firstStart(low) < before);
    await recompute(stream, late, { upTo: before }, changed);
  }
  if (before !== undefined && now <= before) return state.closed;
  const from = reach.firstStart(before ?? opened);
  const rows = [expr`${bareTime} >= ${from}`, expr`${bareTime} < ${now}`, ...seriesTerms(query)].map(printExpr);
  const closing = await rowRanges(context.engine.complete, query.source.table.storage, rows, stepOf(query));
  await recompute(stream, closing, before === undefined ? { upTo: now } : { above: before, upTo: now });
  return String(now);
}

function listed(ticks: string | undefined): bigint[] {
  return ticks === undefined ? [] : [BigInt(ticks)];
}

/** The least and the greatest of some ticks. */
function limitsOf(values: readonly bigint[]): readonly [least: bigint, greatest: bigint] {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : 1));
  return [sorted[0] ?? 0n, sorted.at(-1) ?? 0n];
}
