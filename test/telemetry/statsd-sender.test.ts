import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import test from 'ava';
import { ServiceMetrics } from '../../src/telemetry/metrics.js';
import { CounterDeltas, StatsdSender } from '../../src/telemetry/statsd-sender.js';
import { StatsdReader } from '../../src/transforms/parse/statsd.js';
import { until } from '../support/until.js';

const metricsOf = () => new ServiceMetrics({ version: '1', http: true, hideClients: true, windowMs: 1000 });

test('gauges are sent as they are, counters as their increase, buckets and quantiles not at all', async (t) => {
  const metrics = metricsOf();
  const growth = new CounterDeltas();
  const read = async () => growth.since(await metrics.values());
  metrics.settled('lines', 'stored', 7);
  metrics.sampled(2, 40);
  metrics.wrote('stored', 30, 0.5);
  const first = await read();
  const named = (metrics: typeof first, name: string) => metrics.filter((metric) => metric.name === name);
  const rows = { type: 'counter', name: 'adapter_rows_total', tags: { pipeline: 'lines', outcome: 'stored' } };
  t.deepEqual(named(first, rows.name), [{ ...rows, value: 7 }]);
  t.like(named(first, 'adapter_system_mem_percent')[0], { type: 'gauge', value: 40 });
  t.like(named(first, 'adapter_insert_rows_sum')[0], { type: 'counter', value: 30 });
  t.like(named(first, 'adapter_insert_rows_count')[0], { type: 'counter', value: 1 });
  t.false(first.some(({ name, tags }) => name.endsWith('_bucket') || 'le' in tags || 'quantile' in tags));
  metrics.settled('lines', 'stored', 2);
  // Printing the metrics changes how they are listed.
  await metrics.text('openmetrics');
  t.deepEqual(named(await read(), rows.name), [{ ...rows, value: 2 }]);
  const third = await read();
  t.deepEqual(named(third, rows.name), []);
  t.like(named(third, 'adapter_system_mem_percent')[0], { value: 40 });
});

test('a counter that restarts from 0 is sent as it is', (t) => {
  const growth = new CounterDeltas();
  const read = (value: number) =>
    growth.since([{ name: 'rows_total', type: 'counter', values: [{ value, labels: {} }] }]).map((one) => one.value);
  t.deepEqual([read(10), read(4), read(4), read(5)], [[10], [4], [], [1]]);
});

test('a receiver reads every message', async (t) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const datagrams: Buffer[] = [];
  socket.on('message', (datagram) => datagrams.push(datagram));
  const metrics = metricsOf();
  const warnings: unknown[] = [];
  const log = { debug() {}, info() {}, warn: (about: object) => void warnings.push(about), error() {} };
  const options = { host: '127.0.0.1', port: socket.address().port, intervalMs: 100, prefix: 'plant' };
  const sender = new StatsdSender(options, () => metrics.values(), log);
  await sender.start();
  for (let i = 0; i < 200; i++) {
    const request = { route: `/route/${i}`, method: 'GET', status: 200, seconds: 0.25, client: 'c', failed: false };
    metrics.begun();
    metrics.ended(request);
  }
  const names = new Set<string>();
  let rejected = 0;
  const reader = new StatsdReader();
  await until(() => {
    for (const datagram of datagrams.splice(0)) {
      t.true(datagram.length <= 1400);
      const take = ({ bytes, bucketStart, bucketEnd, tagsStart, tagsEnd }: StatsdReader) => {
        const text = Buffer.from(bytes).toString();
        names.add(`${text.slice(bucketStart, bucketEnd)}|${text.slice(tagsStart, tagsEnd)}`);
        return undefined;
      };
      reader.read(datagram, { take });
      rejected += reader.rejectedLines;
    }
    return [...names].filter((name) => name.startsWith('plant.adapter_restful_http_request_total|')).length === 200;
  });
  t.is([...names].filter((name) => name.startsWith('plant.adapter_restful_http_request_total|')).length, 200);
  t.is(rejected, 0);
  t.deepEqual(warnings, []);
  await sender.drain();
  await sender.stop();
  await sender.stop();
  socket.close();
});

test('an unreachable receiver is logged once', async (t) => {
  const metrics = metricsOf();
  const warnings: object[] = [];
  const log = { debug() {}, info() {}, warn: (about: object) => void warnings.push(about), error() {} };
  const options = { host: 'no.such.host.invalid', port: 8125, intervalMs: 100, prefix: '' };
  const sender = new StatsdSender(options, () => metrics.values(), log);
  await sender.start();
  t.true(await until(() => warnings.length > 0));
  await sender.stop();
  t.is(warnings.length, 1);
  t.like(warnings[0], { host: 'no.such.host.invalid', port: 8125 });
});
