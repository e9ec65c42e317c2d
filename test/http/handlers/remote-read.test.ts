import test from 'ava';
import type { SeriesRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { send, startServer } from '../../support/inputs/http-server.js';

const path = '/metricsdb/v1/remote_read/db';

test('a request is handed on whole, and its answer goes out as a snappy message', async (t) => {
  let seen: SeriesRequest | undefined;
  const server = await startServer(t, {
    series: (exchange) => {
      seen = exchange.request;
      exchange.answer({ parts: [Buffer.from('ab'), Buffer.from('c')], length: 3 });
    },
    settings: { restfulRowLimit: 9 },
  });
  const reply = await send(server, { path, body: 'message', headers: { 'accept-encoding': 'gzip' } });
  t.deepEqual([reply.status, reply.text], [200, 'abc']);
  t.is(reply.headers['content-type'], 'application/x-protobuf');
  t.is(reply.headers['content-encoding'], 'snappy');
  t.is(reply.headers['content-length'], '3');
  t.deepEqual([String(seen?.message), seen?.database, seen?.rowLimit], ['message', 'db', 9]);
});

test('faults become statuses that say whether to try again, as plain text', async (t) => {
  for (const [refusal, status] of [
    [fault('parameter', Codes.invalidParameters, 'bad matcher'), 400],
    [fault('auth', Codes.authenticationFailure, 'who'), 401],
    [fault('database', Codes.databaseNotExist, 'no database'), 404],
    [fault('network', Codes.networkUnavailable, 'no engine'), 503],
    [fault('resource', Codes.free, 'no memory'), 503],
    [fault('database', Codes.free, 'broken'), 500],
  ] as const) {
    const server = await startServer(t, { series: (exchange) => exchange.refuse(refusal) });
    const reply = await send(server, { path, body: 'x' });
    t.deepEqual([reply.status, reply.text], [status, refusal.message]);
    t.is(reply.headers['content-type'], 'text/plain; charset=utf-8');
  }
});

test('the guard refuses queries in both of its states, whoever asks', async (t) => {
  for (const [state, said] of [
    ['query-paused', 'query memory exceeds threshold'],
    ['all-paused', 'memory exceeds threshold'],
  ] as const) {
    const server = await startServer(t, { guard: () => state });
    t.is((await send(server, { path, auth: false })).status, 503);
    const reply = await send(server, { path });
    t.deepEqual([reply.status, reply.text], [503, said]);
  }
});

test('a body that is too long is refused before it is handed on', async (t) => {
  const server = await startServer(t, {
    settings: { metricsdb: { enable: true, createDatabase: false, messageBytes: 10, db: 'metricsdb' } },
  });
  const reply = await send(server, { path, body: 'x'.repeat(11) });
  t.deepEqual([reply.status, reply.text], [400, 'read request too long, the limit is 10 bytes']);
});
