import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import fc from 'fast-check';
import type { Target } from '../../../src/model/batch.js';
import type { Delivery } from '../../../src/model/delivery.js';
import { delivered } from '../../../src/model/delivery.js';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { LineListener, type LineListenerOptions } from '../../../src/sources/support/line-listener.js';
import { sourceContract } from '../../contracts/source-contract.js';
import { silentLog } from '../../support/engine/engine.js';
import { sendDatagrams } from '../../support/inputs/datagrams.js';
import { overheard } from '../../support/inputs/unanswered.js';
import { until } from '../../support/until.js';

const target: Target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' };
const lines = Array.from({ length: 40 }, (_, i) => `name.${i}:${i}|c\n`);
const large = lines.join('');

function sourceOf(more: Partial<LineListenerOptions>, gate = new ByteCreditGate(64)): LineListener {
  const options: LineListenerOptions = {
    name: 'statsgw',
    format: 'statsd',
    protocols: ['udp'],
    host: '127.0.0.1',
    port: 0,
    maxTCPConnections: 2,
    tcpKeepAlive: true,
    allowPendingMessages: 1000,
    target,
    ...more,
  };
  const source = new LineListener(options, gate, silentLog);
  listeners.push(source);
  return source;
}

const listeners: LineListener[] = [];
test.after.always(() => Promise.all(listeners.map((source) => source.stop())));

/** A receiver in this process reads each piece before the next. */
async function sendStream(port: number, pieces: readonly (string | Uint8Array)[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  if (!connected) return;
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    await turn();
  }
  socket.end();
}

/** The contract's senders: the text in pieces, each of whole lines for datagrams. */
function contractFor(protocol: 'tcp' | 'udp') {
  return async () => {
    const gate = new ByteCreditGate(64);
    const source = sourceOf({ protocols: [protocol] }, gate);
    const heard = overheard(source);
    await source.start();
    const send = async (text: string): Promise<Delivery | undefined> => {
      heard.begin();
      const pieces = text.match(/.*\n/g) ?? [];
      if (protocol === 'udp') await sendDatagrams(source.ports[0]!, pieces);
      else await sendStream(source.ports[0]!, pieces);
      return heard.ending(Buffer.byteLength(text));
    };
    return { source: heard.source, gate, send, shed: () => source.counts.shedDatagrams };
  };
}

sourceContract(test, 'statsgw over udp', contractFor('udp'), large, 'sheds');
sourceContract(test, 'statsgw over tcp', contractFor('tcp'), large);

test('datagrams for which there is no room are shed and counted, the others are kept', async (t) => {
  const gate = new ByteCreditGate(64);
  const source = sourceOf({ allowPendingMessages: 3 }, gate);
  let text = '';
  source.batches$.subscribe((batch) => {
    text += Buffer.from(batch.payload.bytes).toString();
    batch.settle(delivered(batch.rows));
  });
  await source.start();
  gate.take(64);
  await sendDatagrams(source.ports[0]!, ['a:1|c', 'b:1|c\n', 'c:1|c', 'd:1|c', 'e:1|c']);
  await until(() => source.counts.shedDatagrams === 2);
  gate.give(64);
  await until(() => text.length > 0);
  t.is(text, 'a:1|c\nb:1|c\nc:1|c\n');
  t.like(source.counts, { datagrams: 3, shedDatagrams: 2 });
  await source.stop();
});

test('a connection above the limit is closed at once, and a place that is left can be taken', async (t) => {
  const source = sourceOf({ protocols: ['tcp'] });
  let rows = 0;
  source.batches$.subscribe((batch) => {
    rows += batch.rows;
    batch.settle(delivered(batch.rows));
  });
  await source.start();
  const connection = () => connect(source.ports[0]!, '127.0.0.1').on('error', () => {});
  const [first, second] = [connection(), connection()];
  await Promise.all([once(first, 'connect'), once(second, 'connect')]);
  await once(connection(), 'close');
  t.is(source.counts.refusedConnections, 1);
  first.destroy();
  // The listener hears of the free place some time later.
  const others: Socket[] = [];
  const isTaken = (): boolean => {
    const socket = connection();
    others.push(socket);
    socket.write('a:1|c\n');
    return rows > 0;
  };
  t.true(await until(isTaken));
  for (const socket of [second, ...others]) socket.destroy();
  await source.stop();
});

