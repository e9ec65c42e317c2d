import { once } from 'node:events';
import net from 'node:net';
import test from 'ava';
import { boundTables } from '../../support/inputs/bound-rows.js';
import { SocketClient } from '../../support/inputs/socket-client.js';
import { queryRows } from '../../support/inputs/socket-rows.js';
import { root, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const { service, end } = await startService('--limits.statementWait=2s');
test.after.always(end);
test.before(async () => {
  await service.run('CREATE DATABASE hostile');
  await service.run('CREATE STABLE hostile.s (ts TIMESTAMP, w VARCHAR(60000)) TAGS (g INT)');
  await service.run("CREATE USER guest PASS 'Secret-12345'");
  await service.run('GRANT ALL ON hostile.* TO guest');
});

const mb = 2 ** 20;
const guest = { user: 'guest', password: 'Secret-12345', db: 'hostile' };

/** Bytes of memory beyond those of another time. */
function growth(before: number): number {
  return service.memory('VmRSS') - before;
}

/** How long a request of another client takes, in ms. */
async function servedIn(client: SocketClient): Promise<number> {
  const begun = performance.now();
  await queryRows(client, 'SELECT count(*) FROM s');
  return performance.now() - begun;
}

/** A figure of `/metrics`. */
async function figure(name: string): Promise<number> {
  const { text } = await service.request({ method: 'GET', path: '/metrics' });
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** A connection of which the test writes the frames. */
async function rawSocket(path = '/ws'): Promise<net.Socket> {
  const socket = net.connect(service.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  );
  await once(socket, 'data');
  return socket;
}

/** The head of a masked frame: a text (1) or binary data (2) of so many bytes. */
function frameHead(opcode: number, length: bigint): Buffer {
  const head = Buffer.alloc(14);
  head.writeUInt8(0x80 + opcode, 0);
  head.writeUInt8(0x80 + 127, 1);
  head.writeBigUInt64BE(length, 2);
  return head;
}

test.serial('clients that have not logged in make the service hold little of a message', async (t) => {
  const before = service.memory('VmRSS');
  const piece = Buffer.alloc(mb, 0x20);
  const sockets = await Promise.all(Array.from({ length: 8 }, () => rawSocket()));
  for (const socket of sockets) {
    socket.write(frameHead(1, 100n * BigInt(mb)));
    for (let at = 0; at < 60; at++) socket.write(piece);
  }
  await until(() => sockets.every(({ destroyed, readableEnded }) => destroyed || readableEnded));
  t.true(growth(before) < 100 * mb, `${growth(before) / mb} MB`);
});

test.serial('lengths of frames beyond the limit close the connection, and others are served', async (t) => {
  const other = await SocketClient.logIn(service.port, { ...root, db: 'hostile' });
  for (const length of [2n ** 31n, 2n ** 40n, 2n ** 63n - 1n, 2n ** 64n - 1n]) {
    const socket = await rawSocket('/rest/ws');
    socket.write(frameHead(2, length));
    await once(socket, 'close');
    t.true((await servedIn(other)) < 1_000);
  }
  other.socket.close();
});

test.serial('long messages that do not end share the room of all bodies, and others are served', async (t) => {
  const other = await SocketClient.logIn(service.port, { ...root, db: 'hostile' });
  const before = service.memory('VmRSS');
  const login = Buffer.from(JSON.stringify({ action: 'conn', args: guest }));
  const sockets = await Promise.all(Array.from({ length: 6 }, () => rawSocket()));
  for (const socket of sockets) {
    socket.write(Buffer.concat([frameHead(1, BigInt(login.length)), login]));
    await once(socket, 'data');
    socket.write(frameHead(2, 120n * BigInt(mb)));
    const piece = Buffer.alloc(mb, 0x20);
    for (let at = 0; at < 100; at++) socket.write(piece);
  }
  for (let at = 0; at < 10; at++) t.true((await servedIn(other)) < 1_000);
  // Those that found no room in time were closed.
  await until(() => sockets.some(({ destroyed, readableEnded }) => destroyed || readableEnded));
  t.true(growth(before) < 400 * mb, `${growth(before) / mb} MB`);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await figure('adapter_body_bytes')) === 0);
  other.socket.close();
});

test.serial('rows that are bound and never executed share the room of all bodies', async (t) => {
  const other = await SocketClient.logIn(service.port, { ...root, db: 'hostile' });
  const client = await SocketClient.logIn(service.port, guest);
  const before = service.memory('VmRSS');
  const values = Array.from({ length: 100 }, () => 'x'.repeat(50_000));
  const times = values.map((_, at) => 1_700_000_000_000 + at);
  const columns = [
    { type: 9, values: times },
    { type: 8, values },
  ];
  const rows = boundTables([{ name: 't1', tags: [{ type: 4, values: [1] }], columns }]);
  for (let at = 0; at < 80; at++) {
    const { stmt_id } = await client.request('stmt2_init');
    await client.request('stmt2_prepare', { stmt_id, sql: 'INSERT INTO ? USING s TAGS (?) VALUES (?, ?)' });
    client.send(9, BigInt(String(stmt_id)), rows);
  }
  await until(async () => (await figure('adapter_waiting_bodies')) > 0);
  t.true((await servedIn(other)) < 1_000);
  t.true(growth(before) < 400 * mb, `${growth(before) / mb} MB`);
  const answers = () => client.messages.filter((text) => String(text).includes('"stmt2_bind"'));
  await until(() => answers().length === 80);
  t.true(answers().some((text) => String(text).includes('limits.bodyBytes')));
  client.socket.terminate();
  await until(async () => (await figure('adapter_body_bytes')) === 0);
  other.socket.close();
});

test.serial('10,000 connections that do nothing hold little memory, and others are served', async (t) => {
  const other = await SocketClient.logIn(service.port, { ...root, db: 'hostile' });
  const before = service.memory('VmRSS');
  const idle: SocketClient[] = [];
  for (let part = 0; part < 100; part++) {
    idle.push(...(await Promise.all(Array.from({ length: 100 }, () => SocketClient.open(service.port)))));
    if (part % 10 === 0) t.true((await servedIn(other)) < 1_000);
  }
  t.true((await servedIn(other)) < 1_000);
  t.true(growth(before) < 400 * mb, `${growth(before) / mb} MB`);
  for (const { socket } of idle) socket.terminate();
  await until(async () => (await servedIn(other)) < 100);
  other.socket.close();
});

test.serial('100,000 open results and statements hold little memory, and others are served', async (t) => {
  const other = await SocketClient.logIn(service.port, { ...root, db: 'hostile' });
  const before = service.memory('VmRSS');
  const clients = await Promise.all(Array.from({ length: 100 }, () => SocketClient.logIn(service.port, guest)));
  const queries = clients.slice(0, 2);
  for (const client of clients) for (let at = 0; at < 1_001; at++) client.tell('stmt2_init');
  for (const client of queries) for (let at = 0; at < 1_001; at++) client.tell('query', { sql: 'SELECT 1' });
  let slowest = 0;
  await until(async () => {
    slowest = Math.max(slowest, await servedIn(other));
    return clients.every((client) => client.messages.length > (queries.includes(client) ? 2_002 : 1_001));
  });
  for (const { messages } of clients) t.true(messages.some((text) => String(text).includes('at most 1000 open')));
  // Meanwhile this process reads 100,000 answers, too.
  t.true(slowest < 5_000, `${slowest} ms`);
  t.true((await servedIn(other)) < 1_000);
  t.true(growth(before) < 400 * mb, `${growth(before) / mb} MB`);
  for (const { socket } of clients) socket.terminate();
  other.socket.close();
});
