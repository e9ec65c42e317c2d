import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { moreCases } from '../support/cases.js';
import { basicOf } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

const bodies = moreCases(150, 2_000);
const mebibyte = 1024 * 1024;
const mostMemory = 600 * mebibyte;

const { service, end } = await sharedService();
test.after.always(end);

test.before(async () => {
  await service.write('m v=1', { db: 'd' });
  for (const user of ['writer', 'reader']) await service.run(`CREATE USER ${user} PASS 'Secret_12'`);
  await service.run('GRANT READ, WRITE ON d.* TO writer');
  await service.run('GRANT READ ON d.* TO reader');
});

/** Everything that is sent of the bodies, none of which is all of it. */
const filler = Buffer.alloc(59 * mebibyte, 0x20);
/** Text that does not compress, in gzip that breaks off. */
const gzipped = gzipSync(filler).subarray(0, -100);

interface Unfinished {
  readonly path: string;
  readonly length?: number;
  readonly encoding?: string;
  readonly part: Buffer;
}

const line = Buffer.from('m v=1\n'.repeat(80_000));
/** One of every kind in turn. */
const kinds: readonly Unfinished[] = [
  { path: '/rest/sql', length: 60 * mebibyte, part: filler },
  { path: '/rest/sql', part: filler },
  { path: '/rest/sql', length: 60 * mebibyte, encoding: 'gzip', part: gzipped },
  { path: '/rest/sql/d/vgid', length: 30 * mebibyte, part: filler.subarray(0, 29 * mebibyte) },
  { path: '/lineproto/v1/write?db=d', length: mebibyte, part: line },
  { path: '/lineproto/v1/write?db=d', length: 60 * mebibyte, part: filler },
  { path: '/lineproto/v1/write?db=d', part: filler },
  { path: '/metricsdb/v1/remote_write/d', length: 30 * mebibyte, part: filler.subarray(0, 29 * mebibyte) },
];

/** Begins a request whose body never ends. */
function beginBody({ path, length, encoding, part }: Unfinished, authorization: string): net.Socket {
  const socket = net.connect({ port: service.port, host: '127.0.0.1' });
  socket.on('error', () => {}).resume();
  const size = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const coding = encoding === undefined ? '' : `Content-Encoding: ${encoding}\r\n`;
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n${coding}${size}\r\n\r\n`);
  if (length === undefined) socket.write(`${(part.length + 1).toString(16)}\r\n`);
  socket.write(part);
  return socket;
}

async function figure(name: string): Promise<number> {
  const { text } = await service.request({ method: 'GET', path: '/metrics' });
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

test('bodies that never end take little memory, and others are served meanwhile', async (t) => {
  service.forgetMostMemory();
  const sockets: net.Socket[] = [];
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  const [writer, reader] = ['writer', 'reader'].map((name) => basicOf(name, 'Secret_12'));
  for (let at = 0; at < bodies; at++) {
    const kind = kinds[at % kinds.length];
    if (kind !== undefined) sockets.push(beginBody(kind, (at % 3 === 0 ? reader : writer) ?? ''));
    await turn();
  }
  t.true(await until(async () => (await figure('adapter_waiting_bodies')) > bodies / 4));
  const statement = 'INSERT INTO d.n VALUES ';
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, v INT)');
  const took: number[] = [];
  for (let at = 0; at < 20; at++) {
    const begun = performance.now();
    t.deepEqual(await service.rows('SELECT 1'), [[1]]);
    t.is((await service.write(`m v=${at}`, { db: 'd' })).status, 204);
    took.push(performance.now() - begun);
    t.is(await service.run(`${statement}${' '.repeat(200_000)}(NOW + ${at}s, 1)`), 1, 'a longer statement');
  }
  const median = took.toSorted((a, b) => a - b)[10] ?? 0;
  t.true(median < 1_000, `${took}`);
  const long = `${statement}${`${' '.repeat(mebibyte - 100)}(NOW + 100s, 1)`.repeat(20)}`;
  t.is(await service.run(long), 20, 'another user has room for a long body, too');
  const most = service.memory('VmHWM');
  t.log(
    `${bodies} bodies: ${(most / mebibyte).toFixed(0)} MiB at most, two requests beside them in ${median.toFixed(1)} ms`,
  );
  t.true(most < mostMemory, `${most / mebibyte} MiB`);
  for (const socket of sockets) socket.destroy();
  t.true(await until(async () => (await figure('adapter_body_bytes')) === 0));
  t.is(await figure('adapter_waiting_bodies'), 0);
  t.is((await service.request({ method: 'GET', path: '/-/ping?action=query' })).status, 200);
});

test('a user who may write nothing sends no long statement, and who may not see a database no list of its tables', async (t) => {
  const reader = basicOf('reader', 'Secret_12');
  const answerTo = async (unfinished: Unfinished): Promise<string> => {
    const socket = beginBody(unfinished, reader);
    const [said] = await once(socket, 'data');
    socket.destroy();
    return String(said);
  };
  for (const { path, ...sized } of kinds.filter(({ path }) => path === '/rest/sql')) {
    t.regex(await answerTo({ path, ...sized }), /Permission denied/);
  }
  await service.run('CREATE DATABASE hidden');
  const names = { path: '/rest/sql/hidden/vgid', length: 30 * mebibyte, part: Buffer.from('[') };
  t.regex(await answerTo(names), /Permission denied/);
});
