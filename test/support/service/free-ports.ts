import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** The listeners of agents on any free port, so that services can run beside each other. */
export const freeListeners: readonly string[] = ['--statsgw.port=0', '--agentd.port=0'];

/** Everything that the service listens on, on any free port. */
export const freePorts: readonly string[] = ['--port=0', '--database.port=0', ...freeListeners];

/** Below the ports that the system itself gives to connections, so that none takes one that is free now. */
const lowestPort = 12_000;
const highestPort = 32_000;

/** TCP ports that are free at the moment, for programs that cannot choose one themselves, or whose ports others must know before. */
export async function freeFixedPorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  try {
    while (servers.length < count) {
      const server = createServer().listen(randomInt(lowestPort, highestPort), '127.0.0.1');
      await once(server, 'listening').then(
        () => servers.push(server),
        () => server.close(),
      );
    }
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    await Promise.all(servers.map((server) => once(server.close(), 'close')));
  }
}

/** One such port. */
export async function freePort(): Promise<number> {
  const [port] = await freeFixedPorts(1);
  return port!;
}
