import type { Settings } from '../config/adapter-settings.js';
import { Catalogue } from '../database/catalogue/catalogue.js';
import { offeredCompression } from '../database/store/compression.js';
import { type MoveOptions, moveDefinitions, moveRows, type RowProgress } from '../database/store/move-rows.js';
import { Storage } from '../database/store/storage.js';
import { SubTables } from '../database/store/sub-tables.js';
import { startEngine } from '../service/running-engine.js';
import { componentLog, createLogger } from '../telemetry/logger.js';

/** How a copy is made, and the listener of its progress. */
interface CopyOptions extends MoveOptions {
  /** Databases, tables and users are there. */
  readonly defined?: () => void;
  readonly progress: RowProgress;
}

/** The copied databases. */
interface Copied {
  readonly rows: number;
  /** Names of topics and streams. */
  readonly followers: readonly string[];
}

/** The settings of a single database in a data directory, for a command that starts its engine by itself. */
export function inDirectory(settings: Settings, path: string): Settings {
  const embedded = { mode: 'embedded', cluster: '', path, port: 0, user: 'default', password: '' } as const;
  return { ...settings, database: { ...settings.database, ...embedded } };
}

/**
 * Copies all databases from the engine of some settings to that of others, which is empty or has them from an earlier
 * call. Both are started, or found, and given up at the end. Rejects with one line.
 */
export async function copyDatabases(source: Settings, target: Settings, options: CopyOptions): Promise<Copied> {
  const logger = createLogger('error');
  const log = componentLog(logger, 'catalogue');
  const from = await startEngine(source, logger);
  try {
    const to = await startEngine(target, logger);
    try {
      const engine = to.client;
      const catalogue = new Catalogue(engine, log);
      const compression = await offeredCompression(engine, target.database.compression);
      const storage = new Storage(engine, catalogue, { compression });
      const parts = { engine, catalogue, storage, subTables: new SubTables(engine, catalogue) };
      const followers = await moveDefinitions(from.client, new Catalogue(from.client, log), parts, options);
      options.defined?.();
      return { rows: await moveRows(from.client, parts, options.progress), followers };
    } finally {
      await to.stop();
    }
  } finally {
    await from.stop();
  }
}
