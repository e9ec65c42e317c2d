import test from 'ava';
import { IntervalMetrics } from '../../src/telemetry/interval-metrics.js';
import { ServiceMetrics } from '../../src/telemetry/metrics.js';

const options = { version: '1.2.3', http: true, hideClients: false, windowMs: 30_000 };
const request = {
  route: '/rest/sql/:db',
  method: 'POST',
  status: 200,
  seconds: 0.02,
  client: '10.0.0.9',
  failed: false,
};

function lines(text: string, part: string): string[] {
  return text.split('\n').filter((line) => line.includes(part) && !line.startsWith('#'));
}

test('requests are counted by route, method, status and client, and the text is OpenMetrics', async (t) => {
  const metrics = new ServiceMetrics(options);
  metrics.begun();
  metrics.begun();
  metrics.ended(request);
  metrics.ended({ ...request, failed: true });
  const text = await metrics.text('openmetrics');
  t.deepEqual(lines(text, 'http_request_total'), [
    'adapter_restful_http_request_total{request_method="POST",request_uri="/rest/sql/:db",status_code="200",client_ip="10.0.0.9"} 2',
  ]);
  t.deepEqual(lines(text, 'request_fail'), [
    'adapter_restful_http_request_fail{request_method="POST",request_uri="/rest/sql/:db",status_code="200",client_ip="10.0.0.9"} 1',
  ]);
  t.deepEqual(lines(text, 'in_flight'), ['adapter_restful_http_request_in_flight 0']);
  t.true(lines(text, 'summary_milliseconds{').some((line) => line.includes('quantile="0.99"')));
  t.true(text.includes('# TYPE adapter_restful_http_request counter'));
  t.true(text.endsWith('# EOF\n'));
});

test('addresses of clients can be hidden, and their number is bounded', async (t) => {
  const hidden = new ServiceMetrics({ ...options, hideClients: true });
  hidden.ended(request);
  t.true((await hidden.text('openmetrics')).includes('client_ip="invisible"'));
  const open = new ServiceMetrics(options);
  for (let i = 0; i < 1000; i++) open.ended({ ...request, client: `10.0.${i >> 8}.${i & 255}` });
  const clients = lines(await open.text('openmetrics'), 'http_request_total');
  t.is(clients.length, 257);
  t.true(clients.some((line) => line.includes('client_ip="other"} 744')));
});

test('requests are not counted when monitoring is off; rows, refusals and the system are', async (t) => {
  const metrics = new ServiceMetrics({ ...options, http: false });
  metrics.begun();
  metrics.ended(request);
  metrics.refused('all-paused');
  metrics.received('lineproto', 100);
  metrics.settled('lineproto', 'stored', 3);
  metrics.wrote('delivered', 3, 0.01);
  metrics.sampled(12.5, 50);
  metrics.watch({
    adapter_credit_bytes: { help: 'Bytes.', read: () => 42 },
    adapter_agentd_datagrams: { isCounter: true, help: 'Packets.', read: () => 7 },
  });
  await metrics.text('openmetrics');
  const text = await metrics.text('openmetrics');
  t.deepEqual(lines(text, 'adapter_restful_http_request_total{'), []);
  for (const line of [
    'adapter_refusals_total{reason="all-paused"} 1',
    'adapter_received_bytes_total{pipeline="lineproto"} 100',
    'adapter_rows_total{pipeline="lineproto",outcome="stored"} 3',
    'adapter_insert_rows_sum 3',
    'adapter_system_cpu_percent 12.5',
    'adapter_system_mem_percent 50',
    '# TYPE adapter_credit_bytes gauge',
    'adapter_credit_bytes 42',
    '# TYPE adapter_agentd_datagrams unknown',
    'adapter_agentd_datagrams 7',
    '# TYPE adapter_restful_http_request_fail unknown',
  ]) {
    t.true(text.includes(`${line}\n`), line);
  }
  const older = await metrics.text('prometheus');
  for (const name of [
    'agentd_datagrams',
    'restful_http_request_fail',
    'refusals_total',
    'restful_http_request_total',
  ]) {
    t.true(older.includes(`# TYPE adapter_${name} counter\n`), name);
  }
});

test('an interval has its own counts, and a restored interval is part of the next one', async (t) => {
  const metrics = new ServiceMetrics(options);
  const interval = new IntervalMetrics(metrics, 'here:6041');
  const total = async () =>
    (await interval.take())
      .filter(({ table }) => table === 'adapter_restful_http_request_total')
      .map(({ values }) => values);
  for (let i = 0; i < 3; i++) metrics.ended(request);
  metrics.ended({ ...request, failed: true });
  const first = await interval.take();
  t.deepEqual(
    first.filter(({ table }) => /_(total|fail)$/.test(table)).map(({ table, values }) => [table, values]),
    [
      ['adapter_restful_http_request_total', [['gauge', 4]]],
      ['adapter_restful_http_request_fail', [['gauge', 1]]],
    ],
  );
  t.deepEqual(await total(), []);
  metrics.ended(request);
  await metrics.text('openmetrics');
  t.deepEqual(await total(), [[['gauge', 1]]]);
  interval.restore();
  metrics.ended(request);
  t.deepEqual(await total(), [[['gauge', 2]]]);
  metrics.ended(request);
  const tables = async () => new Set((await interval.take()).map(({ table }) => table));
  const [asked, idle] = [await tables(), await tables()];
  for (const each of [asked, idle]) t.true(each.has('adapter_system_mem_percent'));
  const times = 'adapter_restful_http_request_summary_milliseconds';
  t.deepEqual([asked.has(times), idle.has(times)], [true, false]);
});

test.serial('the count and the sum of a summary stay when its window is empty', async (t) => {
  const metrics = new ServiceMetrics({ ...options, windowMs: 1000 });
  metrics.ended(request);
  const kept = async () => lines(await metrics.text('openmetrics'), 'summary_milliseconds_');
  const before = await kept();
  t.is(before.length, 2);
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => now() + 60_000;
  await kept();
  t.deepEqual(await kept(), before);
});
