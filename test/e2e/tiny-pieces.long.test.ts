import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import tls from 'node:tls';
import test from 'ava';
import { certificates, tlsArguments } from '../support/certificates.js';
import { startProbedService } from '../support/service/probed-service.js';
import { basic, basicOf } from '../support/service/service.js';
import { until } from '../support/until.js';

/** The longest turn of the service's event loop during an attack, in ms of processor time on a machine with nothing else to do. */
const mostTurnMs = 150;
const mostMemory = 400 * 1024 * 1024;
const connections = 4;
/** How often others are served while an attack goes on. */
const rounds = 15;
/** The deadline of a stop, 10 s, and what the end of two processes takes beside it. */
const stopMs = 11_000;

const { make, remove } = certificates();
const certificate = make('service');
const { service, longestTurn, slowness, end } = await startProbedService(
  '--smlAutoCreateDB=true',
  '--tsdbwire_telnet.enable=true',
  '--tsdbwire_telnet.ports=0',
  '--tsdbwire_telnet.dbs=telnet',
  '--graphite.enable=true',
  '--graphite.port=0',
  '--graphite.db=graphite',
  '--graphite.protocols=[tcp]',
  ...tlsArguments(certificate),
);
test.after.always(async () => {
  await end();
  remove();
});

/** Sends what an attack sends over one connection, as fast as it is taken, until that is closed. */
type Sender = (socket: net.Socket) => Promise<void>;

/** Waits until the system has what was written, or the connection is gone. */
async function sent(socket: net.Socket): Promise<void> {
  if (socket.writableLength === 0) return turn();
  await new Promise<void>((resolve) => {
    socket.once('close', resolve).write('', () => resolve());
    if (socket.destroyed) resolve();
  });
}

/** A body of HTTP in chunks of one byte. */
function chunks(path: string, authorization: string): Sender {
  const many = Buffer.from(
    [...'m v=1\n']
      .map((letter) => `1\r\n${letter}\r\n`)
      .join('')
      .repeat(2_000),
  );
  return async (socket) => {
    const head = `Host: a\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n`;
    socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n`);
    while (socket.writable) {
      socket.write(many);
      await sent(socket);
    }
  };
}

/** A text byte by byte, each in a segment of TCP or a record of TLS of its own. */
function single(text: string, head = ''): Sender {
  return async (socket) => {
    socket.write(head);
    for (let at = 0; socket.writable; at++) {
      socket.write(text[at % text.length] ?? '');
      if (at % 20 === 0) await sent(socket);
    }
  };
}

/** Connects again and again until `over` fires; gives how many connections the service closed. */
async function attack(open: () => net.Socket, send: Sender, over: AbortSignal): Promise<number> {
  let closed = 0;
  const one = async (): Promise<void> => {
    while (!over.aborted) {
      const socket = open();
      const close = (): unknown => socket.destroy();
      over.addEventListener('abort', close);
      socket.on('error', () => undefined).resume();
      socket.setNoDelay();
      const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      await send(socket);
      if (!over.aborted) closed++;
      over.removeEventListener('abort', close);
      socket.destroy();
      await ended;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return closed;
}

const plain = (port: number) => (): net.Socket => net.connect(port, '127.0.0.1');
const secure = (): net.Socket => tls.connect({ port: service.port, host: '127.0.0.1', rejectUnauthorized: false });
const portOf = (database: string): number => service.listeners.get(database) ?? 0;
const write = '/lineproto/v1/write?db=d';
const length = `Host: a\r\nAuthorization: ${basic}\r\nContent-Length: 100000000\r\n`;

interface Attack {
  readonly open: () => net.Socket;
  readonly send: Sender;
  /** The service closes the connections. */
  readonly isCut: boolean;
}

const attacks: Readonly<Record<string, Attack>> = {
  'a write in chunks of one byte': { open: plain(service.port), send: chunks(write, basic), isCut: true },
  'a statement in chunks of one byte': { open: plain(service.port), send: chunks('/rest/sql', basic), isCut: true },
  'chunks of one byte with a wrong password': {
    open: plain(service.port),
    send: chunks('/rest/sql', basicOf('root', 'wrong')),
    isCut: true,
  },
  'a write in segments of one byte': {
    open: plain(service.port),
    send: single('m v=1\n', `POST ${write} HTTP/1.1\r\n${length}\r\n`),
    isCut: false,
  },
  ...(certificate === undefined
    ? {}
    : {
        'a write in chunks of one byte over TLS': { open: secure, send: chunks(write, basic), isCut: true },
        'a write in records of TLS of one byte': {
          open: secure,
          send: single('m v=1\n', `POST ${write} HTTP/1.1\r\n${length}\r\n`),
          isCut: false,
        },
      }),
  'telnet in segments of one byte': { open: plain(portOf('telnet')), send: single('put m 1 1 a=b\n'), isCut: false },
  'Graphite in one line without end, in segments of one byte': {
    open: plain(portOf('graphite')),
    send: single('x'),
    isCut: false,
  },
};

for (const [name, { open, send, isCut }] of Object.entries(attacks)) {
  test.serial(`others are served during an attack, and little memory is taken: ${name}`, async (t) => {
    await service.write('ready v=1', { db: 'd' });
    service.forgetMostMemory();
    await longestTurn();
    const over = new AbortController();
    const attacking = attack(open, send, over.signal);
    for (let round = 0; round < rounds; round++) {
      t.is((await service.write(`other v=${round}`, { db: 'd' })).status, 204);
      t.deepEqual(await service.rows('SELECT 1'), [[1]]);
    }
    over.abort();
    const closed = await attacking;
    if (isCut) t.true(closed > 0);
    const allowed = mostTurnMs * (await slowness());
    const longest = await longestTurn();
    t.true(longest < allowed, `${longest.toFixed(0)} of ${allowed.toFixed(0)} ms`);
    const memory = service.memory('VmHWM');
    t.true(memory < mostMemory, `${memory}`);
  });
}

test.serial('a stop during an attack ends in time', async (t) => {
  const over = new AbortController();
  const attacking = attack(plain(service.port), chunks(write, basic), over.signal);
  t.true(await until(async () => (await longestTurn()) > 0));
  const begun = performance.now();
  await service.stop();
  t.true(performance.now() - begun < stopMs, `${performance.now() - begun} ms`);
  over.abort();
  await attacking;
});
