import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import type { Batch, ByteBlock } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import type { TsdbwireTelnetOptions } from '../../../src/sources/tsdbwire-telnet/source.js';
import { TsdbwireTelnetSource } from '../../../src/sources/tsdbwire-telnet/source.js';
import { type SourceUnderTest, sourceContract } from '../../contracts/source-contract.js';
import { type LogLine, recordingLog } from '../../support/inputs/http-server.js';
import { until } from '../../support/until.js';

const defaults: TsdbwireTelnetOptions = {
  enable: true,
  host: '127.0.0.1',
  ports: [0],
  dbs: ['db'],
  user: 'root',
  password: 'secret',
  batchSize: 1,
  flushIntervalMs: 0,
  maxTCPConnections: 250,
  tcpKeepAlive: true,
  ttlDays: 3,
  maxLineBytes: 1000,
  version: 'sluice 1.2.3',
};

interface Rig extends SourceUnderTest {
  readonly source: TsdbwireTelnetSource;
  readonly log: LogLine[];
  connect(): net.Socket;
}

const stops: (() => Promise<void>)[] = [];
test.after.always(() => Promise.all(stops.map((stop) => stop())));

async function make(more: Partial<TsdbwireTelnetOptions> = {}, creditBytes = 48): Promise<Rig> {
  const gate = new ByteCreditGate(creditBytes);
  const log: LogLine[] = [];
  const source = new TsdbwireTelnetSource({ ...defaults, ...more }, gate, recordingLog(log));
  stops.push(() => source.stop());
  await source.start();
  const connect = () => net.connect(source.ports[0]!, '127.0.0.1').on('error', () => {});
  const send = async (sent: string): Promise<Delivery | undefined> => {
    const socket = connect();
    socket.end(sent);
    try {
      return endingOf(await text(socket));
    } catch {
      return undefined;
    }
  };
  return { source, gate, log, send, connect };
}

/** What a client makes of its replies: none is good news. */
function endingOf(answers: string): Delivery {
  if (answers.includes('put: not stored')) return { outcome: 'failed', fault: fault('network', Codes.free, answers) };
  if (answers.includes('put: refused')) return { outcome: 'rejected', fault: fault('database', Codes.free, answers) };
  return delivered(0);
}

const large = Array.from({ length: 9000 }, (_, i) => `put m 1700000000 ${i} host=a cpu=${i}\n`).join('');

sourceContract(test, 'tsdbwire-telnet', () => make(), large);

/** Settles everything at once and keeps it. */
function storing(rig: Rig): Batch<ByteBlock>[] {
  const seen: Batch<ByteBlock>[] = [];
  rig.source.batches$.subscribe((batch) => {
    seen.push(batch);
    batch.settle(delivered(batch.rows));
  });
  return seen;
}

function textOf(batches: readonly Batch<ByteBlock>[]): string {
  return Buffer.concat(batches.map(({ payload }) => payload.bytes)).toString();
}

test('a batch says whose it is and where it goes', async (t) => {
  const rig = await make();
  const seen = storing(rig);
  await rig.send('m 1700000000 1 a=b\nm 1700000001 1 a=b');
  const { origin, target, payload, rows } = seen[0]!;
  t.is(textOf(seen), 'm 1700000000 1 a=b\nm 1700000001 1 a=b');
  t.is(
    seen.reduce((sum, batch) => sum + batch.rows, 0),
    2,
  );
  t.true(rows >= 1);
  t.like({ origin, format: payload.format }, { origin: 'tsdbwire_telnet', format: 'tsdbwire-telnet' });
  t.like(target, { database: 'db', user: 'root', createDatabase: true, ttl: 3 });
});

test('commands are answered, also with CR LF and between lines of data, and are no data', async (t) => {
  const rig = await make({}, 1_000_000);
  const seen = storing(rig);
  const socket = rig.connect();
  socket.end('version\r\nm 1700000000 1 a=b\nhelp\nversions 1700000000 1 a=b\nversion\n');
  const answers = await text(socket);
  t.is(answers, 'sluice 1.2.3\navailable commands: put version help stats exit\nsluice 1.2.3\n');
  t.is(textOf(seen), 'm 1700000000 1 a=b\nversions 1700000000 1 a=b\n');
});

