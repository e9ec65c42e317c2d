import { availableParallelism } from 'node:os';
import type { Settings } from '../config/adapter-settings.js';
import { warnOfLossyNodes } from '../database/cluster/disk-settings.js';
import { ClusterEngine } from '../database/cluster/engine.js';
import { ClusterNode } from '../database/cluster/node.js';
import { ClusterNodes } from '../database/cluster/nodes.js';
import { EngineClient, type EngineClientOptions, maxHostResults } from '../database/engine/client.js';
import type { Engine } from '../database/engine/engine.js';
import type { EngineEndpoint } from '../database/host/endpoint-file.js';
import { EngineSupervisor } from '../database/host/supervisor.js';
import { componentLog, type Logger } from '../telemetry/logger.js';
import type { EngineStatus } from '../workers/messages.js';
import type { PrimaryProcess } from '../workers/primary-process.js';
import { hasWorkers, processesOf } from './worker-share.js';

/** An engine, and the connections to it. */
interface ServiceEngine extends Engine {
  /** True when the engine answers. */
  ping(): Promise<boolean>;
  /** Closes all connections; statements in flight fail. */
  close(): Promise<void>;
}

/** The engine that the service works on. */
export interface RunningEngine {
  readonly client: ServiceEngine;
  readonly url: string;
  /** Process of the embedded engine, while it runs. */
  pid(): number | undefined;
  /** The other processes of the service, with that of the embedded engine. */
  companions(): readonly number[];
  /** False while the embedded engine is down, or a cluster lacks a shard. */
  isUp(): boolean;
  /** True while the process of the embedded engine lives and does not answer. */
  isHung(): boolean;
  /** Calls the listener now and whenever the embedded engine goes up or down, until the result is called. */
  watch(listener: (isUp: boolean) => void): () => void;
  /**
   * Calls the listener with the number of entries in the catalogue's log whenever any process may have changed it;
   * undefined if there is no notification and the log must be polled.
   */
  readonly watchLog?: (listener: (entries: number) => void) => void;
  /** The embedded engine's endpoint and status for workers; undefined for an external database. */
  readonly forWorkers?: {
    readonly endpoint: EngineEndpoint;
    status(): Omit<EngineStatus, 'pids'>;
    /** Calls the listener now and whenever the status changes, until the result is called. */
    onStatus(listener: () => void): () => void;
  };
  /** Closes all connections and stops the embedded engine, by force after `withinMs`. */
  stop(withinMs?: number): Promise<void>;
}

/** A worker's connection to the embedded engine of the primary process. */
export function engineOfPrimary(
  settings: Settings,
  { url, user, password }: EngineEndpoint,
  primary: PrimaryProcess,
): RunningEngine {
  const client = new EngineClient({
    ...limitsOf(settings),
    url,
    user,
    password,
    maxResults: hostResults(settings),
    directory: () => {
      const { directory } = primary.engine;
      return directory && { ...directory, maxBytes: directory.maxBytes / processesOf(settings) };
    },
  });
  primary.onState((state) => client.refuseAll(state === 'hung' ? hungText : undefined));
  return {
    client,
    url,
    pid: () => undefined,
    companions: () => primary.engine.pids.filter((pid) => pid !== process.pid),
    isUp: () => primary.engine.state === 'up',
    isHung: () => primary.engine.state === 'hung',
    watch: (listener) => primary.onState((state) => listener(state === 'up')),
    watchLog: (listener) => primary.onLogChange(listener),
    stop: () => client.close(),
  };
}

/** Limit of concurrent results of one process. */
function hostResults(settings: Pick<Settings, 'general'>): number {
  return Math.max(1, Math.floor(maxHostResults / processesOf(settings)));
}

/** Connections of one process: its share of the limit in the settings, but at least four. */
function limitsOf({ general, pool: { maxConnect, maxIdle, idleTimeoutMs } }: Settings): ConnectionLimits {
  const share = Math.max(4, Math.ceil((maxConnect ?? availableParallelism() * 4) / general.workers));
  const most = hasWorkers({ general }) ? share : maxConnect;
  return { maxConnect: most ?? 0, maxIdle: maxIdle ?? 0, idleTimeoutMs: idleTimeoutMs ?? 0 };
}

const hungText = 'it does not answer, and is started anew when it stays silent';

