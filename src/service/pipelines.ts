import cluster from 'node:cluster';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BodyBudget } from '../async/body-budget.js';
import type { Settings } from '../config/adapter-settings.js';
import type { Rule } from '../events/rule.js';
import type { WireFormat } from '../model/batch.js';
import type { EventsAdmin } from '../model/exchange.js';
import type { EventChange } from '../model/notification.js';
import { version } from '../model/version.js';
import { Notifier } from '../notify/notifier.js';
import { ByteCreditGate } from '../pipelines/credit-gate.js';
import { queriesOver } from '../pipelines/events/run-query.js';
import type { ScheduledWatchContext } from '../pipelines/events/scheduled-watch.js';
import { type EventsContext, EventsPipeline } from '../pipelines/events.js';
import { newBodyCutter, piecesOf, weigh } from '../pipelines/formats.js';
import { configuredUser, type InputContext, inputsOf } from '../pipelines/inputs.js';
import { guardedGate } from '../pipelines/memory-guard.js';
import { PromqlPipeline } from '../pipelines/promql/pipeline.js';
import type { AlertingRules } from '../pipelines/promql/scope.js';
import { RemoteReadPipeline } from '../pipelines/remote-read.js';
import { type WriteInput, type WriteLog, WritePipeline } from '../pipelines/writes.js';
import { DatabaseSink } from '../sinks/database.js';
import { observed, watched } from '../sinks/layers.js';
import { defineTable, isDefined } from '../sinks/table-preparation.js';
import { readTypesDatabases } from '../sources/agentd/types-database.js';
import { HttpBodySource } from '../sources/http-body/source.js';
import { sourceKinds } from '../sources/kinds.js';
import { scanAnsweredBound } from '../statements/bound/insert-bound.js';
import { PreparePipeline } from '../statements/bound/prepare.js';
import { scanAnswered } from '../statements/inserts/insert-rows.js';
import type { Variable } from '../statements/lists/system-table.js';
import { RunningStatements } from '../statements/running-statements.js';
import { SlowStatements } from '../statements/slow-statements.js';
import { SqlPipeline } from '../statements/sql-pipeline.js';
import { StatementSlots } from '../statements/statement-slots.js';
import { StreamRunner } from '../statements/streams/runner.js';
import { eventsAdmin, type ReadRulesAgain } from './events-admin.js';
import { selfMetrics } from './monitoring.js';
import type { ServiceParts } from './parts.js';
import { adminOfPrimary, otherRows, otherStatements } from './peers.js';
import { logFolder, writeLogMetrics } from './write-log.js';

/** Bodies up to this length are parsed whole; longer ones are cut into blocks of about the other length. */
const smallBodyBytes = 4 * 1024 * 1024;
const blockBytes = 256 * 1024;
/** Bounds of one group of blocks: enough for the engine to be at full speed, little enough to hold in memory. */
const leastMaxRows = 200_000;
const maxGroupBytes = 32 * 1024 * 1024;
/**
 * Groups in flight at once. With more of them, blocks of busy tables leave in smaller groups, which costs more than it
 * saves.
 */
const groupWorkers = 8;
/** Share of the credit, as a divisor, of an input whose senders wait: more would only be held. */
const waitingSendersShare = 8;
const writeTimeoutMs = 120_000;
/** Each may hold `limits.remoteReadBytes`. */
const maxRemoteReads = 4;
/** Limit of further ones that wait, as long as statements do; each holds its request. */
const maxWaitingReads = 64;

/** Limit of concurrent requests about events. */
const maxEventRequests = 8;

/** The pipelines of a service. */
export interface ServicePipelines {
  /** Memory budget of the bodies of all HTTP endpoints. */
  readonly bodies: BodyBudget;
  readonly writes: WritePipeline;
  readonly streams: StreamRunner;
  readonly sql: SqlPipeline;
  readonly prepares: PreparePipeline;
  readonly reads: RemoteReadPipeline;
  readonly promql: PromqlPipeline;
  readonly events: EventsPipeline;
  readonly notifier: Notifier;
  readonly eventsAdmin: EventsAdmin;
}

