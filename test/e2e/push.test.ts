import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { Counter, Histogram, Pushgateway, Registry } from 'prom-client';
import { familiesOf } from '../support/messages/exposition-messages.js';
import { fixturePath } from '../support/recordings.js';
import { basic } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

test('the client of the Pushgateway pushes, adds and deletes with another address', async (t) => {
  await service.run("CREATE DATABASE metricsdb PRECISION 'ns'");
  const registry = new Registry();
  new Counter({ name: 'jobs_total', help: 'Jobs.', labelNames: ['kind'], registers: [registry] }).inc(
    { kind: 'full' },
    3,
  );
  new Histogram({ name: 'took', help: 'Seconds.', buckets: [1, 10], registers: [registry] }).observe(2);
  const options = { headers: { authorization: basic } };
  const gateway = new Pushgateway(`http://127.0.0.1:${service.port}`, options, registry);
  const push = { jobName: 'back/up', groupings: { instance: 'a' } };
  t.is((await gateway.pushAdd(push)).resp?.constructor.name, 'IncomingMessage');
  const jobs = await service.rows('SELECT job, instance, kind, `counter` FROM metricsdb.jobs_total');
  t.deepEqual(jobs, [['back/up', 'a', 'full', 3]]);
  const took = await service.rows('SELECT job, `sum`, `count`, `1`, `10`, `+Inf` FROM metricsdb.took');
  t.deepEqual(took, [['back/up', 2, 1, 0, 1, 1]]);
  await gateway.delete(push);
  t.is((await service.rows('SELECT `counter` FROM metricsdb.jobs_total')).length, 1);
  await t.throwsAsync(new Pushgateway(`http://127.0.0.1:${service.port}`, {}, registry).push(push), { message: /401/ });
});

test('what the Go client pushes, which is protobuf in gzip or not, is stored with the labels of the path', async (t) => {
  await service.run("CREATE DATABASE pushed PRECISION 'ns'");
  const message = readFileSync(fixturePath('hostexporter/client_golang-1.25.0-push.bin'));
  const type = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';
  const query = (method: string, body: Uint8Array, more: Readonly<Record<string, string>> = {}) =>
    service.request({
      method,
      path: '/metrics/job/backup/instance@base64/YS9i?db=pushed',
      body,
      headers: { 'content-type': type, ...more },
    });
  t.is((await query('PUT', message)).status, 200);
  t.is((await query('POST', gzipSync(message), { 'content-encoding': 'gzip' })).status, 200);
  t.deepEqual(await service.rows('SELECT DISTINCT job, instance, `counter` FROM pushed.jobs_total'), [
    ['backup', 'a/b', 3],
  ]);
  t.is((await service.rows('SELECT * FROM pushed.wait_seconds')).length, 2);
  const cut = await query('PUT', message.subarray(0, 100));
  t.is(cut.status, 400);
  t.regex(cut.text, /not a valid protobuf message/);
});

test('samples that differ in a label of the path or of extra_label are two series', async (t) => {
  await service.run("CREATE DATABASE forced PRECISION 'ns'");
  const body = 'p{instance="a"} 1 1700000000000\np{instance="b"} 2 1700000000000\np 3 1700000000000\n';
  t.is((await service.request({ path: '/metrics/job/j/instance/i?db=forced', body })).status, 200);
  t.deepEqual(await service.rows('SELECT `value`, exported_instance, instance FROM forced.p ORDER BY `value`'), [
    [1, 'a', 'i'],
    [2, 'b', 'i'],
    [3, null, 'i'],
  ]);
  const path = '/api/v1/import/prometheus?db=forced&extra_label=site=n';
  t.is(
    (await service.request({ path, body: 'e{site="a"} 1 1700000000000\ne{site="b"} 2 1700000000000\n' })).status,
    204,
  );
  t.deepEqual(await service.rows('SELECT `value`, exported_site, site FROM forced.e ORDER BY `value`'), [
    [1, 'a', 'n'],
    [2, 'b', 'n'],
  ]);
});

