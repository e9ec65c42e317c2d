import { yieldToEventLoop } from '../../async/event-loop.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { Access } from '../../database/catalogue/rights.js';
import type { Engine, ResultOptions } from '../../database/engine/engine.js';
import { isResultTooLong } from '../../database/engine/engine-faults.js';
import type { Chunks, ColumnMeta, SqlAnswer } from '../../model/exchange.js';
import { dataType, type ViewDef } from '../../model/schema.js';
import type { WaitingTable, WaitingTables } from '../../model/waiting-tables.js';
import { maxEngineChars, tooLongForEngine } from '../../sql/engine/length.js';
import { arrayRowFormat, bufferedResultSettings, rowFormats } from '../../sql/engine/settings.js';
import { withoutEmptyGroups } from '../../sql/plan/empty-groups.js';
import { outline } from '../../sql/plan/explain.js';
import { planQuery, type QueryPlan, type ReadSeries } from '../../sql/plan/query.js';
import { narrowedQuery } from '../../sql/resolve/narrowed.js';
import { viewQuery } from '../../sql/resolve/views.js';
import type { ObjectName, Query } from '../../sql/syntax/ast.js';
import type { Explain } from '../../sql/syntax/ast-statement.js';
import { collectTables, type QueryContext, systemDatabases } from '../../sql/values/context.js';
import {
  beginStatement,
  listingAnswer,
  type RequestScope,
  runRegistered,
  type StatementContext,
  upToDate,
} from '../context.js';
import type { Listing } from '../definitions/listing.js';
import { listsCatalogue, namesSystemTable, systemRelations } from '../lists/registry.js';
import type { RunningStatement, SystemFacts } from '../lists/system-table.js';
import { visibleTo } from '../running-statements.js';
import { storedIfRoom } from '../stored-if-room.js';
import type { KnownTables } from './plan-cache.js';
import { knownTables, queryContext, withoutViews } from './query-names.js';
import { asUtf8, ended } from './row-pieces.js';

/** Runs a query. It is registered as running until its last row is read or it is cancelled. */
export async function answerQuery(query: Query, scope: RequestScope, context: StatementContext): Promise<SqlAnswer> {
  const running = beginStatement(scope, context);
  try {
    const answer = await upToDate(context, (mayAssume) =>
      rowsOf(query, { ...scope, mayAssume }, running.signal, context),
    );
    if (answer.kind === 'rows') return { ...answer, lines: ended(answer.lines, running.end, running.because) };
    running.end();
    return answer;
  } catch (error) {
    running.end();
    throw running.because() ?? error;
  }
}

/** Longer statements yield to the event loop between reading, looking up names and planning. */
const longStatementChars = 32 * 1024;

/** The scope of a query, and whether its plan may make assumptions. */
type QueryScope = RequestScope & Pick<QueryContext, 'mayAssume'>;

async function rowsOf(
  query: Query,
  scope: QueryScope,
  signal: AbortSignal,
  context: StatementContext,
): Promise<SqlAnswer> {
  const plan = await planned(query, scope, context);
  const { form } = scope.request;
  const format = rowFormats[form];
  const { sql, settings, fitsOneFrame, maxBufferedRows } = plan;
  const tail = ` SETTINGS ${settings} FORMAT ${format}`;
  const options = {
    signal,
    owner: scope.user,
    fitsOneFrame,
    underSeriesLimit: plan.series !== undefined,
    onWaited: scope.waited,
  };
  const run = (limitedStatement?: string): Promise<Chunks> =>
    context.engine.result(`${sql}${tail}`, { ...options, limitedStatement });
  const limited = `${sql} SETTINGS ${settings}${bufferedResultSettings(maxBufferedRows)} FORMAT ${format}`;
  const lines = await (maxBufferedRows === 0 ? run() : runBuffered(scope, context, run, limited));
  // Rows as objects the engine prints as UTF-8 itself, and columns are bytes.
  return { kind: 'rows', meta: plan.meta, lines: form === 'arrays' ? asUtf8(lines) : lines, precision: plan.precision };
}

/**
 * Runs the limited statement, whose result fits the buffer, when the size history predicts that. A longer result fails, and
 * the query runs again without the limit.
 */
async function runBuffered(
  { request }: QueryScope,
  { resultSizes }: Pick<StatementContext, 'resultSizes'>,
  run: (limitedStatement?: string) => Promise<Chunks>,
  limited: string,
): Promise<Chunks> {
  if (resultSizes.fitsBuffer(request)) {
    try {
      return await run(limited);
    } catch (error) {
      if (!isResultTooLong(error)) throw error;
      resultSizes.recordExceeded(request);
    }
  }
  return resultSizes.record(request, await run());
}