/** Options of the write pipeline of a service, which that of the load tool lacks. */
interface WritePipelineExtras {
  /** Without it, a write is acknowledged once it is stored. */
  readonly writeLog?: WriteLog;
  /** Called when the write pipeline fails. */
  readonly broke?: (error: unknown) => void;
  /** Missing if the settings cannot be read again. */
  readonly readRules?: ReadRulesAgain | undefined;
}

/**
 * Wires the pipelines; none of them is started. `inputs` are the inputs besides HTTP: by default all that are enabled.
 */
export function createPipelines(
  parts: ServiceParts,
  inputs = listeningInputs(parts),
  more: WritePipelineExtras = {},
): ServicePipelines {
  const { settings, catalogue, monitoring, primary, peers, logOf } = parts;
  const notifier = new Notifier(settings.notify, settings.monitor.identity, logOf('notifications'));
  monitoring.metrics.watch(notifier.metrics);
  const notify = (change: EventChange): void => {
    if (primary === undefined) notifier.add(change);
    else primary.notify({ about: 'event', change });
  };
  const queries: RuleQueries = {
    query: (...query) => queriesOver(sql, promql)(...query),
    visible: (tables) => writes.visible(tables),
  };
  const shareRules = async (rules: readonly Rule[]) => peers?.request({ kind: 'rules', data: rules });
  const events = eventsPipeline(parts, queries, { notify, shareRules });
  const ownAdmin = eventsAdmin({ catalogue, events, notifier, readRules: more.readRules });
  const admin = primary === undefined ? ownAdmin : adminOfPrimary(primary, ownAdmin);
  const bodies = bodyBudget(parts);
  const writes = writePipeline(parts, inputs, events, bodies, more);
  const work = queryWork(parts);
  const sql = sqlPipeline(parts, writes, work);
  const promql = promqlPipeline(parts, writes, work, events.alerting);
  return {
    bodies,
    writes,
    streams: streamRunner(parts, writes),
    sql,
    prepares: preparePipeline(parts),
    reads: readPipeline(parts, writes),
    promql,
    events,
    notifier,
    eventsAdmin: admin,
  };
}

function bodyBudget({ settings: { limits }, monitoring }: ServiceParts): BodyBudget {
  const { waiting: maxWaiting, waitMs } = limits.slots;
  const bodies = new BodyBudget({ limitBytes: limits.bodyBytes, maxWaiting, waitMs });
  monitoring.metrics.watch({
    adapter_body_bytes: { help: 'Bytes held for bodies of HTTP and messages of gRPC.', read: () => bodies.bytes },
    adapter_waiting_bodies: { help: 'Bodies of HTTP that wait for room.', read: () => bodies.waiting },
  });
  return bodies;
}

/** Queries of scheduled rules. */
type RuleQueries = Pick<ScheduledWatchContext, 'query' | 'visible'>;

function eventsPipeline(
  parts: ServiceParts,
  queries: RuleQueries,
  out: Pick<EventsContext, 'notify' | 'shareRules'>,
): EventsPipeline {
  const { settings, engine, catalogue, storage, credentials, monitoring, signals, primary, logOf } = parts;
  const slots = { ...settings.limits.slots, running: maxEventRequests, runningOfUser: 0 };
  const events = new EventsPipeline({
    settings: settings.events,
    rulesFile: join(logFolder(settings), `rules-${settings.general.port}.json`),
    isWorker: primary !== undefined,
    engine: engine.client,
    catalogue,
    storage,
    ...queries,
    ...out,
    credentials,
    slots,
    logOf,
    signals,
    identity: settings.monitor.identity,
    guard$: monitoring.guard.state$,
    watchEngine: (listener) => engine.watch(listener),
  });
  monitoring.metrics.watch(events.metrics);
  return events;
}

