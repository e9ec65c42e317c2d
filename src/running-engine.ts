import type { Settings } from './config/adapter-settings.js';
import { EngineClient } from './database/client.js';
import { EngineSupervisor } from './database/supervisor.js';
import { componentLog, type Logger } from './telemetry/logger.js';

/** The engine that the service works on. */
export interface RunningEngine {
  readonly client: EngineClient;
  readonly url: string;
  /** Process of the embedded engine, while it runs. */
  pid(): number | undefined;
  /** False while the embedded engine is down; of a cluster nobody knows until it is asked. */
  isUp(): boolean;
  /** True while the process of the embedded engine lives and does not answer. */
  isHung(): boolean;
  /** Calls the listener now and whenever the embedded engine comes or goes, until the result is called. */
  watch(listener: (isUp: boolean) => void): () => void;
  /** Gives all connections up and ends the embedded engine, by force when it has not ended after `withinMs`. */
  stop(withinMs?: number): Promise<void>;
}

const hungText = 'it does not answer, and is started anew when it stays silent';

/** Starts the embedded engine, or finds the one of `database.urls`. */
export async function startEngine({ database, pool, limits: held }: Settings, logger: Logger): Promise<RunningEngine> {
  const limits = {
    maxConnect: pool.maxConnect ?? 0,
    maxIdle: pool.maxIdle ?? 0,
    idleTimeoutMs: pool.idleTimeoutMs ?? 0,
  };
  const [node] = database.urls;
  if (database.mode === 'cluster' && node !== undefined) {
    const { user, password } = database;
    const client = new EngineClient({ ...limits, url: node, user, password, isServer: true });
    return {
      client,
      url: node,
      pid: () => undefined,
      isUp: () => true,
      isHung: () => false,
      watch: () => () => {},
      stop: () => client.close(),
    };
  }
  const { path, host, port, user, password, hangTimeoutMs } = database;
  const secret = password === '' ? {} : { password };
  const log = componentLog(logger, 'engine');
  const maxStatementBytes = held.statementMemoryBytes;
  const supervisor = new EngineSupervisor({ path, host, port, user, ...secret, log, hangTimeoutMs, maxStatementBytes });
  const endpoint = await supervisor.start();
  const client = new EngineClient({ ...limits, ...endpoint, handover: () => supervisor.handover });
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
    isUp: () => supervisor.state === 'up',
    isHung: () => supervisor.state === 'hung',
    watch,
    stop,
  };
}