test('a byte order mark before the first line is no part of it', async (t) => {
  const rig = await make({}, 1_000_000);
  const seen = storing(rig);
  const socket = rig.connect();
  socket.end('\ufeffm 1700000000 1 a=b\nn 1700000000 1 a=b\n');
  await text(socket);
  t.is(textOf(seen), 'm 1700000000 1 a=b\nn 1700000000 1 a=b\n');
});

test('version is answered although nothing can be stored', async (t) => {
  const rig = await make();
  rig.source.batches$.subscribe(() => {});
  const socket = rig.connect();
  socket.write('m 1700000000 1 a=b\nversion\n');
  t.is(String((await once(socket, 'data'))[0]), 'sluice 1.2.3\n');
  socket.destroy();
});

test('stats tells what the port has seen', async (t) => {
  const rig = await make({}, 1_000_000);
  storing(rig);
  await rig.send('m 1700000000 1 a=b\nm 1700000001 1 a=b\n');
  const socket = rig.connect();
  socket.end('stats\n');
  const answers = await text(socket);
  t.regex(answers, new RegExp(`^tsdbwire_telnet.connections \\d{10} 1 port=${rig.source.ports[0]}\n`));
  t.regex(answers, /tsdbwire_telnet.lines \d{10} 2 port=/);
});

test('exit closes the connection once everything before it is stored, and drops what follows', async (t) => {
  const rig = await make({}, 1_000_000);
  const seen = storing(rig);
  const socket = rig.connect();
  socket.write('m 1700000000 1 a=b\nexit\nm 1700000001 1 a=b\n');
  await text(socket);
  t.is(textOf(seen), 'm 1700000000 1 a=b\n');
});

test('each bad line is answered with its reason and its beginning, and so is one that is too long', async (t) => {
  const rig = await make({}, 1_000_000);
  const why = fault('parameter', Codes.schemalessData, 'the point has no tags (column 17)');
  rig.source.batches$.subscribe((batch) => {
    const rejects = textOf([batch])
      .split('\n')
      .flatMap((line, row) => (line.startsWith('bad') ? [{ row, fault: why }] : []));
    batch.settle(delivered(batch.rows - rejects.length, rejects.length, rejects));
  });
  const socket = rig.connect();
  socket.write('good 1700000000 1 a=b\nbad 1700000000 1\u0007\ngood 1700000001 1 a=b\nbad 2\n');
  // Longer than what is read at once, so that it is dropped before its end is seen.
  socket.end(`${'x'.repeat(300_000)}\ngood 1700000002 1 a=b\n`);
  t.is(
    await text(socket),
    'put: illegal argument: the point has no tags (column 17): bad 1700000000 1\n' +
      'put: illegal argument: the point has no tags (column 17): bad 2\n' +
      'put: illegal argument: the line is longer than 1000 bytes\n',
  );
  await rig.source.stop();
  t.deepEqual(
    rig.log.filter(({ level }) => level === 'warn').map(({ message }) => message),
    ['Bad lines were not stored.', 'Lines that are too long were dropped.'],
  );
});

test('bad lines without number are answered and logged a bounded number of times', async (t) => {
  const rig = await make({}, 1_000_000);
  const why = fault('parameter', Codes.schemalessData, 'bad');
  rig.source.batches$.subscribe((batch) => {
    const rejects = Array.from({ length: Math.min(100, batch.rows) }, (_, row) => ({ row, fault: why }));
    batch.settle(delivered(0, batch.rows, rejects));
  });
  const socket = rig.connect();
  socket.end('bad\n'.repeat(50_000));
  const answers = await text(socket);
  t.true(answers.length < 20_000);
  t.regex(answers, /put: illegal argument: \d+ more lines\n/);
  t.is(rig.log.filter(({ level }) => level === 'warn').length, 1);
});

test('a batch waits for its size, for its age or for the end of the connection', async (t) => {
  const rig = await make({ batchSize: 3 }, 1_000_000);
  const seen = storing(rig);
  const socket = rig.connect();
  socket.write('a 1 1 a=b\nb 1 1 a=b\nversion\n');
  await once(socket, 'data');
  t.is(seen.length, 0);
  socket.write('c 1 1 a=b\n');
  t.true(await until(() => seen.length === 1));
  t.is(seen[0]?.rows, 3);
  socket.end('d 1 1 a=b\n');
  t.true(await until(() => seen.length === 2));
  t.is(textOf(seen.slice(1)), 'd 1 1 a=b\n');

  const aging = await make({ batchSize: 1000, flushIntervalMs: 30 }, 1_000_000);
  const flushed = storing(aging);
  aging.connect().write('a 1 1 a=b\n');
  t.true(await until(() => flushed.length === 1));
  t.is(textOf(flushed), 'a 1 1 a=b\n');
});

