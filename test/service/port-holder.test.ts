import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { portHolder } from '../../src/service/port-holder.js';

const self = new RegExp(`^process ${process.pid} \\(\\w[^)]*\\)$`);

for (const host of ['127.0.0.1', '::1']) {
  test(`what listens on a TCP port of ${host} is named by its process and program`, async (t) => {
    const server = createServer().listen(0, host);
    t.teardown(() => server.close());
    await once(server, 'listening');
    const address: AddressInfo | string | null = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    t.regex(portHolder({ transport: 'TCP', port }) ?? '', self);
    server.close();
    await once(server, 'close');
    t.notRegex(portHolder({ transport: 'TCP', port }) ?? '', self);
  });

  test(`what receives on a UDP port of ${host} is named by its process and program`, async (t) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').bind(0, host);
    t.teardown(() => socket.close());
    await once(socket, 'listening');
    t.regex(portHolder({ transport: 'UDP', port: socket.address().port }) ?? '', self);
  });
}
