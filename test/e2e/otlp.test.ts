import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
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
import { otlpAnswer, otlpRequest, requestOf } from '../support/messages/otlp-messages.js';
import { basic, basicOf, type TestService } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { neighbour, end } = await sharedService();
const service = await neighbour();
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
  meter.createCounter('orders', { unit: '{order}', description: 'What was sold.' }).add(3, { 'payment.kind': 'card' });
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
  const about = `SELECT labels->'__name__', \`type\`, help, unit FROM ${db}.metric_metadata ORDER BY labels->'__name__'`;
  t.deepEqual(await service.rows(about), [
    ['latency', 'histogram', null, 'ms'],
    ['orders', 'counter', 'What was sold.', '{order}'],
    ['temperature', 'gauge', null, 'Cel'],
  ]);
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

/** The port for gRPC, as the log has it. */
function grpcPort(): number {
  for (const line of service.log) {
    const said: { listens?: number; protocol?: string } = JSON.parse(line);
    if (said.protocol === 'grpc' && said.listens !== undefined) return said.listens;
  }
  throw new Error('Nothing listens for gRPC.');
}

test('the exporter that speaks gRPC writes every kind of metric, and is told why it may not', async (t) => {
  await service.run("CREATE DATABASE by_grpc PRECISION 'ns'");
  const metadata = new Metadata();
  metadata.set('authorization', basic);
  metadata.set('x-sluice-db', 'by_grpc');
  const grpcUrl = `http://127.0.0.1:${grpcPort()}`;
  await measure(new GrpcExporter({ url: grpcUrl, metadata }));
  await check(t, 'by_grpc');
  await service.run("CREATE USER nobody PASS 'nobodySecret1!'");
  const forbidden = { authorization: basicOf('nobody', 'nobodySecret1!'), 'x-sluice-db': 'by_grpc' };
  const halfBad = requestOf(
    [`${Date.now()}000000`, '18446744073709551615'].map((timeUnixNano) => ({
      name: 'half',
      gauge: { dataPoints: [{ timeUnixNano, asDouble: 1 }] },
    })),
  );
  await service.run("CREATE USER elsewhere PASS 'elsewhereSecret1!' HOST '10.0.0.1'");
  const elsewhere = { authorization: basicOf('elsewhere', 'elsewhereSecret1!') };
  const cases: [Record<string, string>, Uint8Array, status, RegExp][] = [
    [elsewhere, Uint8Array.of(), status.PERMISSION_DENIED, /whitelist prohibits current IP access/],
    [{}, Uint8Array.of(), status.UNAUTHENTICATED, /no auth info/],
    [{ authorization: basicOf('root', 'no') }, Uint8Array.of(), status.UNAUTHENTICATED, /Authentication failure/],
    [forbidden, otlpRequest(halfBad), status.PERMISSION_DENIED, /Permission denied/],
    [{ authorization: basic }, Uint8Array.of(), status.NOT_FOUND, /Database not exist/],
    [{ authorization: basic, 'x-sluice-db': 'by_grpc' }, Uint8Array.of(0x0a, 0x7f), status.INVALID_ARGUMENT, /longer/],
    [{ authorization: basic, 'x-sluice-db': 'by_grpc' }, Buffer.alloc(4_500_000), status.RESOURCE_EXHAUSTED, /larger/],
  ];
  const client = new Client(`127.0.0.1:${grpcPort()}`, credentials.createInsecure());
  t.teardown(() => client.close());
  const path = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';
  const same = (bytes: Buffer): Buffer => bytes;
  for (const [metadata, body, code, said] of cases) {
    const error = await new Promise<ServiceError | null>((resolve) => {
      const head = Metadata.fromHttp2Headers(metadata);
      client.makeUnaryRequest(path, same, same, Buffer.from(body), head, (failure) => resolve(failure));
    });
    t.is(error?.code, code, error?.details);
    t.regex(error?.details ?? '', said);
  }
  const partly = await new Promise<Buffer | undefined>((resolve) => {
    const head = Metadata.fromHttp2Headers({ authorization: basic, 'x-sluice-db': 'by_grpc' });
    client.makeUnaryRequest(path, same, same, otlpRequest(halfBad), head, (_, reply) => resolve(reply));
  });
  t.like(otlpAnswer('Response', partly ?? Buffer.of()), { partialSuccess: { rejectedDataPoints: '1' } });
});

test('exporters with a wrong password are told so', async (t) => {
  const authorization = basicOf('root', 'no');
  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  const exporters: [PushMetricExporter, RegExp][] = [
    [new ProtobufExporter({ url, headers: { authorization } }), /Unauthorized|401/],
    [new JsonExporter({ url, headers: { authorization } }), /Unauthorized|401/],
    [new GrpcExporter({ url: `http://127.0.0.1:${grpcPort()}`, metadata }), /UNAUTHENTICATED.*Authentication failure/],
  ];
  for (const [exporter, said] of exporters) {
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    new MeterProvider({ readers: [reader] }).getMeter('shop').createGauge('load').record(1);
    const { resourceMetrics } = await reader.collect();
    const error = await new Promise<Error | undefined>((resolve) =>
      exporter.export(resourceMetrics, (result) => resolve(result.error)),
    );
    t.regex(String(error), said);
    await exporter.shutdown();
  }
});