test('of two metrics whose dots make them one table the second is refused by name', async (t) => {
  await service.run("CREATE DATABASE dotted PRECISION 'ns'");
  const path = '/metrics/job/j?db=dotted';
  const text = await service.request({ path, body: '{"a.b",i="1"} 1\na_b{i="1"} 2\n' });
  t.is(text.status, 400);
  t.regex(text.text, /^line 2: .*metric "a_b" cannot be stored in table "a_b", which holds metric "a\.b"/);
  const metric = [{ label: [{ name: 'i', value: '1' }], untyped: { value: 3 } }];
  const body = familiesOf({ name: 'c.d', metric }, { name: 'c_d', metric });
  const type = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';
  const message = await service.request({ path, body, headers: { 'content-type': type } });
  t.is(message.status, 400);
  t.regex(message.text, /^metric 2: .*metric "c_d" cannot be stored in table "c_d", which holds metric "c\.d"/);
  t.deepEqual(await service.rows('SELECT `value` FROM dotted.a_b'), [[1]]);
  t.deepEqual(await service.rows('SELECT `value` FROM dotted.c_d'), [[3]]);
});

test('a job whose password is wrong is told so when it tidies up, too', async (t) => {
  const auth = `Basic ${Buffer.from('root:wrong').toString('base64')}`;
  for (const path of ['/metrics/job/a', '/metrics/job/a/instance/b']) {
    const reply = await service.request({ method: 'DELETE', path, auth });
    t.is(reply.status, 401, path);
    t.regex(reply.text, /Authentication failure$/);
  }
});

test('an import stores what is good and names the first bad line', async (t) => {
  await service.run("CREATE DATABASE imported PRECISION 'ns'");
  const path = '/api/v1/import/prometheus?db=imported&extra_label=site=north';
  const reply = await service.request({
    path,
    body: 'up{host="a"} 1 1700000000000\nbad\nup{host="b"} 0 1700000000000\n',
  });
  t.is(reply.status, 400);
  t.regex(reply.text, /^line 2: .*bad.* \(1 rejected, 2 written\)$/);
  const rows = await service.rows('SELECT host, site, `value` FROM imported.up ORDER BY host');
  t.deepEqual(rows, [
    ['a', 'north', 1],
    ['b', 'north', 0],
  ]);
});

test('exemplars of OpenMetrics text are read beside those of remote write', async (t) => {
  await service.run("CREATE DATABASE exemplary PRECISION 'ns'");
  const body = 'hits_total{page="/"} 7 1700000000 # {trace_id="abc"} 1 1700000000.5\n# EOF\n';
  const headers = { 'content-type': 'application/openmetrics-text; version=1.0.0' };
  t.is((await service.request({ path: '/metrics/job/web?db=exemplary', body, headers })).status, 200);
  t.is((await service.request({ path: '/metrics/job/web?db=exemplary', body, headers })).status, 200);
  t.deepEqual(await service.rows('SELECT * FROM exemplary.metric_exemplars'), [
    ['2023-11-14T22:13:20.500000000Z', 1, '{"trace_id":"abc"}', { __name__: 'hits_total', job: 'web', page: '/' }],
  ]);
  t.deepEqual(await service.rows('SELECT `value`, page, job FROM exemplary.hits_total'), [[7, '/', 'web']]);
});

test('pieces of a long text that need more tags than a new table may have together lose those lines alone', async (t) => {
  await service.run("CREATE DATABASE wide PRECISION 'ns'");
  const lines = Array.from({ length: 10_000 }, (_, at) => `wide{l${at}="x"} 1\n`);
  const reply = await service.request({ path: '/api/v1/import/prometheus?db=wide', body: lines.join('') });
  t.is(reply.status, 400);
  t.regex(reply.text, /^line \d+: .* is one too many: the table has 128 tags already \(9872 rejected, 128 written\)$/);
  t.deepEqual(await service.rows('SELECT COUNT(*) FROM wide.wide'), [[128]]);
});
