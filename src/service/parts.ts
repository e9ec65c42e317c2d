import type { Settings } from '../config/adapter-settings.js';
import { Catalogue } from '../database/catalogue/catalogue.js';
import { Changes } from '../database/store/changes.js';
import { type Compression, offeredCompression } from '../database/store/compression.js';
import { Storage, type StorageOptions } from '../database/store/storage.js';
import { StreamStates } from '../database/store/stream-states.js';
import { SubTables } from '../database/store/sub-tables.js';
import type { ComponentLog } from '../model/component.js';
import { ServiceSignals } from '../pipelines/events/signals.js';
import { CredentialCheck } from '../statements/users/credentials.js';
import { componentLog, type Logger } from '../telemetry/logger.js';
import type { Peers } from '../workers/peer-requests.js';
import type { PrimaryProcess } from '../workers/primary-process.js';
import { createMonitoring, type Monitoring } from './monitoring.js';
import type { RunningEngine } from './running-engine.js';

/** Parts that the pipelines and endpoints of one service share. */
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
  /** The primary process of this worker; undefined in the primary process itself. */
  readonly primary: PrimaryProcess | undefined;
  /** The other processes of the service; undefined if there are none. */
  readonly peers: Peers | undefined;
  logOf(component: string): ComponentLog;
}

/** Options of the parts of a service, besides its settings. */
interface PartsExtras {
  /** Memory in use in percent, instead of what is measured. */
  readonly readMemoryPercent?: (() => number) | undefined;
  /** Set for a worker. */
  readonly primary?: PrimaryProcess | undefined;
  /** Set if the service has several processes. */
  readonly peers?: Peers | undefined;
  readonly lockShared?: StorageOptions['lockShared'];
}

/** Builds the parts over an engine that answers. */
export async function createParts(
  engine: RunningEngine,
  settings: Settings,
  version: string,
  logger: Logger,
  more: PartsExtras = {},
): Promise<ServiceParts> {
  const logOf = (component: string): ComponentLog => componentLog(logger, component);
  const { primary, peers = primary } = more;
  const processes = { pid: engine.pid, companions: engine.companions, isWorker: primary !== undefined };
  const monitoring = createMonitoring(settings, processes, logOf('monitor'), more.readMemoryPercent);
  if (peers !== undefined) {
    monitoring.metrics.mergeWith(async () => (peers.isEmpty ? [] : peers.request({ kind: 'metrics', data: null })));
  }
  const catalogue = new Catalogue(engine.client, logOf('catalogue'));
  const compression = await offeredCompression(engine.client, settings.database.compression);
  const storage = new Storage(engine.client, catalogue, { compression, lockShared: more.lockShared });
  const subTables = new SubTables(engine.client, catalogue);
  const credentials = new CredentialCheck(catalogue, logOf('credentials'));
  monitoring.metrics.watch(credentials.metrics);
  await credentials.prepare();
  // The first rows need not wait for it; after a failure they retry it.
  subTables.prepare().catch(() => undefined);
  const signals = new ServiceSignals();
  const changes = new Changes(engine.client, storage);
  const states = new StreamStates(engine.client);
  const tables = { catalogue, storage, compression, subTables, changes, states };
  return { settings, version, engine, monitoring, ...tables, credentials, signals, primary, peers, logOf };
}
