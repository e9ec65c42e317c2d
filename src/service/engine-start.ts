import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/adapter-settings.js';
import type { ComponentLog } from '../model/component.js';
import type { SourceOptions } from '../sources/kind.js';
import { sourceOptions } from '../sources/options.js';
import { canListen, type ListenPort } from '../sources/support/listeners.js';
import { componentLog, type Logger } from '../telemetry/logger.js';
import { portHolder } from './port-holder.js';
import { type RunningEngine, startEngine } from './running-engine.js';

/** An engine whose process has been started, or of a database elsewhere. */
export interface BegunEngine {
  /** The engine once it answers; rejects with one clear line when it cannot start. */
  readonly running: Promise<RunningEngine>;
}

/**
 * Begins to start the engine in a process of its own, which takes as long as loading the code of the service: a caller
 * may do that meanwhile. Rejects with one clear line when a port of the settings is taken; then nothing is started.
 */
export async function beginEngine(settings: Settings, logger: Logger): Promise<BegunEngine> {
  await requireFreePorts(settings);
  logDataDirectory(settings, componentLog(logger, 'service'));
  const running = startEngine(settings, logger);
  // Callers that await it later still get the rejection.
  running.catch(() => {});
  return { running };
}

/** Logs the absolute path, because a relative one depends on the working directory. */
function logDataDirectory({ database }: Settings, log: ComponentLog): void {
  if (database.mode === 'cluster') {
    log.info({ urls: database.urls }, 'The data is in the database of database.urls.');
    return;
  }
  const path = resolve(database.path);
  const isThere = existsSync(path);
  log.info({ path }, isThere ? `The data is in ${path}.` : `A new data directory is made: ${path}.`);
}

/** How long a port may take to become free, ms: a service that was killed a moment ago may still hold it. */
const portTimeoutMs = 2_000;
const retryMs = 250;

const ofSources: Readonly<Record<string, SourceOptions>> = sourceOptions;

/** Every port of the settings, without 0, which is any free port. */
function wantedPorts({ general, database, otlp, sources }: Settings): readonly ListenPort[] {
  const ports: ListenPort[] = [{ transport: 'TCP', port: general.port, setting: '--port' }];
  if (database.mode === 'embedded') {
    ports.push({ transport: 'TCP', host: database.host, port: database.port, setting: '--database.port' });
  }
  for (const [name, settings] of Object.entries(sources)) {
    if (settings.enable) ports.push(...(ofSources[name]?.ports?.(settings) ?? []));
  }
  if (otlp.grpc) ports.push({ transport: 'TCP', port: otlp.grpcPort, setting: '--otlp.grpcPort' });
  return ports.filter(({ port }) => port !== 0);
}

/**
 * Tries every port before anything is started, so that one line names all that are taken. Rejects with that line. Other
 * reasons why a port cannot be listened on are left to the listener, which names them.
 */
async function requireFreePorts(settings: Settings): Promise<void> {
  const until = performance.now() + portTimeoutMs;
  for (;;) {
    const ports = wantedPorts(settings);
    const taken: ListenPort[] = [];
    // Sequential: a port that occurs in two settings must not conflict with our own check.
    for (const port of ports) if (!(await canListen(port.transport, port))) taken.push(port);
    if (taken.length === 0) return;
    if (performance.now() > until) throw new Error(takenText(taken));
    await sleep(retryMs);
  }
}

function takenText(taken: readonly ListenPort[]): string {
  const parts = taken.map(
    ({ transport, host = '*', port, setting }) => `${transport} ${host}:${port} is in use (${setting})`,
  );
  const advice = taken.length === 1 ? 'choose another one with its setting' : 'choose other ones with their settings';
  return `${parts.join(', ')}: ${advice}, or stop what listens there${holdersText(taken)}.`;
}

/** What listens on the ports, as far as the system says: one holder of all without the ports. */
function holdersText(taken: readonly ListenPort[]): string {
  const holders = new Map<string, number[]>();
  for (const address of taken) {
    const holder = portHolder(address);
    if (holder !== undefined) holders.set(holder, [...(holders.get(holder) ?? []), address.port]);
  }
  const [only] = holders.keys();
  if (only === undefined) return '';
  if (holders.size === 1) return `: ${only}`;
  return `: ${[...holders].map(([holder, ports]) => `${holder} (${ports.join(', ')})`).join('; ')}`;
}