/** Runs EXPLAIN, which SHOW QUERIES lists and KILL QUERY cancels like a query. */
export async function answerExplain(
  written: Query,
  how: Explain,
  scope: RequestScope,
  context: StatementContext,
): Promise<SqlAnswer> {
  const { request } = scope;
  const listing = await runRegistered(scope, context, ({ signal }) =>
    upToDate(context, async (mayAssume) => {
      await stored(written, request.database, context);
      const text = request.statement.toString('utf8');
      const { query, context: names } = await readable(written, scope, context);
      const explained = { written, text, query, context: { ...names, mayAssume } };
      return explain(explained, how, context.engine, { signal, owner: scope.user });
    }),
  );
  return listingAnswer(listing, scope);
}

/** The plan of a query, from the plan cache while it is valid. Throws the FaultErrors of planning. */
export async function planned(written: Query, scope: QueryScope, context: StatementContext): Promise<QueryPlan> {
  const { catalogue, storage, plans } = context;
  const { request, user, mayAssume = false } = scope;
  const known: KnownTables = { ...knownTables(storage), isReadable: (table) => storage.isWhole(table) };
  const text = request.statement.toString('utf8');
  const originNow = () => ({ user, request, position: catalogue.position });
  const latest = () => plans.get(written, originNow(), known);
  const series = latest()?.series;
  await (series === undefined ? stored(written, request.database, context) : storedOf(series, context));
  const cached = latest();
  if (cached?.isTimeless === true) return cached;
  // The names may have another meaning now.
  if (series !== undefined && cached === undefined) await stored(written, request.database, context);
  const isLong = text.length > longStatementChars;
  if (isLong) await yieldToEventLoop();
  const origin = originNow();
  const { query, context: names, tables, isInPart } = await readable(written, scope, context);
  if (isLong) await yieldToEventLoop();
  const shown = request.emptyGroups === false ? withoutEmptyGroups(query) : query;
  const plan = planQuery(shown, { ...names, mayAssume });
  if (isInPart) return plan;
  // Lists of what is defined stand in the statement, and may be long.
  if (plan.sql.length > maxEngineChars && !namesSystemTable(query, request.database)) throw tooLongForEngine();
  if (catalogue.position !== origin.position) return plan;
  const { database: current = '' } = request;
  const defs = tables.map(({ database = current, name }) => names.resolveTable(database, name)?.table);
  if (defs.every((table) => table !== undefined)) plans.put(written, origin, plan, defs, known);
  return plan;
}

/** Waits until the acknowledged rows of the tables that a query names are stored. */
function stored(
  query: Query,
  current: string | undefined,
  { writes, catalogue }: StatementContext,
): Promise<void> | undefined {
  const visible = writes.visible(tablesOf(query, current, catalogue));
  return visible && storedIfRoom(visible);
}

/** The tables whose rows a query may read. A name that is no table may be a sub-table; a view or a list may stand for anything. */
export function tablesOf(query: Query, current: string | undefined, catalogue: Catalogue): WaitingTables {
  const waiting: WaitingTable[] = [];
  for (const { database = current, name } of collectTables(query)) {
    if (database === undefined || catalogue.database(database) === undefined) return 'all';
    if (catalogue.table(database, name) !== undefined) waiting.push({ database, table: name });
    else if (catalogue.view(database, name) !== undefined) return 'all';
    else waiting.push({ database });
  }
  return waiting;
}

/** Waits until the acknowledged rows of single series are stored; most series have none in flight. */
function storedOf(series: readonly ReadSeries[], { writes }: StatementContext): Promise<void> | undefined {
  const ids = series.map(({ id }) => id);
  const visible = writes.visible(series, ids);
  return visible && storedIfRoom(visible);
}

