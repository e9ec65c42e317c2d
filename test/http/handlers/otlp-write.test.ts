import { text } from 'node:stream/consumers';
import { deflateSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { delivered } from '../../../src/model/delivery.js';
import type { WriteRequest } from '../../../src/model/exchange.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { answering, type Reply, type RequestParts, send, startServer } from '../../support/inputs/http-server.js';
import { otlpAnswer } from '../../support/messages/otlp-messages.js';

const path = '/v1/metrics';
const types = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;

function sendMetrics(server: { port: number }, type: string, more: RequestParts = {}): Promise<Reply> {
  return send(server, { path, body: '{}', ...more, headers: { 'content-type': type, ...more.headers } });
}

test('a request that is stored is 200 with an empty answer of its own kind', async (t) => {
  const seen: WriteRequest[] = [];
  const server = await startServer(t, answering(seen));
  const protobuf = await sendMetrics(server, types.protobuf);
  t.deepEqual([protobuf.status, protobuf.headers['content-type'], protobuf.body.length], [200, types.protobuf, 0]);
  const headers = { 'content-encoding': 'gzip' };
  const json = await sendMetrics(server, `${types.json}; charset=utf-8`, { body: gzipSync('{}'), headers });
  t.deepEqual([json.status, json.headers['content-type'], json.text], [200, types.json, '{}']);
  t.deepEqual(
    seen.map(({ format, target, maxMessageBytes }) => [format, target.database, maxMessageBytes]),
    [
      ['otlp', 'otlp', 1_048_576],
      ['otlp-json', 'otlp', 1_048_576],
    ],
  );
});

test('a body in deflate is inflated, and one in a coding that is not known is 415', async (t) => {
  const bodies: string[] = [];
  const server = await startServer(t, {
    write: async (exchange) => {
      bodies.push(await text(exchange.request.body));
      exchange.answer(delivered(1));
    },
  });
  const deflated = { body: deflateSync('{"a":1}'), headers: { 'content-encoding': 'deflate' } };
  t.is((await sendMetrics(server, types.json, deflated)).status, 200);
  t.deepEqual(bodies, ['{"a":1}']);
  const zstd = await sendMetrics(server, types.json, { headers: { 'content-encoding': 'zstd' } });
  t.is(zstd.status, 415);
  t.regex(zstd.text, /unsupported Content-Encoding/);
});

test('the parameter names the database before the header, and both before the setting', async (t) => {
  const seen: WriteRequest[] = [];
  const server = await startServer(t, answering(seen));
  await sendMetrics(server, types.json, { headers: { 'x-sluice-db': 'by_header' } });
  await sendMetrics(server, types.json, { headers: { 'x-sluice-db': 'by_header' }, path: `${path}?db=by_parameter` });
  t.deepEqual(
    seen.map(({ target }) => target.database),
    ['by_header', 'by_parameter'],
  );
});

test('points that are refused are a partial success', async (t) => {
  const bad = fault('parameter', Codes.schemalessData, 'no name');
  const server = await startServer(t, answering([], delivered(3, 2, [{ row: 1, fault: bad }])));
  const message = 'data point 2: [0x3002] no name (2 rejected, 3 written)';
  const json = await sendMetrics(server, types.json);
  t.is(json.status, 200);
  t.deepEqual(JSON.parse(json.text), { partialSuccess: { rejectedDataPoints: '2', errorMessage: message } });
  const protobuf = await sendMetrics(server, types.protobuf);
  t.deepEqual(otlpAnswer('Response', protobuf.body), {
    partialSuccess: { rejectedDataPoints: '2', errorMessage: message },
  });
});

test('refusals are a status of gRPC in the kind of body that came, and tell whether to try again', async (t) => {
  const server = await startServer(t, answering([]));
  const cases = [
    [{ auth: false }, 401, 16, 'no auth info input'],
    [{ path: `${path}?db=none` }, 404, 5, '[0x388] Database not exist'],
    [{ path: `${path}?db=long` }, 413, 3, '[0x2607] the body is longer'],
    [{ path: `${path}?db=away` }, 503, 14, '[0xb] no engine'],
  ] as const;
  for (const [more, status, code, message] of cases) {
    const protobuf = await sendMetrics(server, types.protobuf, more);
    t.deepEqual([protobuf.status, protobuf.headers['content-type']], [status, types.protobuf]);
    const { code: said, message: text } = otlpAnswer('Status', protobuf.body);
    t.is(said, code);
    if (status !== 413) t.is(text, message);
    const json = await sendMetrics(server, types.json, more);
    t.deepEqual([json.status, JSON.parse(json.text).code], [status, code]);
    t.is(json.headers['retry-after'] !== undefined, status === 503);
  }
  t.is((await sendMetrics(server, 'text/plain')).status, 415);
});
