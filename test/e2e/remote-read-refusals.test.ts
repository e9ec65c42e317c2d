import { buffer, text } from 'node:stream/consumers';
import test from 'ava';
import { type Answer, query, remoteReads, seriesRead, start, up } from '../support/inputs/remote-reads.js';
import { encode, labelsOf, packed, readAnswer, readBody, writeBody } from '../support/messages/remote-messages.js';
import { basicOf } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

const { request, read, write } = remoteReads(service);

test.before(() => write('data', seriesRead));

test('what is wrong with the request is 4xx with a reason in plain text', async (t) => {
  const good = readBody([query()]);
  const cases: [Promise<Answer>, number, RegExp][] = [
    [request('data', good, { auth: false }), 401, /^no auth info input$/],
    [request('data', good, { auth: basicOf('root', 'wrong') }), 401, /Authentication failure/],
    [request('data', good, { query: '?req_id=x' }), 400, /req_id must be numeric/],
    [request('nowhere', good), 404, /^Database not exist: nowhere$/],
    [request('data', ''), 400, /not valid snappy data/],
    [request('data', 'x'), 400, /not valid snappy data/],
    [request('data', packed(Buffer.from('xyz'))), 400, /not a valid protobuf message/],
    [
      request('data', packed(encode('ReadRequest', { queries: [{ matchers: [{ type: 4, name: 'a' }] }] }))),
      400,
      /^not support match type 4$/,
    ],
    [
      request('data', packed(encode('ReadRequest', { queries: [{ matchers: [{ type: -1, name: 'a' }] }] }))),
      400,
      /^not support match type -1$/,
    ],
    [request('data', readBody([query(['EQ', '', 'x'])])), 400, /^a matcher has no label name$/],
    [request('data', readBody(Array.from({ length: 101 }, () => query()))), 400, /more than 100 queries/],
    [request('data', readBody([query()], [1])), 400, /none of the accepted response types is supported/],
  ];
  for (const [asked, status, reason] of cases) {
    const answer = await asked;
    t.is(answer.status, status, String(answer.bytes));
    t.regex(String(answer.bytes), reason);
    t.is(answer.headers['content-type'], 'text/plain; charset=utf-8');
  }
  t.is((await request('data', readBody([query()], [1, 0]))).status, 200);
  t.is((await request('data', readBody([query()], [0]))).status, 200);
});

test('a database without any samples has an empty result, one with another table of that name is refused', async (t) => {
  await service.run('CREATE DATABASE bare');
  t.deepEqual(await read('bare', query()), [[]]);
  await service.run('CREATE TABLE bare.metrics (ts TIMESTAMP, v DOUBLE)');
  t.is((await request('bare', readBody([query()]))).status, 400);
});

test('the row cap of the REST interface holds for each query, and the limit of an answer is an error', async (t) => {
  const capped = await service.attach('--restfulRowLimit=2', '--limits.remoteReadBytes=200');
  t.teardown(() => capped.stop());
  const body = readBody([query(['EQ', '__name__', 'up']), query(['EQ', '__name__', 'zones'])]);
  const capTwo = await capped.open({
    path: '/metricsdb/v1/remote_read/data',
    body: readBody([query(['EQ', '__name__', 'up'])]),
  });
  const [series] = readAnswer(await buffer(capTwo));
  t.is(series?.[0]?.samples.length, 2);
  const refused = await capped.open({ path: '/metricsdb/v1/remote_read/data', body });
  t.is(refused.statusCode, 400);
  t.regex(await text(refused), /^the answer is longer than 200 bytes \(limits.remoteReadBytes\)/);
});

test('reading takes the right to read, writing the right to write', async (t) => {
  await service.run("CREATE USER reader PASS 'Reader_12'");
  const auth = basicOf('reader', 'Reader_12');
  const asked = readBody([query(['EQ', '__name__', 'up'])]);
  const body = writeBody([{ labels: labelsOf(up), samples: [{ value: 9, timestamp: start + 9 }] }]);
  await write('rights', body);
  const written = () => service.request({ path: '/metricsdb/v1/remote_write/rights', body, auth });
  t.is((await request('rights', asked, { auth })).status, 403);
  t.is((await written()).status, 403);
  await service.run('GRANT READ ON rights.* TO reader');
  const { status, bytes } = await request('rights', asked, { auth });
  t.is(status, 200);
  t.is(readAnswer(bytes)[0]?.length, 1);
  t.is((await written()).status, 403);
  await service.run('GRANT WRITE ON rights.* TO reader');
  t.is((await written()).status, 204);
});
