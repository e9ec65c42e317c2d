import { EngineClient } from '../../../src/database/engine/client.js';
import type { EngineSupervisor } from '../../../src/database/host/supervisor.js';
import { startEngine } from './engine.js';

/** Files that use the engine and have not ended. */
let users = 0;
let started: ReturnType<typeof startEngine> | undefined;

/** An engine for several files. */
export interface SharedEngine {
  readonly supervisor: EngineSupervisor;
  readonly endpoint: EngineSupervisor['endpoint'];
  /** A connection of this file, which `end` closes. */
  readonly client: EngineClient;
  /** Empties it for the next test. */
  clear(): Promise<void>;
  end(): Promise<void>;
}

/**
 * The engine of all files that need one and start it with nothing of their own. They run in one process, one after the other, and begin
 * their work in `test.before` or in a test, which run in their turn. `end` empties the engine, and stops it with the last file.
 */
export async function sharedEngine(): Promise<SharedEngine> {
  users++;
  started ??= startEngine();
  const { supervisor, endpoint, end: stop } = await started;
  const client = new EngineClient(endpoint);
  const clear = (): Promise<void> => dropAll(client);
  const end = async (): Promise<void> => {
    const isLast = --users === 0;
    if (!isLast) await clear();
    await client.close();
    if (isLast) await stop();
  };
  return { supervisor, endpoint, client, clear, end };
}

async function dropAll(client: EngineClient): Promise<void> {
  const builtIn = "'system', 'default', 'INFORMATION_SCHEMA', 'information_schema'";
  for (const [name] of await client.rows(`SELECT name FROM system.databases WHERE name NOT IN (${builtIn})`)) {
    await client.exec(`DROP DATABASE \`${String(name)}\` SYNC`);
  }
}
