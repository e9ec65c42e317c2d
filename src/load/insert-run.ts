import { setMaxListeners } from 'node:events';
import { isTransientError } from '../model/fault.js';
import { tried } from './execution/attempts.js';
import { faultLine } from './execution/statements.js';
import { cutAfterGrace, firstAnswer } from './execution/stopping.js';
import { type InsertContext, runInsert } from './insert/insert.js';
import type { RunSql } from './model/ports.js';
import type { LoadReport } from './model/report.js';
import { type Attempts, type InsertScenario, maxRequestsInFlight } from './model/scenario.js';
import { askVersion, openOrService } from './service-instead.js';
import { HttpService } from './sinks/http-service.js';
import { restStatements } from './sinks/rest-statements.js';
import type { LoadWorld } from './world.js';

/** Surroundings of a run. */
export type LoadRunContext = Pick<InsertContext, 'version' | 'log' | 'watch' | 'stop' | 'readTime'>;

/** Connections to the engine at most: it runs so many statements side by side. */
const maxConnections = 16;
/** Bytes on their way to the engine: what all threads may have in flight. */
const creditBytes = 64 * 1024 * 1024;
/** Connections that are opened before the first row. */
const maxOpenedBeforehand = 64;
/** How long a definition may take, which may drop much. */
const requestTimeoutMs = 5 * 60_000;
/** The schemaless modes fill the engine's tables as others do, but over HTTP everything goes there. */
const overHttp: readonly string[] = ['rest', 'sml-rest'];

/** The ways to the database that a run may use. */
interface Ways {
  readonly world: LoadWorld | undefined;
  readonly http: HttpService | undefined;
  readonly run: RunSql;
}

/** Runs an insertion: opens what its modes need, and gives it back at the end. Throws a FaultError when nothing can be reached. */
export async function runInsertScenario(scenario: InsertScenario, context: LoadRunContext): Promise<LoadReport> {
  const ways = await openWays(scenario, context);
  const cut = new AbortController();
  setMaxListeners(0, cut.signal);
  const callOff = cutAfterGrace(context, () => {
    ways.world?.cut();
    ways.http?.close();
    cut.abort();
  });
  try {
    return await runInsert(scenario, { ...context, ...ways, host: scenario.connection.host, cut: cut.signal });
  } finally {
    callOff();
    await closeWays(ways);
  }
}

async function openWays(scenario: InsertScenario, context: LoadRunContext): Promise<Ways> {
  const plans = scenario.databases.flatMap((database) => database.superTables);
  const attempts = plans[0]?.attempts ?? { more: 0, intervalMs: 0 };
  const needsHttp = scenario.definitionsOverHttp || plans.some(({ mode }) => overHttp.includes(mode));
  const needsWorld = !needsHttp || plans.some(({ mode }) => !overHttp.includes(mode));
  const opened = needsWorld ? await openWorld(scenario, attempts, context) : undefined;
  const world = opened instanceof HttpService ? undefined : opened;
  const http = opened instanceof HttpService ? opened : needsHttp ? openHttp(scenario) : undefined;
  const isHttp = http !== undefined && (scenario.definitionsOverHttp || world === undefined);
  const run = isHttp ? restStatements(http) : world?.run;
  if (run === undefined) throw new Error('A run has no way to the database.');
  try {
    const isAsked = http === undefined || http === opened;
    if (!isAsked) await untilAnswered(() => askFirst(http, context.stop), attempts, context);
    await openConnections(scenario, world, http);
    return { world, http, run };
  } catch (error) {
    await closeWays({ world, http });
    throw error;
  }
}

/** Opens as many connections as there are questions at once, so that rows find them open. What is refused is asked for later. */
async function openConnections(
  { threads, createTableThreads, connectionPoolSize, databases }: InsertScenario,
  world: LoadWorld | undefined,
  http: HttpService | undefined,
): Promise<void> {
  const tables = databases.flatMap(({ superTables }) =>
    superTables.map(({ childFrom, childTo }) => childTo - childFrom),
  );
  const askers = Math.min(Math.max(threads, createTableThreads), Math.max(0, ...tables));
  const length = Math.min(connectionPoolSize, askers, maxOpenedBeforehand);
  await Promise.allSettled(Array.from({ length }, () => Promise.all([world?.ping(), http && askVersion(http)])));
}

/** As {@link askVersion}, with a limit of time. */
function askFirst(http: HttpService, stop: AbortSignal): Promise<void> {
  return firstAnswer({ ask: askVersion(http), otherwise: `No service at ${http.url}`, stop, tooLate: () => {} });
}

async function closeWays({ world, http }: Pick<Ways, 'world' | 'http'>): Promise<void> {
  http?.close();
  await world?.stop();
}

function openHttp({ connection, threads, createTableThreads }: InsertScenario): HttpService {
  const { host, httpPort: port, user, password, tls } = connection;
  const connections = Math.max(threads, createTableThreads);
  return new HttpService({ host, port, user, password, tls, connections, requestTimeoutMs });
}

/** The database as the tool reaches it, or the HTTP service in its place. */
async function openWorld(
  scenario: InsertScenario,
  attempts: Attempts,
  context: LoadRunContext,
): Promise<LoadWorld | HttpService> {
  const { openLoadWorld } = await import('./world.js');
  const { connection, threads, createTableThreads } = scenario;
  const connections = Math.min(maxConnections, Math.max(threads, createTableThreads) + 2);
  const statements = threads * maxRequestsInFlight + createTableThreads + 2;
  const limits = { statements, connections, creditBytes, requestTimeoutMs };
  const open = () => openLoadWorld(connection, context, limits);
  const search = { connection, connections: Math.max(threads, createTableThreads), requestTimeoutMs };
  return untilAnswered(() => openOrService(open, { ...context, ...search }), attempts, context);
}

/** The first answer, over outages that pass; other refusals are final. */
async function untilAnswered<T>(ask: () => Promise<T>, attempts: Attempts, context: LoadRunContext): Promise<T> {
  type Ending = { readonly value: T } | { readonly error: unknown };
  const ending = await tried<Ending>({
    attempts,
    log: context.log,
    stop: context.stop,
    verb: 're-connect',
    run: () =>
      ask()
        .then((value) => ({ value }))
        .catch((error: unknown) => ({ error })),
    trouble: (result) => ('error' in result ? passing(result.error) : undefined),
    again: () => {},
  });
  if ('error' in ending) throw ending.error;
  return ending.value;
}

function passing(error: unknown): string | undefined {
  return isTransientError(error) ? faultLine(error.fault) : undefined;
}
