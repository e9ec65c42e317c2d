import { createSocket } from 'node:dgram';
import { setImmediate as turn } from 'node:timers/promises';

/** Sends datagrams to a port of this machine, one after the other; a receiver in this process reads each before the next. */
export async function sendDatagrams(port: number, datagrams: readonly (string | Uint8Array)[]): Promise<void> {
  const socket = createSocket('udp4');
  for (const datagram of datagrams) {
    await new Promise<void>((resolve) => socket.send(datagram, port, '127.0.0.1', () => resolve()));
    await turn();
  }
  socket.close();
}
