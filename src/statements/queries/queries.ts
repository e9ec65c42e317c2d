import { yieldToEventLoop } from '../../async/event-loop.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { Access } from '../../database/catalogue/rights.js';
import type { ColumnMeta, SqlAnswer } from '../../model/exchange.js';
import type { ViewDef } from '../../model/schema.js';
import type { WaitingTable, WaitingTables } from '../../model/waiting-tables.js';
import { maxEngineChars, tooLongForEngine } from '../../sql/engine/length.js';
import { rowFormats, withSettings } from '../../sql/engine/settings.js';
import { withoutEmptyGroups } from '../../sql/plan/empty-groups.js';
import { planQuery, type QueryPlan, type ReadSeries } from '../../sql/plan/query.js';
import { narrowedQuery } from '../../sql/resolve/narrowed.js';
import type { Expression, ObjectName, Query } from '../../sql/syntax/ast.js';
import { collectTables, type QueryContext, systemDatabases } from '../../sql/values/context.js';
import { beginStatement, type RequestScope, type StatementContext, upToDate } from '../context.js';
import type { SystemFacts } from '../lists/system-table.js';
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
  const statement = withSettings(plan.sql, plan.settings);
  const engineQuery = { statement, format: rowFormats[form], cacheableUntilChangeOf: plan.tables };
  const underSeriesLimit = plan.series !== undefined;
  const options = { signal, owner: scope.user, underSeriesLimit, onWaited: scope.waited };
  const { engine } = context;
  const lines = await (plan.tables?.length === 0 ? engine.system : engine).result(engineQuery, options);
  // Rows as objects the engine prints as UTF-8 itself, and columns are bytes.
  return { kind: 'rows', meta: plan.meta, lines: form === 'arrays' ? asUtf8(lines) : lines, precision: plan.precision };
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
  if (plan.sql.length > maxEngineChars && !context.systemTables.areNamed(query, request.database))
    throw tooLongForEngine();
  if (catalogue.position !== origin.position) return plan;
  const { database: current = '' } = request;
  const defs = tables.map(({ database = current, name }) => names.resolveTable(database, name)?.table);
  if (defs.every((table) => table !== undefined)) plans.put(written, origin, plan, defs, known);
  return plan;
}

/** Waits until the acknowledged rows of the tables that a query names are stored. */
export function stored(
  query: Query,
  current: string | undefined,
  { writes, catalogue }: StatementContext,
): Promise<void> | undefined {
  const visible = writes.visible(tablesOf(query, current, catalogue));
  return visible && storedIfRoom(visible);
}

/**
 * The tables whose rows a query may read. A name that is no table may be a sub-table; a view or a list may stand for
 * anything.
 */
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
  const { systemTables } = context;
  const isAboutSystem = systemTables.areNamed(query, request.database);
  if (systemTables.listCatalogue(query, request.database)) await context.catalogue.sync();
  const others = isAboutSystem ? await workOfOthers(context) : undefined;
  const systemTable = await systemTables.relations(
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
  const narrowed = narrowedQuery(query, conditionsOf(names, access, context), () =>
    access.refusal(request.database ?? ''),
  );
  return { query: narrowed, tables, context: names, isInPart: narrowed !== query };
}

/** Conditions on tags under which the user reads a table; undefined where the right to read it has none. */
function conditionsOf(
  { database: current, resolveTable }: QueryContext,
  access: Access,
  { reader }: Pick<StatementContext, 'reader'>,
) {
  return ({ database, name }: ObjectName): readonly Expression[] | undefined => {
    const holder = database?.text ?? current ?? '';
    const target = systemDatabases.includes(holder) ? undefined : resolveTable(holder, name.text);
    if (target === undefined || access.may('READ', holder, name.text, target.table.name)) return undefined;
    return access.conditions(holder, name.text, target.table.name)?.map((text) => reader.condition(text));
  };
}

/** The columns of a view, for a user who may read its tables. */
export async function viewColumns(
  view: ViewDef,
  scope: RequestScope,
  context: StatementContext,
): Promise<readonly ColumnMeta[]> {
  const request = { ...scope.request, database: view.current };
  const { query, context: names } = await readable(context.reader.view(view), { ...scope, request }, context);
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

/** What runs and is open in the other processes of the service. */
type OtherWork = Pick<SystemFacts, 'running' | 'connections'>;

async function workOfOthers({ others }: StatementContext): Promise<OtherWork | undefined> {
  if (others === undefined) return undefined;
  const [running, connections] = await Promise.all([others.running(), others.connections()]);
  return { running, connections };
}

function systemFacts(
  access: Access,
  context: StatementContext,
  zone = context.connectionZone,
  others?: OtherWork,
): SystemFacts {
  const { catalogue, subTables, engine, endpoint, variables, started } = context;
  const running = visibleTo(access, [...context.running.all, ...(others?.running ?? [])]);
  const statements = context.running.count;
  const connections = visibleTo(access, [...context.connections.all, ...(others?.connections ?? [])]);
  const nowMs = Date.now();
  return {
    catalogue,
    access,
    subTables,
    zone,
    engine,
    endpoint,
    variables,
    running,
    connections,
    statements,
    started,
    nowMs,
  };
}