test('lines that wait for a fuller batch are stored when the service stops, half a line is not', async (t) => {
  const rig = await make({ batchSize: 1000 }, 1_000_000);
  const seen = storing(rig);
  const socket = rig.connect();
  socket.write('a 1 1 a=b\nversion\nb 1 1 a=');
  await once(socket, 'data');
  await rig.source.drain();
  t.is(textOf(seen), 'a 1 1 a=b\n');
});

test('the last line needs no end when the client closes, and is dropped when the connection breaks', async (t) => {
  const rig = await make({}, 1_000_000);
  const seen = storing(rig);
  await rig.send('a 1 1 a=b\nb 1 1 a=b');
  t.is(textOf(seen), 'a 1 1 a=b\nb 1 1 a=b');
  seen.length = 0;
  const socket = rig.connect();
  socket.write('c 1 1 a=b\nd 1 1 a=');
  t.true(await until(() => seen.length === 1));
  socket.resetAndDestroy();
  t.true(await until(() => rig.source.connections === 0));
  t.is(textOf(seen), 'c 1 1 a=b\n');
});

test('one connection above the limit is closed without a byte', async (t) => {
  const rig = await make({ maxTCPConnections: 1 });
  const first = rig.connect();
  first.write('version\n');
  await once(first, 'data');
  t.is(await text(rig.connect()).catch(() => ''), '');
  first.destroy();
  await rig.source.stop();
  t.deepEqual(
    rig.log.filter(({ level }) => level === 'warn').map(({ message }) => message),
    ['Connections were refused.'],
  );
});

test('a busy connection does not keep others from being read', async (t) => {
  const rig = await make({}, 100_000);
  let quiet = 0;
  const waiting: Batch<ByteBlock>[] = [];
  rig.source.batches$.subscribe((batch) => {
    if (textOf([batch]).startsWith('quiet')) quiet++;
    waiting.push(batch);
  });
  const settling = setInterval(() => waiting.shift()?.settle(delivered(1)), 2);
  const busy = rig.connect();
  busy.on('error', () => {});
  const flood = Buffer.from(large);
  const push = (): void => {
    while (busy.writable && busy.write(flood)) {}
  };
  busy.on('drain', push);
  push();
  const others = Array.from({ length: 50 }, () => rig.connect());
  for (const socket of others) socket.write('quiet 1700000000 1 a=b\n');
  t.true(await until(() => quiet === 50));
  t.is(quiet, 50);
  clearInterval(settling);
  busy.destroy();
  for (const socket of others) socket.destroy();
});

test('however the bytes are cut into packets, the same lines come out in the same order', async (t) => {
  const rig = await make({}, 1_000_000);
  const lines = Array.from(
    { length: 40 },
    (_, i) => `put m${i} 1700000000 ${i} host=ä${i}${i % 3 === 0 ? '\r' : ''}\n`,
  );
  const bytes = Buffer.from(lines.join('').slice(0, -1));
  const seen = storing(rig);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 30 }), async (sizes) => {
      seen.length = 0;
      const socket = rig.connect();
      socket.setNoDelay(true);
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = sizes[i % sizes.length]!;
        socket.write(bytes.subarray(at, at + size));
        at += size;
        if (i % 4 === 0) await turn();
      }
      socket.end();
      await text(socket);
      t.is(textOf(seen), bytes.toString());
    }),
    { numRuns: 30 },
  );
});

test('refused and lost lines are reported to the client and to the log', async (t) => {
  const rig = await make({}, 1_000_000);
  const refusal = fault('auth', Codes.authenticationFailure, 'Authentication failure');
  rig.source.batches$.subscribe((batch) => batch.settle({ outcome: 'rejected', fault: refusal }));
  const socket = rig.connect();
  socket.end('a 1 1 a=b\n');
  t.is(await text(socket), 'put: refused: Authentication failure (lines: 1)\n');
  t.deepEqual(rig.log.at(-1), {
    level: 'error',
    fields: { count: 1, reason: 'database "db": Authentication failure' },
    message: 'Lines were not stored.',
  });
});
