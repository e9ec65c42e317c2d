import { once } from 'node:events';
import { createServer } from 'node:net';

/** The listeners of agents on any free port, so that services can run beside each other. */
export const freeListeners: readonly string[] = ['--statsgw.port=0', '--agentd.port=0'];

/** Everything that the service listens on, on any free port. */
export const freePorts: readonly string[] = ['--port=0', '--database.port=0', ...freeListeners];

/** A TCP port that is free at the moment, for a program that cannot choose one itself. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  server.close();
  await once(server, 'close');
  return address.port;
}
