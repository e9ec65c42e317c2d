import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import {
  AggregationTemporality,
  AggregationType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import test, { type ExecutionContext } from 'ava';
import { basic, startService } from '../support/service.js';

const { service, end } = await startService();
test.after.always(end);
const url = `http://127.0.0.1:${service.port}/v1/metrics`;

/** An application that measures one of everything, and sends it once. */
async function measure(exporter: PushMetricExporter): Promise<void> {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const exponential = { type: AggregationType.EXPONENTIAL_HISTOGRAM } as const;
  const provider = new MeterProvider({
    readers: [reader],
    views: [{ instrumentName: 'size', aggregation: exponential }],
  });
  const meter = provider.getMeter('shop', '1.0');
  meter.createCounter('orders', { unit: '{order}' }).add(3, { 'payment.kind': 'card' });
  meter.createUpDownCounter('open.carts').add(-2);
  meter.createGauge('temperature', { unit: 'Cel' }).record(21.5);
  const latency = meter.createHistogram('latency', { unit: 'ms', advice: { explicitBucketBoundaries: [10, 100] } });
  latency.record(5);
  latency.record(50);
  meter.createHistogram('size').record(1000);
  await provider.shutdown();
}

async function check(t: ExecutionContext, db: string): Promise<void> {
  const orders = `SELECT payment_kind, otel_scope_name, otel_scope_version, \`counter\` FROM ${db}.orders`;
  t.deepEqual(await service.rows(orders), [['card', 'shop', '1.0', 3]]);
  t.deepEqual(await service.rows(`SELECT gauge FROM ${db}.open_carts`), [[-2]]);
  t.deepEqual(await service.rows(`SELECT gauge FROM ${db}.temperature`), [[21.5]]);
  const latency = `SELECT \`count\`, \`sum\`, \`min\`, \`max\`, \`10\`, \`100\`, \`+Inf\` FROM ${db}.latency`;
  t.deepEqual(await service.rows(latency), [[2, 55, 5, 50, 1, 2, 2]]);
  const [size] = await service.rows(`SELECT \`count\`, zero_count, positive_counts FROM ${db}.size`);
  t.deepEqual(size, [1, 0, '[1]']);
}

test('the exporter that sends protobuf writes every kind of metric, gzipped', async (t) => {
  await service.run("CREATE DATABASE by_protobuf PRECISION 'ns'");
  const headers = { authorization: basic, 'x-sluice-db': 'by_protobuf' };
  process.env.OTEL_EXPORTER_OTLP_COMPRESSION = 'gzip';
  await measure(new ProtobufExporter({ url, headers, temporalityPreference: AggregationTemporality.CUMULATIVE }));
  await check(t, 'by_protobuf');
});

test('the exporter that sends JSON writes every kind of metric', async (t) => {
  await service.run("CREATE DATABASE by_json PRECISION 'ns'");
  await measure(new JsonExporter({ url: `${url}?db=by_json`, headers: { authorization: basic } }));
  await check(t, 'by_json');
});

test('a database that does not exist, and a body that is no message, are the fault of the sender', async (t) => {
  const headers = { 'content-type': 'application/x-protobuf' };
  const missing = await service.ask({ path: '/v1/metrics', headers, body: '' });
  t.deepEqual([missing.status, missing.text.includes('Database not exist')], [404, true]);
  await service.run('CREATE DATABASE bad_bodies');
  const bad = await service.ask({ path: '/v1/metrics?db=bad_bodies', headers, body: Uint8Array.of(0x0a, 0x7f) });
  t.deepEqual([bad.status, bad.text.includes('longer than its message')], [400, true]);
});
