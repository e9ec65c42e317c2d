import type { Settings } from './config/adapter-settings.js';
import { Catalogue } from './database/catalogue/catalogue.js';
import { type Compression, offeredCompression } from './database/catalogue/compression.js';
import { Storage } from './database/catalogue/storage.js';
import { SubTables } from './database/catalogue/sub-tables.js';
import { Changes } from './database/rows/changes.js';
import { StreamStates } from './database/rows/stream-states.js';
import { CredentialCheck } from './database/users/credentials.js';
import type { ComponentLog } from './model/component.js';
import { createMonitoring, type Monitoring } from './monitoring.js';
import { ServiceSignals } from './pipelines/events/signals.js';
import type { RunningEngine } from './running-engine.js';
import { componentLog, type Logger } from './telemetry/logger.js';

/** What the pipelines and doors of one service share. */
export interface ServiceParts {
  readonly settings: Settings;
  readonly version: string;
  readonly engine: RunningEngine;
  readonly monitoring: Monitoring;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly compression: Compression;
  readonly subTables: SubTables;
  readonly credentials: CredentialCheck;
  readonly changes: Changes;
  readonly states: StreamStates;
  readonly signals: ServiceSignals;
  logOf(component: string): ComponentLog;
}

/** Builds the parts over an engine that answers; `readMemoryPercent` takes the place of what is measured. */
export async function createParts(
  engine: RunningEngine,
  settings: Settings,
  version: string,
  logger: Logger,
  readMemoryPercent?: () => number,
): Promise<ServiceParts> {
  const logOf = (component: string): ComponentLog => componentLog(logger, component);
  const monitoring = createMonitoring(settings, engine.pid, logOf('monitor'), readMemoryPercent);
  const catalogue = new Catalogue(engine.client, logOf('catalogue'));
  const compression = await offeredCompression(engine.client, settings.database.compression);
  const storage = new Storage(engine.client, catalogue, compression);
  const subTables = new SubTables(engine.client, catalogue);
  const credentials = new CredentialCheck(catalogue, logOf('credentials'));
  monitoring.metrics.watch(credentials.figures);
  await credentials.prepare();
  const signals = new ServiceSignals();
  const changes = new Changes(engine.client, storage);
  const states = new StreamStates(engine.client);
  const tables = { catalogue, storage, compression, subTables, changes, states };
  return { settings, version, engine, monitoring, ...tables, credentials, signals, logOf };
}