test('a line that is too long is counted, and its connection goes on', async (t) => {
  const source = sourceOf({ protocols: ['tcp'] }, new ByteCreditGate(1e6));
  let text = '';
  source.batches$.subscribe((batch) => {
    text += Buffer.from(batch.payload.bytes).toString();
    batch.settle(delivered(1));
  });
  await source.start();
  await sendStream(source.ports[0]!, ['a:1|c\n', 'x'.repeat(300_000), '\nb:1|c']);
  await until(() => text.length > 10, 5_000);
  t.true(text === 'a:1|c\nb:1|c', text.slice(0, 100));
  t.is(source.counts.tooLongLines, 1);
  await source.stop();
});

test('of a connection that breaks the whole lines count, and the beginning of another does not', async (t) => {
  const source = sourceOf({ protocols: ['tcp'], maxTCPConnections: 1 }, new ByteCreditGate(1e6));
  let text = '';
  source.batches$.subscribe((batch) => {
    text += Buffer.from(batch.payload.bytes).toString();
    batch.settle(delivered(1));
  });
  await source.start();
  const broken = connect(source.ports[0]!, '127.0.0.1');
  broken.write('a:1|c\nb:2');
  t.true(await until(() => text !== ''));
  broken.resetAndDestroy();
  // There is one place, which is free once the broken connection is gone.
  t.true(
    await until(async () => {
      await sendStream(source.ports[0]!, ['c:3|c\n']);
      return text.includes('c:3');
    }),
  );
  t.regex(text, /^a:1\|c\n(?:c:3\|c\n)+$/);
  await source.stop();
});

test('a byte order mark before a stream or a datagram is no part of its text', async (t) => {
  const source = sourceOf({ protocols: ['tcp', 'udp'] }, new ByteCreditGate(1e6));
  let text = '';
  source.batches$.subscribe((batch) => {
    text += Buffer.from(batch.payload.bytes).toString();
    batch.settle(delivered(1));
  });
  await source.start();
  await sendStream(source.ports[0]!, ['\ufeffa:1|c\n', '\ufeffb:1|c\n']);
  t.true(await until(() => text === 'a:1|c\n\ufeffb:1|c\n'));
  text = '';
  await sendDatagrams(source.ports[1]!, ['\ufeffa:1|c', '\ufeffb:1|c']);
  t.true(await until(() => text === 'a:1|c\nb:1|c\n'));
  await source.stop();
});

test('how a stream is cut into packets never changes its text', async (t) => {
  const source = sourceOf({ protocols: ['tcp'], maxTCPConnections: 100 }, new ByteCreditGate(1e6));
  const heard = overheard(source);
  let text = '';
  heard.source.batches$.subscribe((batch) => {
    text += Buffer.from(batch.payload.bytes).toString();
    batch.settle(delivered(1));
  });
  await source.start();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 12 }), async (cuts) => {
      const pieces: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(large.slice(at, at + cut));
        at += cut;
      }
      pieces.push(large.slice(at));
      text = '';
      heard.begin();
      await sendStream(
        source.ports[0]!,
        pieces.filter((piece) => piece !== ''),
      );
      await heard.ending(large.length);
      t.is(text, large);
    }),
    { numRuns: 15 },
  );
  await source.stop();
});

test('a port in use is said in one line', async (t) => {
  const holder = sourceOf({ protocols: ['tcp'] });
  await holder.start();
  const source = sourceOf({ protocols: ['tcp'], port: holder.ports[0]! });
  await t.throwsAsync(source.start(), { message: /TCP on 127\.0\.0\.1:\d+: the port is in use/ });
  await source.stop();
  await holder.stop();
});
