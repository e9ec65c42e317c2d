import { type DestinationContext, withDestination } from './destination/destination.js';
import { socketTopics } from './destination/socket-topics.js';
import { type InsertContext, runInsert } from './insert/insert.js';
import type { LoadReport, QueryReport, SubscribeReport } from './model/report.js';
import {
  type InsertScenario,
  isOverHttp,
  maxRequestsInFlight,
  type QueryScenario,
  type SubscribeScenario,
} from './model/scenario.js';
import { runQueries } from './query/query.js';
import { runSubscription } from './subscribe/subscription.js';

/** Surroundings of a run. */
export type LoadRunContext = Pick<InsertContext, 'version' | 'log' | 'watch' | 'stop' | 'readTime'>;

/** Connections to the engine at most, of which queries use one half for results: it runs so many statements at once. */
const [maxInsertConnections, maxQueryConnections] = [16, 64];
/** Bytes in flight to the engine, of all threads together. */
const insertCreditBytes = 64 * 1024 * 1024;
/** Runs that only read write nothing. */
const creditBytes = 1024 * 1024;
/** How long a definition may take, which may drop much. */
const requestTimeoutMs = 5 * 60_000;

/** Runs an insertion. Throws a FaultError when the database cannot be reached. */
export function runInsertScenario(scenario: InsertScenario, context: LoadRunContext): Promise<LoadReport> {
  const { connection, threads, createTableThreads, databases, definitionsOverHttp } = scenario;
  const plans = databases.flatMap(({ superTables }) => superTables);
  const most = Math.max(threads, createTableThreads);
  const needs = {
    connection,
    statements: definitionsOverHttp ? 'http' : 'embedded',
    rows: plans.map(({ mode }) => (isOverHttp(mode) ? 'http' : 'embedded')),
    attempts: plans[0]?.attempts ?? { more: 0, intervalMs: 0 },
    limits: {
      statements: threads * maxRequestsInFlight + createTableThreads + 2,
      connections: Math.min(maxInsertConnections, most + 2),
      creditBytes: insertCreditBytes,
      requestTimeoutMs,
    },
    httpConnections: most,
    requestTimeoutMs,
  } as const;
  return withDestination(needs, context, (destination) => runInsert(scenario, { ...context, ...destination }));
}

/** Runs queries. Throws a FaultError when the database cannot be reached. */
export function runQueryScenario(
  scenario: QueryScenario,
  context: Pick<LoadRunContext, 'version' | 'log' | 'watch' | 'stop'>,
): Promise<QueryReport> {
  const threads = Math.max(scenario.specified?.threads ?? 1, scenario.superTable?.threads ?? 1);
  const needs = {
    connection: scenario.connection,
    statements: scenario.mode === 'rest' ? 'http' : 'embedded',
    limits: { statements: threads, connections: Math.min(maxQueryConnections, 2 * threads + 2), creditBytes },
    httpConnections: threads,
  } as const;
  return withDestination(needs, context, ({ run }) => runQueries(scenario, { ...context, run }));
}

/** Runs a subscription. Throws a FaultError when the database cannot be reached. */
export function runSubscribeScenario(
  { consume, connection }: SubscribeScenario,
  context: DestinationContext,
): Promise<SubscribeReport> {
  const consumers = consume.kind === 'topics' ? consume.consumers : maxInsertConnections;
  const connections = Math.min(maxInsertConnections, consumers + 2);
  const limits = { statements: consumers + 2, connections, creditBytes };
  const needs = { connection, statements: 'embedded', limits, httpConnections: 2 } as const;
  return withDestination(needs, context, ({ run, embedded, http }) => {
    const subscribe = embedded?.subscribe ?? (http && socketTopics(http.socketAddress));
    if (subscribe === undefined) throw new Error('A subscription has no way to the topics.');
    return runSubscription(consume, { ...context, run, subscribe });
  });
}
