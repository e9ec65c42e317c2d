import { text } from 'node:stream/consumers';
import test from 'ava';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import type { WriteRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { type ServerOptions, send, startServer } from '../../support/inputs/http-server.js';

const path = '/metricsdb/v1/remote_write/db';

/** A server whose pipeline reads the body and ends every write the same way. */
function ending(answer: Delivery): ServerOptions {
  return { write: (exchange) => void text(exchange.request.body).then(() => exchange.answer(answer)) };
}

test('a write is handed on with its target, as one message', async (t) => {
  let seen: WriteRequest | undefined;
  const server = await startServer(t, {
    write: (exchange) => {
      seen = exchange.request;
      void text(exchange.request.body).then(() => exchange.answer(delivered(3)));
    },
    settings: { metricsdb: { enable: true, createDatabase: true, messageBytes: 77, db: 'metricsdb' } },
  });
  const reply = await send(server, { path: `${path}?ttl=5`, body: 'abc' });
  t.is(reply.status, 204);
  const tally = { histograms: 0, exemplars: 0, metadata: 0 };
  t.deepEqual(seen?.target, { database: 'db', createDatabase: true, ttl: 5, precision: 'ms', tally });
  t.deepEqual([seen?.format, seen?.length, seen?.maxMessageBytes], ['remote-write', 3, 77]);
});

const version2 = { 'x-prometheus-remote-write-version': '2.0.0' };
const message2 = 'application/x-protobuf;proto=io.prometheus.write.v2.Request';

test('a request of version 2 is told how many samples are stored, others are not', async (t) => {
  const server = await startServer(t, {
    write: (exchange) => {
      const { request } = exchange;
      request.body.resume();
      Object.assign(request.target.tally ?? {}, { histograms: 1, exemplars: 2, metadata: 3 });
      exchange.answer(delivered(9));
    },
  });
  const written = async (headers: Record<string, string>) => {
    const reply = await send(server, { path, body: 'x', headers });
    t.is(reply.status, 204);
    return ['samples', 'histograms', 'exemplars'].map(
      (kind) => reply.headers[`x-prometheus-remote-write-${kind}-written`],
    );
  };
  t.deepEqual(await written(version2), ['3', '1', '2']);
  t.deepEqual(await written({ 'content-type': message2 }), ['3', '1', '2']);
  const none = [undefined, undefined, undefined];
  t.deepEqual(await written({}), none);
  t.deepEqual(await written({ 'x-prometheus-remote-write-version': '0.1.0' }), none);
  t.deepEqual(await written({ 'content-type': 'application/x-protobuf;proto=prometheus.WriteRequest' }), none);
});

test('of version 2 what is not a message in snappy is 415, of others only another compression', async (t) => {
  const server = await startServer(t, ending(delivered(1)));
  const cases: [Record<string, string>, number, RegExp][] = [
    [{ 'content-type': message2, 'content-encoding': 'snappy' }, 204, /^$/],
    [{ 'content-type': 'application/x-protobuf', 'content-encoding': 'Snappy' }, 204, /^$/],
    [{ 'content-type': 'application/x-protobuf; proto="prometheus.WriteRequest"' }, 204, /^$/],
    [{ 'content-type': 'application/json' }, 415, /^unsupported Content-Type "application\/json"/],
    [
      { 'content-type': 'application/x-protobuf;proto=some.Thing' },
      415,
      /^unsupported Content-Type .*some\.Thing.*its proto, if any, prometheus\.WriteRequest or/,
    ],
    [{ 'content-type': message2, 'content-encoding': 'gzip' }, 415, /^unsupported Content-Encoding "gzip"/],
    [{ 'content-type': message2, 'content-encoding': 'zstd' }, 415, /^unsupported Content-Encoding "zstd"/],
  ];
  for (const [headers, status, text] of cases) {
    const reply = await send(server, { path, body: 'x', headers: { ...version2, ...headers } });
    t.is(reply.status, status, JSON.stringify(headers));
    t.regex(reply.text, text);
  }
  for (const type of ['application/json', 'text/plain']) {
    const reply = await send(server, { path, body: 'x', headers: { 'content-type': type } });
    t.is(reply.status, 204);
  }
  // Agents that begin in zstd go on in snappy when they read this.
  const zstd = await send(server, { path, body: 'x', headers: { 'content-encoding': 'zstd' } });
  t.is(zstd.status, 415);
  t.regex(zstd.text, /^unsupported Content-Encoding "zstd": a body is in snappy/);
});

test('what may pass is 503 with the time to come back, what is bad is 400', async (t) => {
  const outage = fault('network', Codes.networkUnavailable, 'no engine');
  const bad = fault('parameter', Codes.schemalessData, 'bad body');
  const cases: [Delivery, number, string][] = [
    [{ outcome: 'failed', fault: outage }, 503, '[0xb] no engine'],
    [{ outcome: 'failed', fault: fault('resource', Codes.free, 'disk full') }, 503, '[0xffff] disk full'],
    [{ outcome: 'shed', reason: 'draining' }, 503, 'service is shutting down'],
    [{ outcome: 'shed', reason: 'memory' }, 503, 'memory exceeds threshold'],
    [{ outcome: 'rejected', fault: bad }, 400, '[0x3002] bad body'],
    [delivered(5, 2, [{ row: 7, fault: bad }]), 400, 'series 8: [0x3002] bad body (2 rejected, 5 written)'],
  ];
  for (const [answer, status, said] of cases) {
    const reply = await send(await startServer(t, ending(answer)), { path, body: 'x' });
    t.deepEqual([reply.status, reply.text], [status, said]);
    t.is(reply.headers['retry-after'] !== undefined, status === 503);
  }
});

test('the guard refuses writes while it pauses everything, and lets them in while it pauses queries', async (t) => {
  const server = await startServer(t, { guard: () => 'all-paused' });
  const refused = await send(server, { path });
  t.deepEqual([refused.status, refused.text], [503, 'memory exceeds threshold']);
  t.is(refused.headers['retry-after'], '120');
  const paused = await startServer(t, { guard: () => 'query-paused' });
  t.is((await send(paused, { path, body: 'x' })).status, 204);
});
