import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { credentials, Metadata } from '@grpc/grpc-js';
import { OTLPMetricExporter as GrpcExporter } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import test from 'ava';
import { certificates, secureTests, tlsArguments } from '../support/certificates.js';
import { adapterProgram, directoryFor, run } from '../support/service/processes.js';
import { basic, engineSecret, startService } from '../support/service/service.js';

const { make, remove } = certificates();
const certificate = make('service');
const settings = tlsArguments(certificate);
const { service, end } = await startService(...settings, '--otlp.grpc=true', '--otlp.grpcPort=0');
test.after.always(async () => {
  await end();
  remove();
});

const secure = secureTests(certificate);

/** One request over TLS. */
function askSecurely(port: number, caFile: string, path: string, method = 'GET', authorization = basic) {
  return new Promise<{ status: number; text: string; policy: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method, headers: { authorization }, ca: readFileSync(caFile) };
    const call = request(options, async (answer) => {
      const policy = String(answer.headers['content-security-policy']);
      resolve({ status: answer.statusCode ?? 0, text: await text(answer), policy });
    });
    call.on('error', reject).end();
  });
}

secure('exporters write over TLS, and the page comes over it with all of its files', async (t, caFile) => {
  await service.run("CREATE DATABASE over_tls PRECISION 'ns'");
  const ca = readFileSync(caFile);
  const byHttp = new OTLPMetricExporter({
    url: `https://127.0.0.1:${service.port}/v1/metrics?db=over_tls`,
    headers: { authorization: basic },
    httpAgentOptions: { ca },
  });
  const metadata = new Metadata();
  metadata.set('authorization', basic);
  metadata.set('x-sluice-db', 'over_tls');
  const url = `https://127.0.0.1:${service.listeners.get('otlp')}`;
  const byGrpc = new GrpcExporter({ url, metadata, credentials: credentials.createSsl(ca) });
  for (const [name, exporter] of Object.entries({ by_http: byHttp, by_grpc: byGrpc })) {
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const provider = new MeterProvider({ readers: [reader] });
    provider.getMeter('shop').createCounter(name).add(3);
    await provider.shutdown();
    t.deepEqual(await service.rows(`SELECT \`counter\` FROM over_tls.${name}`), [[3]]);
  }

  const page = await askSecurely(service.port, caFile, '/');
  t.is(page.status, 200);
  t.regex(page.policy, /default-src 'none'/);
  const names = [...page.text.matchAll(/(?:src|href)="(\/?page\/[^"]+)"/g)].map(
    ([, name = '']) => `/${name.replace(/^\//, '')}`,
  );
  t.true(names.length > 1, page.text);
  for (const name of names) t.is((await askSecurely(service.port, caFile, name)).status, 200, name);
  t.notRegex(page.text, /(?:src|href)="http:/);
});

secure('HTTP can be turned off while TLS is on, and the start warns of the built-in password', async (t, caFile) => {
  const warned = /still has the built-in password, and the service listens beyond loopback/;
  t.regex(service.log.join('\n'), warned);
  await service.run("ALTER USER root PASS 'Another-12345'");
  const alone = await service.attach(...settings, '--ssl.plainHttp=off');
  t.teardown(() => alone.stop());
  const plain = await alone.request({ path: '/rest/sql', body: 'SELECT 1' });
  t.deepEqual([plain.status, plain.text], [400, 'This port speaks TLS: use https.\n']);
  t.is((await askSecurely(alone.port, caFile, '/-/ping')).status, 200);
  t.notRegex(alone.log.join('\n'), warned);

  const enginePort = new URL(service.engineUrl).port;
  const ports = [`--port=${alone.port}`, `--database.port=${enginePort}`, `--database.password=${engineSecret}`];
  const backup = run(t, process.execPath, [adapterProgram, 'backup', directoryFor(t), ...settings, ...ports]);
  t.deepEqual([(await backup.ended).code, backup.stderr()], [0, '']);
});
