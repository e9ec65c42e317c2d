import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { detached } from '../async/detached.js';
import type { Settings } from '../config/adapter-settings.js';
import { Access } from '../database/catalogue/rights.js';
import { TopicConsumer } from '../database/consumers/consumer.js';
import type { Component } from '../model/component.js';
import type { Delivery } from '../model/delivery.js';
import type { Credentials, SqlAnswer } from '../model/exchange.js';
import { type Fault, FaultError } from '../model/fault.js';
import type { SubscribeTo } from '../model/topic-message.js';
import { Lifecycle } from '../pipelines/lifecycle.js';
import { polledCatalogue } from '../pipelines/polled-catalogue.js';
import { createParts, type ServiceParts } from '../service/parts.js';
import { createPipelines, type ServicePipelines } from '../service/pipelines.js';
import { openCluster, type RunningEngine } from '../service/running-engine.js';
import { createLogger } from '../telemetry/logger.js';
import { addressOf, connectionFault, engineAt, isOnCluster, settingsOf } from './engine-address.js';
import { firstAnswer } from './execution/stopping.js';
import type { RunLog, RunSql, RunSqlOptions, WriteBlocks, WriteLines } from './model/ports.js';
import type { LoadConnection } from './model/scenario.js';

/** The service's own ways to the database inside the tool's process, used as one user. */
export interface LoadWorld extends Pick<ServiceParts, 'catalogue' | 'storage' | 'subTables'> {
  /** The user of the run, whose rights count. */
  readonly user: string;
  /** Statements through the SQL front-end. */
  readonly run: RunSql;
  /** Rows as they are. */
  readonly writeBlocks: WriteBlocks;
  /** Text through the parsers of the schemaless doors. */
  readonly writeLines: WriteLines;
  /** Topics. */
  readonly subscribe: SubscribeTo;
  /** Asks the engine for a sign of life on one of the connections that rows go over. */
  ping(): Promise<boolean>;
  /** Gives up all connections at once: what is under way fails. */
  cut(): void;
  /** Settles what was taken, then gives up all connections. */
  stop(): Promise<void>;
}

/** Surroundings of a run. */
export interface LoadWorldContext {
  readonly version: string;
  readonly log: Pick<RunLog, 'debug'>;
  /** Fires when a person asks for the end. */
  readonly stop: AbortSignal;
}

/** How much the tool asks for at once. */
interface LoadWorldLimits {
  /** Statements that run at once. */
  readonly statements: number;
  /** Connections to the engine. */
  readonly connections: number;
  /** Bytes that are taken and not yet stored. */
  readonly creditBytes: number;
  /** How long the engine may be silent while a statement runs, where not as long as with the service. */
  readonly requestTimeoutMs?: number;
}

const stopDeadlineMs = 10_000;
const utc = 'UTC';
const never = new AbortController().signal;
/** Waits for a connection that hangs no longer than that. */
const lettingInTimeoutMs = 30_000;

/**
 * Reaches the engine, checks the user of the run, and starts the pipelines that the service is made of.
 * @throws FaultError with one clear line: the engine cannot be reached, or does not know the user or the password; a
 * StoppedBeforehand when `stop` fires meanwhile.
 */
export async function openLoadWorld(
  connection: LoadConnection,
  { version, log, stop }: LoadWorldContext,
  limits: LoadWorldLimits,
): Promise<LoadWorld> {
  // The log of the service's parts is for those who want to know more.
  const logger = createLogger('warn', { stream: { write: (line) => log.debug(line.trimEnd()) }, readable: false });
  const settings = settingsFor(settingsOf(connection), limits);
  const address = addressOf(connection, settings);
  const isSpread = isOnCluster(connection, settings);
  let engine: RunningEngine | undefined;
  const open = async (): Promise<LoadWorld> => {
    const { connections: maxConnect, requestTimeoutMs } = limits;
    engine = isSpread
      ? await openCluster(settings.database, { maxConnect, ...(requestTimeoutMs && { requestTimeoutMs }) }, logger)
      : engineAt(address, maxConnect, requestTimeoutMs);
    const parts = await createParts(engine, settings, version, logger);
    const { user, password } = connection;
    const credentials = { scheme: 'password', user, password } as const;
    const identity = await parts.credentials.authenticate(credentials);
    if ('kind' in identity) throw new FaultError(identity);
    return startOn(engine, parts, identity.user, credentials);
  };
  try {
    const otherwise = `No database at ${address.url}`;
    return await firstAnswer({ ask: open(), otherwise, stop, tooLate: (late) => detached(late.stop()) });
  } catch (error) {
    await engine?.stop();
    const isTold = isSpread || !(error instanceof FaultError);
    throw isTold ? error : new FaultError(connectionFault(error.fault, address));
  }
}

/** The service's settings with the bounds of a run in place of those of a server. */
function settingsFor(settings: Settings, { statements, creditBytes }: LoadWorldLimits): Settings {
  const slots = { running: statements, runningOfUser: 0, waiting: statements, waitMs: lettingInTimeoutMs };
  return { ...settings, limits: { ...settings.limits, creditBytes, slots, queryTimeMs: 0 } };
}

async function startOn(
  engine: RunningEngine,
  parts: ServiceParts,
  user: string,
  credentials: Credentials,
): Promise<LoadWorld> {
  const { catalogue, storage, subTables, logOf, settings } = parts;
  const pipelines = createPipelines(parts, []);
  const components: Component[] = [polledCatalogue({ catalogue, storage }), pipelines.writes, pipelines.sql];
  const lifecycle = new Lifecycle(components, logOf('lifecycle'));
  await lifecycle.start();
  const access = new Access(catalogue, user);
  const releaseMultiplier = settings.tmq.releaseIntervalMultiplierForAutocommit;
  const consuming = { engine: engine.client, catalogue, storage, subTables };
  return {
    catalogue,
    storage,
    subTables,
    user,
    run: (statement, options = {}) => runSql(pipelines, credentials, statement, options),
    writeBlocks: async (blocks, bytes) => {
      for (const { database, table } of blocks) access.require('WRITE', database, table);
      return pipelines.writes.insert({ blocks, user, bytes });
    },
    writeLines: (lines) => writeLines(pipelines, user, credentials, lines),
    subscribe: (topics, consumer) =>
      TopicConsumer.subscribe(topics, { ...consumer, user, releaseMultiplier }, consuming),
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
  { database, timeZone = utc, signal = never }: RunSqlOptions,
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
