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
import type { FirstProcess } from '../workers/link.js';
import type { EngineNews } from '../workers/messages.js';
import { hasWorkers, processesOf } from './worker-share.js';

/** An engine, and the connections to it. */
interface ServiceEngine extends Engine {
  /** True when the engine answers. */
  ping(): Promise<boolean>;
  /** Gives up all connections; statements that run fail. */
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
  /** False while the embedded engine is down; of a cluster nobody knows until it is asked. */
  isUp(): boolean;
  /** True while the process of the embedded engine lives and does not answer. */
  isHung(): boolean;
  /** Calls the listener now and whenever the embedded engine comes or goes, until the result is called. */
  watch(listener: (isUp: boolean) => void): () => void;
  /**
   * Calls the listener with the number of entries in the catalogue's log whenever it may have changed, whoever has changed it;
   * undefined where nobody tells, and it has to be asked for.
   */
  readonly watchLog?: (listener: (entries: number) => void) => void;
  /** Facts about the embedded engine for workers; undefined where the database is elsewhere. */
  readonly forWorkers?: {
    readonly endpoint: EngineEndpoint;
    news(): Omit<EngineNews, 'pids'>;
    /** Calls the listener now and whenever there is news, until the result is called. */
    onNews(listener: () => void): () => void;
  };
  /** Gives all connections up and ends the embedded engine, by force when it has not ended after `withinMs`. */
  stop(withinMs?: number): Promise<void>;
}

/** The embedded engine that the first process of a service runs, as a worker has it. */
export function engineOfFirst(
  settings: Settings,
  { url, user, password }: EngineEndpoint,
  first: FirstProcess,
): RunningEngine {
  const client = new EngineClient({
    ...limitsOf(settings),
    url,
    user,
    password,
    maxResults: hostResults(settings),
    handover: () => {
      const { handover } = first.engine;
      return handover && { ...handover, maxBytes: handover.maxBytes / processesOf(settings) };
    },
  });
  first.onState((state) => client.refuseAll(state === 'hung' ? hungText : undefined));
  return {
    client,
    url,
    pid: () => undefined,
    companions: () => first.engine.pids.filter((pid) => pid !== process.pid),
    isUp: () => first.engine.state === 'up',
    isHung: () => first.engine.state === 'hung',
    watch: (listener) => first.onState((state) => listener(state === 'up')),
    watchLog: (listener) => first.onLogChange(listener),
    stop: () => client.close(),
  };
}

/** Results that one process may read at a time. */
function hostResults(settings: Pick<Settings, 'general'>): number {
  return Math.max(1, Math.floor(maxHostResults / processesOf(settings)));
}

/** Connections of one process: they share what the settings allow, and each has enough to do several things at once. */
function limitsOf({ general, pool: { maxConnect, maxIdle, idleTimeoutMs } }: Settings): ConnectionLimits {
  const share = Math.max(4, Math.ceil((maxConnect ?? availableParallelism() * 4) / general.workers));
  const most = hasWorkers({ general }) ? share : maxConnect;
  return { maxConnect: most ?? 0, maxIdle: maxIdle ?? 0, idleTimeoutMs: idleTimeoutMs ?? 0 };
}

const hungText = 'it does not answer, and is started anew when it stays silent';

/** Starts the embedded engine, or finds the one of `database.urls`. */
export async function startEngine(settings: Settings, logger: Logger): Promise<RunningEngine> {
  const { database, limits: held, wal } = settings;
  const limits = limitsOf(settings);
  const [node] = database.urls;
  if (database.mode === 'cluster' && database.cluster !== '')
    return openCluster(database, limits, logger, wal.sync !== 'never');
  if (database.mode === 'cluster' && node !== undefined) {
    const { user, password, ca } = database;
    const client = new EngineClient({ ...limits, url: node, user, password, ca, isServer: true });
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
  const client = new EngineClient({ ...limits, ...endpoint, maxResults, handover: () => supervisor.handover });
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
      endpoint,
      news: () => ({ state: supervisor.state, handover: supervisor.handover }),
      onNews: (listener) => supervisor.onState(listener),
    },
    isUp: () => supervisor.state === 'up',
    isHung: () => supervisor.state === 'hung',
    watch,
    watchLog: (listener) => supervisor.onLogChange(listener),
    stop,
  };
}

/** An engine that runs by itself, at a URL: nothing is known of its process. */
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

/** Bounds of the connections to one engine. */
type ConnectionLimits = Pick<EngineClientOptions, 'maxConnect' | 'maxIdle' | 'idleTimeoutMs' | 'requestTimeoutMs'>;

/** The nodes of a cluster, each with connections of its own; nothing is asked of them yet. */
export function clusterNodes(
  { urls, user, password, ca, cluster, replication }: Settings['database'],
  limits: ConnectionLimits,
  logger: Logger,
): ClusterNodes {
  const nodes = urls.map((url) => {
    const client = new EngineClient({ ...limits, url, user, password, ca, isServer: true });
    return new ClusterNode(url, client, { user, password, ca });
  });
  return new ClusterNodes(nodes, { cluster, replication }, componentLog(logger, 'cluster'));
}

/**
 * Finds the nodes of a cluster, each with connections of its own; with `isForced` those are named that do not force stored rows to the disk.
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