/** A query without views, and what its names mean to a user who may read all of them. */
export async function readable(written: Query, { request, user }: RequestScope, context: StatementContext) {
  const access = new Access(context.catalogue, user);
  const query = await withoutViews(written, request.database, access, context);
  const isAboutSystem = namesSystemTable(query, request.database);
  if (listsCatalogue(query, request.database)) await context.catalogue.sync();
  const others = isAboutSystem ? await context.others?.running() : undefined;
  const systemTable = await systemRelations(
    query,
    request.database,
    systemFacts(access, context, request.connectionZone, others),
  );
  const tables = collectTables(query);
  if (!access.readsInPart) {
    const names = await queryContext(tables, systemTable, request, access, 'READ', context);
    return { query, tables, context: names, isInPart: false };
  }
  const names = await queryContext(tables, systemTable, request, access.inPart, 'READ', context);
  const narrowed = narrowedQuery(query, conditionsOf(names, access), () => access.refusal(request.database ?? ''));
  return { query: narrowed, tables, context: names, isInPart: narrowed !== query };
}

/** Conditions on tags under which the user reads a table; undefined where the right to read it has none. */
function conditionsOf({ database: current, resolveTable }: QueryContext, access: Access) {
  return ({ database, name }: ObjectName): readonly string[] | undefined => {
    const holder = database?.text ?? current ?? '';
    const target = systemDatabases.includes(holder) ? undefined : resolveTable(holder, name.text);
    if (target === undefined || access.may('READ', holder, name.text, target.table.name)) return undefined;
    return access.conditions(holder, name.text, target.table.name);
  };
}

/** The columns of a view, for a user who may read its tables. */
export async function viewColumns(
  view: ViewDef,
  scope: RequestScope,
  context: StatementContext,
): Promise<readonly ColumnMeta[]> {
  const request = { ...scope.request, database: view.current };
  const { query, context: names } = await readable(viewQuery(view), { ...scope, request }, context);
  return planQuery(query, names).meta;
}

/** The table that a name means to a user who may write to it, or alter it. */
export function writable(
  { database, name }: ObjectName,
  { request, user }: RequestScope,
  context: StatementContext,
  right: 'WRITE' | 'ALTER' = 'WRITE',
): Promise<QueryContext> {
  const named = { database: database?.text, name: name.text };
  const access = new Access(context.catalogue, user);
  return queryContext([named], () => undefined, request, access, right, context);
}

function systemFacts(
  access: Access,
  context: StatementContext,
  zone = context.connectionZone,
  others: readonly RunningStatement[] = [],
): SystemFacts {
  const { catalogue, subTables, engine, endpoint, variables, started } = context;
  const running = visibleTo(access, [...context.running.all, ...others]);
  const statements = context.running.count;
  const nowMs = Date.now();
  return { catalogue, access, subTables, zone, engine, endpoint, variables, running, statements, started, nowMs };
}

/** A query to be explained, as it was written and as it is planned. */
interface ExplainedQuery {
  readonly written: Query;
  /** The statement that the query was read from. */
  readonly text: string;
  /** The same with its views written out. */
  readonly query: Query;
  readonly context: QueryContext;
}

/** Longest row of text, in bytes. */
const maxLineBytes = 16_384;

/**
 * The rows of EXPLAIN: the steps of the query; when verbose, also the statement of the engine that they become and the engine's own
 * plan with what its indexes leave; to analyse, the query runs, and its cost is shown. Throws the FaultErrors of the query.
 */
async function explain(
  { written, text, query, context }: ExplainedQuery,
  { analyze, verbose }: Explain,
  engine: Engine,
  how: ResultOptions,
): Promise<Listing> {
  const plan = planQuery(query, context);
  const lines = outline(written, text, context);
  if (analyze) lines.push(...(await measured(plan, engine, how)));
  if (verbose) {
    const steps = await engine.rows(`EXPLAIN indexes = 1 ${plan.sql} SETTINGS ${plan.settings}`);
    lines.push(`Statement: ${plan.sql}`, 'Plan of the engine:', ...steps.map(([step]) => `   ${String(step)}`));
  }
  const meta = [{ name: 'QUERY_PLAN', type: dataType('VARCHAR', maxLineBytes) }];
  return { meta, rows: lines.map((line) => [Buffer.from(line).toString('utf8', 0, maxLineBytes)]) };
}

/** Runs a query to its end, discards its rows and returns their number, bytes and time. */
async function measured({ sql, settings }: QueryPlan, engine: Engine, how: ResultOptions): Promise<string[]> {
  const began = performance.now();
  let rows = 0;
  let bytes = 0;
  for await (const piece of await engine.result(`${sql} SETTINGS ${settings} FORMAT ${arrayRowFormat}`, how)) {
    bytes += piece.length;
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++;
  }
  return [`Rows: ${rows}`, `Bytes of the answer: ${bytes}`, `Time: ${(performance.now() - began).toFixed(1)} ms`];
}