function writePipeline(
  parts: ServiceParts,
  inputs: readonly WriteInput[],
  { rules }: EventsPipeline,
  budget: BodyBudget,
  { writeLog, broke }: WritePipelineExtras,
): WritePipeline {
  const { settings, engine, catalogue, storage, subTables, monitoring, signals, logOf } = parts;
  const { limits } = settings;
  const { metrics } = monitoring;
  const meter = signals.metering(metrics);
  const gate = new ByteCreditGate(limits.creditBytes);
  metrics.watch({
    adapter_credit_bytes: { help: 'Bytes taken in over HTTP and not yet answered.', read: () => gate.bytes },
  });
  const tables = { catalogue, storage, subTables };
  const sink = observed(new DatabaseSink({ engine: engine.client, ...tables }), meter);
  const writes = new WritePipeline({
    bodies: bodySource(limits.lineBytes, gate, budget),
    dataSourceNames: readTypesDatabases(settings.sources.agentd.typesDb),
    otlpSuffixes: settings.otlp.suffixes,
    inputs,
    paused$: monitoring.guard.paused$,
    sink: watched(sink, (group) => rules.observe(group)),
    meter,
    gate,
    catalogue,
    subTables,
    definer: {
      isDefined: (block) => isDefined(catalogue, block),
      define: (block) => defineTable(tables, block),
    },
    writeLog,
    others: otherRows(parts.peers),
    broke,
    log: logOf('writes'),
    limits: {
      ...settings.write,
      maxRows: Math.max(leastMaxRows, settings.write.batchSize),
      maxBytes: maxGroupBytes,
      creditBytes: limits.creditBytes,
      workers: groupWorkers,
      maxLineBytes: limits.lineBytes,
      maxMessageBytes: limits.messageBytes,
      writeTimeoutMs,
    },
  });
  writes.readStatement = ({ format, bytes, database, zone, nowNs, user }) => {
    const statement = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const written = { bytes: statement, database: database === '' ? undefined : database, zone, nowNs, user };
    const scan = format === 'bound-rows' ? scanAnsweredBound : scanAnswered;
    return scan(written, { catalogue, subTables });
  };
  if (writeLog !== undefined) metrics.watch(writeLogMetrics(writeLog, () => writes));
  return writes;
}

function bodySource(maxLineBytes: number, gate: ByteCreditGate, budget: BodyBudget): HttpBodySource {
  const newCutter = (format: WireFormat) => newBodyCutter(format, maxLineBytes);
  const bodies = { origin: 'lineproto', smallBodyBytes, blockBytes, maxLineBytes, newCutter, weigh, piecesOf };
  return new HttpBodySource(bodies, gate, budget);
}

/** Slots and lists that SQL and PromQL share. */
interface QueryWork {
  readonly slots: StatementSlots;
  readonly running: RunningStatements;
  readonly slow: SlowStatements;
}

function queryWork({ settings: { limits, monitor } }: ServiceParts): QueryWork {
  const slots = new StatementSlots(limits.slots);
  return { slots, running: new RunningStatements(), slow: new SlowStatements(monitor.slowStatementMs) };
}

function sqlPipeline(parts: ServiceParts, writes: WritePipeline, work: QueryWork): SqlPipeline {
  const { settings, engine, catalogue, storage, subTables, changes, states, credentials, logOf } = parts;
  const { limits } = settings;
  const { metrics } = parts.monitoring;
  const sql = new SqlPipeline({
    engine: engine.client,
    catalogue,
    storage,
    subTables,
    changes,
    states,
    credentials,
    writes,
    log: logOf('sql'),
    connectionZone: settings.database.timeZone,
    version,
    ...work,
    queryBytes: limits.queryBytes,
    queryTimeMs: limits.queryTimeMs,
    endpoint: `${hostname()}:${settings.general.port}`,
    variables: variablesOf(settings, version),
    others: otherStatements(parts.peers),
    processNumber: cluster.worker?.id ?? 0,
    waited: (seconds) => metrics.waited(seconds),
  });
  metrics.watch({
    adapter_sql_running: { help: 'SQL statements that are worked on.', read: () => sql.slotMetrics.running },
    adapter_sql_waiting: { help: 'SQL statements that wait for others to end.', read: () => sql.slotMetrics.waiting },
  });
  return sql;
}

