import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/adapter-settings.js';
import { canListen, type ListenAddress, type Transport } from '../sources/support/listeners.js';

/** One port that a service will listen on. */
interface WantedPort extends ListenAddress {
  readonly transport: Transport;
}

/** How long a port may take to become free: the service that was killed a moment ago still lets go of it. */
const waitMs = 2_000;
const betweenMs = 250;

/** Every port that the settings name; 0, which is any free port, is left out. */
function wantedPorts({ general, database, otlp, sources }: Settings): WantedPort[] {
  const { statsgw, agentd, graphite, tsdbwireTelnet } = sources;
  const ports: WantedPort[] = [{ transport: 'TCP', port: general.port, setting: '--port' }];
  if (database.mode === 'embedded') {
    ports.push({ transport: 'TCP', host: database.host, port: database.port, setting: '--database.port' });
  }
  if (statsgw.enable) {
    const transport = statsgw.protocol === 'tcp' ? 'TCP' : 'UDP';
    ports.push({ transport, port: statsgw.port, setting: '--statsgw.port' });
  }
  if (agentd.enable) ports.push({ transport: 'UDP', port: agentd.port, setting: '--agentd.port' });
  if (tsdbwireTelnet.enable) {
    for (const port of tsdbwireTelnet.ports) ports.push({ transport: 'TCP', port, setting: '--tsdbwire_telnet.ports' });
  }
  if (graphite.enable) {
    for (const protocol of graphite.protocols) {
      ports.push({ transport: protocol === 'tcp' ? 'TCP' : 'UDP', port: graphite.port, setting: '--graphite.port' });
    }
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
    const wanted = wantedPorts(settings);
    const taken: WantedPort[] = [];
    // One after the other: a port that stands in two settings must not be called taken by ourselves.
    for (const port of wanted) if (!(await canListen(port.transport, port))) taken.push(port);
    if (taken.length === 0) return;
    if (performance.now() > until) throw new Error(takenText(taken));
    await sleep(betweenMs);
  }
}

function takenText(taken: readonly WantedPort[]): string {
  const parts = taken.map(
    ({ transport, host = '*', port, setting }) => `${transport} ${host}:${port} is in use (${setting})`,
  );
  const advice = taken.length === 1 ? 'choose another one with its setting' : 'choose other ones with their settings';
  return `${parts.join(', ')}: ${advice}, or stop what listens there.`;
}
