import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/adapter-settings.js';
import type { SourceOptions } from '../sources/kind.js';
import { sourceOptions } from '../sources/options.js';
import { canListen, type ListenPort } from '../sources/support/listeners.js';

/** How long a port may take to become free: the service that was killed a moment ago still lets go of it. */
const waitMs = 2_000;
const betweenMs = 250;

const ofSources: Readonly<Record<string, SourceOptions>> = sourceOptions;

/** Every port that the settings name; 0, which is any free port, is left out. */
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
export async function requireFreePorts(settings: Settings): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    const ports = wantedPorts(settings);
    const taken: ListenPort[] = [];
    // One after the other: a port that stands in two settings must not be called taken by ourselves.
    for (const port of ports) if (!(await canListen(port.transport, port))) taken.push(port);
    if (taken.length === 0) return;
    if (performance.now() > until) throw new Error(takenText(taken));
    await sleep(betweenMs);
  }
}

function takenText(taken: readonly ListenPort[]): string {
  const parts = taken.map(
    ({ transport, host = '*', port, setting }) => `${transport} ${host}:${port} is in use (${setting})`,
  );
  const advice = taken.length === 1 ? 'choose another one with its setting' : 'choose other ones with their settings';
  return `${parts.join(', ')}: ${advice}, or stop what listens there.`;
}