test('a database that does not exist, and a body that is no message, are the fault of the sender', async (t) => {
  const headers = { 'content-type': 'application/x-protobuf' };
  const missing = await service.request({ path: '/v1/metrics', headers, body: '' });
  t.deepEqual([missing.status, missing.text.includes('Database not exist')], [404, true]);
  await service.run('CREATE DATABASE bad_bodies');
  const bad = await service.request({ path: '/v1/metrics?db=bad_bodies', headers, body: Uint8Array.of(0x0a, 0x7f) });
  t.deepEqual([bad.status, bad.text.includes('longer than its message')], [400, true]);
});

test('a long request in JSON that is wrong in one place is refused whole, with the place', async (t) => {
  await service.run("CREATE DATABASE long_json PRECISION 'ns'");
  const point = { attributes: [{ key: 'i', value: { stringValue: 'x'.repeat(100) } }], timeUnixNano: '1', asDouble: 1 };
  const dataPoints = [...Array.from({ length: 4_000 }, () => point), { ...point, asDouble: 'one' }];
  const body = JSON.stringify({
    resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints } }] }] }],
  });
  const headers = { 'content-type': 'application/json' };
  const reply = await service.request({ path: '/v1/metrics?db=long_json', headers, body });
  t.is(reply.status, 400);
  const place = 'resourceMetrics[0].scopeMetrics[0].metrics[0].gauge.dataPoints[4000].asDouble';
  t.true(reply.text.includes(`${place} must be a number`), reply.text);
  t.deepEqual(await service.rows('SHOW long_json.STABLES'), []);
  const cut = body.replace('"one"', '1').slice(0, -1);
  const broken = await service.request({ path: '/v1/metrics?db=long_json', headers, body: cut });
  t.deepEqual([broken.status, /the body is not JSON/.test(broken.text)], [400, true]);
});

test('JSON keeps nanoseconds and whole numbers exact, and many braces are no reason to refuse it', async (t) => {
  await service.run("CREATE DATABASE exact_json PRECISION 'ns'");
  const write = async (points: string) => {
    const body = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[${points}]}}]}]}]}`;
    const headers = { 'content-type': 'application/json' };
    const reply = await service.request({ path: '/v1/metrics?db=exact_json', headers, body });
    t.deepEqual([reply.status, reply.text], [200, '{}']);
  };
  const account = (digits: string) => `"attributes":[{"key":"account","value":{"intValue":${digits}}}]`;
  await write(
    `{"timeUnixNano":1700000000123456700,"asDouble":1,${account('9007199254740993')}},
     {"timeUnixNano":1700000000123456790,"asDouble":2,${account('9007199254740993')}},
     {"timeUnixNano":1700000000123456790,"asDouble":3,${account('9007199254740992')}}`,
  );
  t.deepEqual(await service.rows('SELECT CAST(_ts AS BIGINT), gauge, account FROM exact_json.m ORDER BY gauge'), [
    ['1700000000123456700', 1, '9007199254740993'],
    ['1700000000123456790', 2, '9007199254740993'],
    ['1700000000123456790', 3, '9007199254740992'],
  ]);
  const route = `"attributes":[{"key":"route","value":{"stringValue":"${'/{a}'.repeat(50)}"}}]`;
  await write(
    [...Array(8_000).keys()]
      .map((i) => `{"timeUnixNano":170000000000000${String(i).padStart(4, '0')},"asDouble":${i},${route}}`)
      .join(),
  );
  t.deepEqual(await service.rows("SELECT COUNT(*) FROM exact_json.m WHERE route LIKE '/{a}%'"), [[8_000]]);
});

test('names of other letters are kept, and a name that another one has made is refused by name, also after a restart', async (t) => {
  await service.run("CREATE DATABASE otlp_names PRECISION 'ns'");
  const write = async (through: TestService, name: string, key: string, value: number) => {
    const attributes = [{ key, value: { stringValue: 'a' } }];
    const dataPoints = [{ timeUnixNano: '1700000000000000000', asDouble: value, attributes }];
    const body = JSON.stringify({
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name, gauge: { dataPoints } }] }] }],
    });
    const headers = { 'content-type': 'application/json' };
    const reply = await through.request({ path: '/v1/metrics?db=otlp_names', headers, body });
    return JSON.parse(reply.text).partialSuccess?.errorMessage ?? 'stored';
  };
  t.is(await write(service, 'cpu温度', 'город', 1), 'stored');
  t.is(await write(service, 'cpu温度', 'район', 2), 'stored');
  t.is(await write(service, 'cpu湿度', 'a.b', 3), 'stored');
  const other = await service.attach();
  t.teardown(() => other.stop());
  for (const through of [service, other]) {
    t.regex(
      await write(through, 'cpu湿度', 'a-b', 4),
      /attribute "a-b" cannot be stored in tag "a_b", which holds attribute "a.b"/,
    );
    t.is(await write(through, 'x.y', 'k', 5), 'stored');
    t.regex(
      await write(through, 'x-y', 'k', 6),
      /metric "x-y" cannot be stored in table "x_y", which holds metric "x.y"/,
    );
  }
  const rows = await service.rows('SELECT gauge, `город`, `район` FROM otlp_names.`cpu温度` ORDER BY gauge');
  t.deepEqual(rows, [
    [1, 'a', null],
    [2, null, 'a'],
  ]);
  t.deepEqual(await service.rows('SELECT gauge, a_b FROM otlp_names.`cpu湿度`'), [[3, 'a']]);
  t.deepEqual(await service.rows('SELECT gauge FROM otlp_names.x_y'), [[5]]);
});
