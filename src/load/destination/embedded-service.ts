import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { detached } from '../../async/detached.js';
import { resolveAdapterSettings, type Settings } from '../../config/adapter-settings.js';
import { mistakesIn } from '../../config/resolve.js';
import { Access } from '../../database/catalogue/rights.js';
import { type ConsumerContext, TopicConsumer } from '../../database/consumers/consumer.js';
import { lineForm } from '../../database/consumers/message-form.js';
import { EngineClient } from '../../database/engine/client.js';
import { isUnknownUser } from '../../database/engine/engine-faults.js';
import { isLoopback } from '../../database/host/connection/options.js';
import { type EngineEndpoint, findEndpoint } from '../../database/host/endpoint-file.js';
import type { Component } from '../../model/component.js';
import type { Delivery } from '../../model/delivery.js';
import type { Credentials, SqlAnswer } from '../../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import type { SubscribeTo } from '../../model/topic-message.js';
import { Lifecycle } from '../../pipelines/lifecycle.js';
import { polledCatalogue } from '../../pipelines/polled-catalogue.js';
import { createParts, type ServiceParts } from '../../service/parts.js';
import { createPipelines, type ServicePipelines } from '../../service/pipelines.js';
import { attachedEngine, openCluster, type RunningEngine } from '../../service/running-engine.js';
import { createLogger } from '../../telemetry/logger.js';
import { firstResponse } from '../execution/stopping.js';
import type { RunLog, RunSql, RunSqlOptions, WriteBlocks, WriteLines } from '../model/ports.js';
import type { LoadConnection } from '../model/scenario.js';
import { serverDefaults } from '../settings/keys/table.js';
import { unreachableWords } from './http-service.js';

/** The service's own pipelines inside the tool's process, on the engine of the database, for one user. */
export interface EmbeddedService extends Pick<ServiceParts, 'catalogue' | 'subTables'> {
  /** Statements through the SQL front-end. */
  readonly run: RunSql;
  /** Rows as they are. */
  readonly writeBlocks: WriteBlocks;
  /** Text through the parsers of the schemaless inputs. */
  readonly writeLines: WriteLines;
  /** Topics. */
  readonly subscribe: SubscribeTo;
  /** Pings the engine on one of the connections that rows use. */
  ping(): Promise<boolean>;
  /** Closes all connections at once: requests in flight fail. */
  cut(): void;
  /** Settles what was accepted, then closes all connections. */
  stop(): Promise<void>;
}

/** Surroundings of a run. */
interface EmbeddedContext {
  readonly version: string;
  readonly log: Pick<RunLog, 'debug'>;
  /** Fires when a person stops the run. */
  readonly stop: AbortSignal;
}

/** Limits of a run, in place of those of a server. */
export interface EmbeddedLimits {
  /** Statements that run at once. */
  readonly statements: number;
  /** Connections to the engine. */
  readonly connections: number;
  /** Bytes that are accepted and not yet stored. */
  readonly creditBytes: number;
  /** How long the engine may be silent while a statement runs, where not as long as with the service. */
  readonly requestTimeoutMs?: number;
}

const stopDeadlineMs = 10_000;
const never = new AbortController().signal;
/** Longest wait for a free slot of a statement. */
const slotTimeoutMs = 30_000;

/**
 * Reaches the engine, checks the user of the run, and starts the pipelines that the service is made of.
 * @throws FaultError with one clear line: the engine cannot be reached, or does not know the user or the password; a
 * StoppedBeforehand when `stop` fires meanwhile.
 */
export async function openEmbeddedService(
  connection: LoadConnection,
  { version, log, stop }: EmbeddedContext,
  limits: EmbeddedLimits,
): Promise<EmbeddedService> {
  const { statements, creditBytes, connections: maxConnect, requestTimeoutMs } = limits;
  // The log of the service's parts is shown with -g.
  const logger = createLogger('warn', { stream: { write: (line) => log.debug(line.trimEnd()) }, readable: false });
  const configured = settingsOf(connection);
  const slots = { running: statements, runningOfUser: 0, waiting: statements, waitMs: slotTimeoutMs };
  const settings = { ...configured, limits: { ...configured.limits, creditBytes, slots, queryTimeMs: 0 } };
  const address = addressOf(connection, settings);
  const { database } = settings;
  const isCluster = database.mode === 'cluster' && database.cluster !== '' && !isNamed(connection);
  const engineLimits = { maxConnect, ...(requestTimeoutMs && { requestTimeoutMs }) };
  let engine: RunningEngine | undefined;
  const open = async (): Promise<EmbeddedService> => {
    engine = isCluster
      ? await openCluster(database, engineLimits, logger)
      : attachedEngine(new EngineClient({ ...address, ...engineLimits }), address.url);
    const parts = await createParts(engine, settings, version, logger);
    const { user, password } = connection;
    const credentials = { scheme: 'password', user, password } as const;
    const identity = await parts.credentials.authenticate(credentials);
    if ('kind' in identity) throw new FaultError(identity);
    return startOn(engine, parts, identity.user, credentials);
  };
  try {
    const otherwise = `No database at ${address.url}`;
    return await firstResponse({ response: open(), otherwise, stop, tooLate: (late) => detached(late.stop()) });
  } catch (error) {
    await engine?.stop();
    throw isCluster || !(error instanceof FaultError) ? error : new FaultError(connectionFault(error.fault, address));
  }
}