function preparePipeline({ settings, catalogue, subTables, credentials, logOf }: ServiceParts): PreparePipeline {
  const { slots } = settings.limits;
  return new PreparePipeline({ catalogue, subTables, credentials, log: logOf('prepare'), slots });
}

function streamRunner(parts: ServiceParts, writes: WritePipeline): StreamRunner {
  const { settings, engine, catalogue, storage, subTables, changes, states, monitoring, logOf } = parts;
  const tables = { catalogue, storage, subTables, changes, states };
  const connectionZone = settings.database.timeZone;
  const isHeld = (): boolean => monitoring.guard.state !== 'normal';
  const names = { connectionZone, version };
  return new StreamRunner({ ...tables, ...names, engine: engine.client, writes, isHeld, log: logOf('streams') });
}

function readPipeline(
  { settings, engine, catalogue, storage, credentials, logOf }: ServiceParts,
  writes: WritePipeline,
): RemoteReadPipeline {
  const { limits } = settings;
  return new RemoteReadPipeline({
    engine: engine.client,
    catalogue,
    storage,
    credentials,
    writes,
    log: logOf('remote-read'),
    slots: { ...limits.slots, running: maxRemoteReads, runningOfUser: 0, waiting: maxWaitingReads },
    maxMessageBytes: limits.messageBytes,
    maxAnswerBytes: limits.remoteReadBytes,
  });
}

function promqlPipeline(
  { settings, engine, catalogue, storage, credentials, monitoring, logOf }: ServiceParts,
  writes: WritePipeline,
  work: QueryWork,
  alerting: AlertingRules,
): PromqlPipeline {
  const { database, promql } = settings;
  const pipeline = new PromqlPipeline({
    ...work,
    engine: engine.client,
    catalogue,
    storage,
    credentials,
    writes,
    log: logOf('promql'),
    connectionZone: database.timeZone,
    limits: promql,
    alerting,
    waited: (seconds) => monitoring.metrics.waited(seconds),
  });
  monitoring.metrics.watch({
    adapter_promql_samples: {
      help: 'Samples that queries in PromQL hold in memory.',
      read: () => pipeline.heldSamples,
    },
  });
  return pipeline;
}

/** Rows of SHOW VARIABLES: settings that clients look at, none of them secret. */
function variablesOf({ general, limits, database }: Settings, version: string): readonly Variable[] {
  const values = {
    version,
    timezone: database.timeZone,
    charset: 'UTF-8',
    locale: 'en_US.UTF-8',
    maxSQLLength: limits.sqlBytes,
    restfulRowLimit: general.restfulRowLimit,
    smlAutoCreateDB: Number(general.smlAutoCreateDB),
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: String(value) }));
}

/** Every enabled input besides HTTP: the sources with settings of their own, and the self metrics. */
function listeningInputs(parts: ServiceParts): WriteInput[] {
  const { settings, version, monitoring, credentials, signals, logOf } = parts;
  const context: InputContext = {
    // A batch keeps its credit during an outage; that must not block HTTP.
    newGate: (canWait) =>
      guardedGate(monitoring.guard, settings.limits.creditBytes / (canWait ? waitingSendersShare : 1)),
    logOf,
    authenticate: (proof) => credentials.authenticate(proof),
    watch: (metrics) => monitoring.metrics.watch(metrics),
    signals,
    maxLineBytes: settings.limits.lineBytes,
    version,
  };
  return [...inputsOf(sourceKinds, settings.sources, context), ...selfMetricsInput(parts, context)];
}

/** The self metrics as one more input; values that are not stored come with the next ones. */
function selfMetricsInput({ settings, monitoring }: ServiceParts, context: InputContext): WriteInput[] {
  const gate = context.newGate(true);
  const source = selfMetrics(settings, monitoring.metrics, gate, context.logOf('own-figures'));
  if (source === undefined) return [];
  return [{ source, gate, retry: 'sender', user: configuredUser(settings.monitor, source.name, context) }];
}
