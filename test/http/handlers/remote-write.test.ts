import { text } from 'node:stream/consumers';
import test from 'ava';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import type { WriteRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { ask, type RoomOptions, startRoom } from '../../support/http-room.js';

const path = '/metricsdb/v1/remote_write/db';

/** A room whose pipeline reads the body and ends every write the same way. */
function ending(answer: Delivery): RoomOptions {
  return { write: (exchange) => void text(exchange.request.body).then(() => exchange.answer(answer)) };
}

test('a write is handed on with its target, as one message', async (t) => {
  let seen: WriteRequest | undefined;
  const room = await startRoom(t, {
    write: (exchange) => {
      seen = exchange.request;
      void text(exchange.request.body).then(() => exchange.answer(delivered(3)));
    },
    settings: { metricsdb: { enable: true, createDatabase: true, messageBytes: 77 } },
  });
  const reply = await ask(room, { path: `${path}?ttl=5`, body: 'abc' });
  t.is(reply.status, 204);
  t.is(reply.headers['x-prometheus-remote-write-samples-written'], '3');
  t.is(reply.headers['x-prometheus-remote-write-histograms-written'], '0');
  t.is(reply.headers['x-prometheus-remote-write-exemplars-written'], '0');
  t.deepEqual(seen?.target, { database: 'db', createDatabase: true, ttl: 5, precision: 'ms' });
  t.deepEqual([seen?.format, seen?.length, seen?.maxMessageBytes], ['remote-write', 3, 77]);
});

test('what may pass is 503 with the time to come back, what is bad is 400', async (t) => {
  const outage = fault('network', Codes.networkUnavailable, 'no engine');
  const bad = fault('parameter', Codes.schemalessData, 'bad body');
  const cases: [Delivery, number, string][] = [
    [{ outcome: 'failed', fault: outage }, 503, '[0xb] no engine'],
    [{ outcome: 'failed', fault: fault('resource', Codes.free, 'disk full') }, 503, '[0xffff] disk full'],
    [{ outcome: 'shed', reason: 'draining' }, 503, 'service is shutting down'],
    [{ outcome: 'shed', reason: 'memory' }, 503, '"memory exceeds threshold"'],
    [{ outcome: 'rejected', fault: bad }, 400, '[0x3002] bad body'],
    [delivered(5, 2, [{ row: 7, fault: bad }]), 400, 'series 8: [0x3002] bad body (2 rejected, 5 written)'],
  ];
  for (const [answer, status, said] of cases) {
    const reply = await ask(await startRoom(t, ending(answer)), { path, body: 'x' });
    t.deepEqual([reply.status, reply.text], [status, said]);
    t.is(reply.headers['retry-after'] !== undefined, status === 503);
  }
});

test('credentials are looked at before the memory guard', async (t) => {
  const room = await startRoom(t, { guard: () => 'all-paused' });
  t.is((await ask(room, { path, auth: false })).status, 401);
  const refused = await ask(room, { path });
  t.deepEqual([refused.status, refused.text], [503, '"memory exceeds threshold"']);
  t.is(refused.headers['retry-after'], '120');
  const paused = await startRoom(t, { guard: () => 'query-paused' });
  t.is((await ask(paused, { path, body: 'x' })).status, 204);
});