async function startOn(
  engine: RunningEngine,
  parts: ServiceParts,
  user: string,
  credentials: Credentials,
): Promise<EmbeddedService> {
  const { catalogue, storage, subTables, logOf, settings } = parts;
  const pipelines = createPipelines(parts, []);
  const components: Component[] = [polledCatalogue({ catalogue, storage }), pipelines.writes, pipelines.sql];
  const lifecycle = new Lifecycle(components, logOf('lifecycle'));
  await lifecycle.start();
  const access = new Access(catalogue, user);
  const releaseMultiplier = settings.tmq.releaseIntervalMultiplierForAutocommit;
  const visible: ConsumerContext['visible'] = (tables) => pipelines.writes.visible(tables);
  const consuming = { engine: engine.client, catalogue, storage, subTables, visible };
  return {
    catalogue,
    subTables,
    run: (statement, options = {}) => runSql(pipelines, credentials, statement, options),
    writeBlocks: async (blocks, bytes) => {
      for (const { database, table } of blocks) access.require('WRITE', database, table);
      return pipelines.writes.insert({ blocks, user, bytes });
    },
    writeLines: (lines) => writeLines(pipelines, user, credentials, lines),
    subscribe: (topics, consumer) =>
      TopicConsumer.subscribe(topics, { ...consumer, user, releaseMultiplier }, lineForm, consuming),
    ping: () => engine.client.ping(),
    cut: () => engine.client.close(),
    stop: async () => {
      await lifecycle.stop(stopDeadlineMs);
      await engine.stop();
    },
  };
}

function runSql(
  { sql }: ServicePipelines,
  credentials: Credentials,
  statement: string | Buffer,
  { database, timeZone = 'UTC', signal = never }: RunSqlOptions,
): Promise<SqlAnswer> {
  return new Promise((resolve, reject) => {
    sql.request({
      id: randomUUID(),
      request: {
        statement: typeof statement === 'string' ? Buffer.from(statement) : statement,
        database,
        credentials,
        timeZone,
        connectionZone: undefined,
        form: 'arrays',
        rowLimit: -1,
      },
      aborted: signal,
      answer: resolve,
      refuse: (refused) => reject(new FaultError(refused)),
    });
  });
}

function writeLines(
  { writes }: ServicePipelines,
  user: string,
  credentials: Credentials,
  { database, format, precision, text }: Parameters<WriteLines>[0],
): Promise<Delivery> {
  return new Promise((resolve, reject) => {
    const request = {
      format,
      credentials,
      target: { database, createDatabase: false, ttl: 0, precision },
      body: Readable.from([text]),
      length: text.length,
    };
    const refuse = (refused: Fault): void => reject(new FaultError(refused));
    writes.write({ id: '', request, aborted: never, answer: resolve, refuse }, user);
  });
}

/**
 * The settings of the service as the directory of the connection (`adapter.toml`), the environment and the defaults
 * have them.
 * @throws FaultError that names invalid settings.
 */
function settingsOf({ configDirectory }: LoadConnection): Settings {
  const argv = configDirectory === undefined ? [] : [`--dbConfigDir=${configDirectory}`];
  const resolution = resolveAdapterSettings('sluice-bench', argv, process.env);
  if (resolution.outcome === 'settings') return resolution.settings;
  throw new FaultError(fault('parameter', Codes.invalidParameters, mistakesIn(resolution).join(' ')));
}

/**
 * Where the engine is: host and port of the run where they are not the defaults, otherwise those of the settings. User
 * and password are those of the settings; an engine of this machine that runs as the same operating-system user
 * publishes its own.
 */
function addressOf(connection: LoadConnection, { database }: Settings): EngineEndpoint {
  const { user, password } = database;
  const [node] = database.urls;
  const isServer = database.mode === 'cluster';
  if (isServer && node !== undefined && !isNamed(connection)) return { url: node, user, password };
  // An address that is listened on is no address to call.
  const own = database.host === '0.0.0.0' || database.host === '::' ? '127.0.0.1' : database.host;
  const host = connection.host === serverDefaults.host ? own : connection.host;
  const port = connection.port === serverDefaults.port ? database.port || connection.port : connection.port;
  const endpoint = password === '' && isLoopback(host) ? findEndpoint(port) : undefined;
  if (endpoint !== undefined) return endpoint;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, user, password };
}

function isNamed({ host, port }: LoadConnection): boolean {
  return host !== serverDefaults.host || port !== serverDefaults.port;
}

/** True when only HTTP can reach the database: an engine admits clients of other machines with its password alone. */
export function isBehindHttp(connection: LoadConnection): boolean {
  const { url, password } = addressOf(connection, settingsOf(connection));
  return password === '' && !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** Message for a person when the engine cannot be used at all; other faults stay as they are. */
export function connectionFault(failure: Fault, { url, password, directory }: EngineEndpoint): Fault {
  if (isUnknownUser(failure)) {
    const isSet = password !== '';
    const cause =
      directory === undefined
        ? 'the password of ADAPTER_DATABASE_PASSWORD or adapter.toml is not its own'
        : 'another engine on that port has written its password over the one of this; start the service again';
    const hint = isSet
      ? cause
      : 'name its password with ADAPTER_DATABASE_PASSWORD or a directory with adapter.toml (-c), or run as its user';
    const text = `The database engine at ${url} lets nobody in without its password: ${hint}`;
    // An engine that has just begun to listen is about to publish its endpoint.
    return fault(isSet ? 'auth' : 'network', Codes.authenticationFailure, text, failure);
  }
  if (failure.kind !== 'network') return failure;
  const text = `No database at ${url}: ${unreachableWords(failure.cause)}; start the service, or name the port with -P`;
  return fault('network', Codes.networkUnavailable, text, failure);
}