/** Starts the embedded engine, or connects to `database.urls`. */
export async function startEngine(settings: Settings, logger: Logger): Promise<RunningEngine> {
  const { database, limits: held, wal } = settings;
  const limits = limitsOf(settings);
  const [node] = database.urls;
  if (database.mode === 'cluster' && database.cluster !== '')
    return openCluster(database, limits, logger, wal.sync !== 'never');
  if (database.mode === 'cluster' && node !== undefined) {
    const { user, password, ca } = database;
    const client = new EngineClient({ ...limits, url: node, user, password, ca });
    return attachedEngine(client, node);
  }
  const { path, host, port, user, password, hangTimeoutMs } = database;
  const secret = password === '' ? {} : { password };
  const log = componentLog(logger, 'engine');
  const sync = wal.sync !== 'never';
  const memory = { maxStatementBytes: held.statementMemoryBytes, maxUserBytes: held.userMemoryBytes };
  const supervisor = new EngineSupervisor({ path, host, port, user, ...secret, log, hangTimeoutMs, ...memory, sync });
  const endpoint = await supervisor.start();
  const maxResults = hostResults(settings);
  const client = new EngineClient({ ...limits, ...endpoint, maxResults });
  supervisor.onState((state) => client.refuseAll(state === 'hung' ? hungText : undefined));
  const watch = (listener: (isUp: boolean) => void) => supervisor.onState((state) => listener(state === 'up'));
  const stop = async (withinMs?: number): Promise<void> => {
    await client.close();
    await supervisor.stop(withinMs);
  };
  return {
    client,
    url: endpoint.url,
    pid: () => supervisor.pid,
    companions: () => (supervisor.pid === undefined ? [] : [supervisor.pid]),
    forWorkers: {
      endpoint: { url: endpoint.url, user: endpoint.user, password: endpoint.password },
      status: () => ({ state: supervisor.state, directory: supervisor.directory }),
      onStatus: (listener) => supervisor.onState(listener),
    },
    isUp: () => supervisor.state === 'up',
    isHung: () => supervisor.state === 'hung',
    watch,
    watchLog: (listener) => supervisor.onLogChange(listener),
    stop,
  };
}

/** An external engine at a URL, whose process is unknown. */
export function attachedEngine(client: EngineClient, url: string): RunningEngine {
  return {
    client,
    url,
    pid: () => undefined,
    companions: () => [],
    isUp: () => true,
    isHung: () => false,
    watch: () => () => {},
    stop: () => client.close(),
  };
}

/** Limits of the connections to one engine. */
type ConnectionLimits = Pick<EngineClientOptions, 'maxConnect' | 'maxIdle' | 'idleTimeoutMs' | 'requestTimeoutMs'>;

/** The nodes of a cluster, each with connections of its own; no request is sent yet. */
export function clusterNodes(
  { urls, user, password, ca, cluster, replication }: Settings['database'],
  limits: ConnectionLimits,
  logger: Logger,
): ClusterNodes {
  const nodes = urls.map((url) => {
    const client = new EngineClient({ ...limits, url, user, password, ca });
    return new ClusterNode(url, client, { user, password, ca });
  });
  return new ClusterNodes(nodes, { cluster, replication }, componentLog(logger, 'cluster'));
}

/**
 * Connects to the nodes of a cluster; with `isForced` it warns of nodes that do not sync stored rows to the disk.
 * Rejects as {@link ClusterEngine.start} does.
 */
export async function openCluster(
  settings: Settings['database'],
  limits: ConnectionLimits,
  logger: Logger,
  isForced = false,
): Promise<RunningEngine> {
  const { cluster, replication, urls } = settings;
  const layout = { cluster, replication };
  const nodes = clusterNodes(settings, limits, logger);
  const client = new ClusterEngine(nodes, layout);
  try {
    await client.start();
  } catch (error) {
    await client.close();
    throw error;
  }
  if (isForced) warnOfLossyNodes(nodes, componentLog(logger, 'cluster'));
  const isUp = (): boolean => !client.isMissing;
  return {
    client,
    url: urls.join(','),
    pid: () => undefined,
    companions: () => [],
    isUp,
    isHung: () => false,
    watch: (listener) => {
      let last = isUp();
      listener(last);
      return nodes.watch(() => {
        const now = isUp();
        if (now === last) return;
        last = now;
        listener(now);
      });
    },
    stop: () => client.close(),
  };
}
