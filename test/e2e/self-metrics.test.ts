import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { directoryFor } from '../support/service/processes.js';
import { startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

/** A receiver of StatsD, and what it gets. */
const receiver = createSocket('udp4').bind(0, '127.0.0.1');
await once(receiver, 'listening');
const received: string[] = [];
receiver.on('message', (datagram) => received.push(...datagram.toString().split('\n')));

const { service, end } = await startService(
  `--monitor.statsd=127.0.0.1:${receiver.address().port}`,
  '--monitor.statsdInterval=200ms',
  '--monitor.statsdPrefix=edge',
  '--monitor.writeToDB=true',
  '--monitor.writeInterval=300ms',
  '--monitor.collectDuration=100ms',
  '--monitor.identity=edge-1',
  '--monitor.disableCollectClientIP=true',
  // Its figures are there only when it is on.
  '--hostexporter.enable=true',
  '--hostexporter.gatherDuration=1h',
);
test.after.always(async () => {
  await end();
  receiver.close();
});

test('the figures are there as text and, by SQL, as rows of intervals', async (t) => {
  for (let i = 0; i < 3; i++) await service.rows('SELECT 1');
  t.is(await service.code('SELECT * FROM nowhere.nothing'), 0x388);
  const count = async (table: string): Promise<number> => {
    const { body } = await service.sql(
      `SELECT SUM(gauge) FROM log.${table} WHERE endpoint = 'edge-1' AND request_uri = '/rest/sql' AND client_ip = 'invisible'`,
    );
    return body.code === 0 ? Number(body.data[0]?.[0] ?? 0) : 0;
  };
  let total = 0;
  let failed = 0;
  await until(async () => {
    total = await count('adapter_restful_http_request_total');
    failed = await count('adapter_restful_http_request_fail');
    return total >= 4 && failed >= 1;
  });
  t.true(total >= 4, `${total} requests are stored`);
  t.true(failed >= 1, `${failed} failures are stored`);
  const [[memory] = []] = await service.rows('SELECT LAST(gauge) FROM log.adapter_system_mem_percent');
  t.true(typeof memory === 'number' && memory > 0 && memory < 100, String(memory));
  const text = (await service.request({ method: 'GET', path: '/metrics', auth: false })).text;
  t.regex(text, /adapter_restful_http_request_total\{[^}]*request_uri="\/rest\/sql"[^}]*client_ip="invisible"\} \d+/);
  t.regex(text, /adapter_rows_total\{pipeline="own-figures",outcome="stored"\} \d+/);
  t.true(text.endsWith('# EOF\n'));
});

test('the figures go to a receiver of StatsD, counters as what was added', async (t) => {
  const told = (name: string) =>
    received.flatMap((line) => line.match(new RegExp(`^edge\\.${name}:(\\S+)$`))?.[1] ?? []);
  await until(() => told('adapter_system_mem_percent').length >= 3);
  t.regex(told('adapter_system_mem_percent')[0] ?? '', /^\d+(\.\d+)?\|g$/);
  const counted = () => {
    const added = told('adapter_restful_http_request_total').filter((text) => text.includes('request_uri:/-/ping'));
    return added.reduce((sum, text) => sum + Number(/^(\d+)\|c\|#/.exec(text)?.[1] ?? Number.NaN), 0);
  };
  for (let i = 0; i < 5; i++) await service.request({ method: 'GET', path: '/-/ping', auth: false });
  await until(() => counted() >= 5);
  t.is(counted(), 5);
});

test('the type of the figures follows what the reader takes', async (t) => {
  const type = async (accept: string | undefined) =>
    (
      await service.request({
        method: 'GET',
        path: '/metrics',
        auth: false,
        headers: accept === undefined ? {} : { accept },
      })
    ).headers['content-type'];
  const open = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
  t.is(await type(undefined), open);
  t.is(await type('*/*'), open);
  t.is(await type('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5'), open);
  t.is(await type('text/plain;version=0.0.4'), 'text/plain; version=0.0.4; charset=utf-8');
});

/** Names of the samples that a scrape may have, by what the text says about its families. */
function sampleNames(text: string): ReadonlySet<string> {
  const suffixes: Readonly<Record<string, readonly string[]>> = {
    gauge: [''],
    unknown: [''],
    counter: ['_total'],
    histogram: ['_bucket', '_sum', '_count'],
    summary: ['', '_sum', '_count'],
  };
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(families.flatMap(([, name, type = '']) => (suffixes[type] ?? []).map((suffix) => `${name}${suffix}`)));
}

const monitoring = new URL('../../../packaging/monitoring/', import.meta.url);

/** Every expression of the dashboard, as Prometheus gets it. */
function dashboardExpressions(): readonly string[] {
  const { panels }: { panels: readonly { readonly targets: readonly { readonly expr: string }[] }[] } = JSON.parse(
    readFileSync(new URL('grafana-dashboard.json', monitoring), 'utf8'),
  );
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')));
}

test('the dashboard and the alerts for operators name figures that exist', async (t) => {
  const { text } = await service.request({ method: 'GET', path: '/metrics', auth: false });
  const known = sampleNames(text);
  const alerts = readFileSync(new URL('alerts.yml', monitoring), 'utf8');
  const asked = [...dashboardExpressions(), ...alerts.split('\n').filter((line) => line.includes('expr:'))];
  const named = new Set(asked.flatMap((expression) => expression.match(/\badapter_\w+/g) ?? []));
  t.true(named.size > 20, `${named.size} figures are drawn`);
  t.deepEqual(
    [...named].filter((name) => !known.has(name)),
    [],
  );
});

test('the dashboard reads the figures of the service from the service itself', async (t) => {
  await service.run('CREATE DATABASE service');
  const push = async (): Promise<void> => {
    const scraped = await service.request({ method: 'GET', path: '/metrics', auth: false });
    const headers = { 'content-type': String(scraped.headers['content-type']) };
    const path = '/api/v1/import/prometheus?db=service&extra_label=job=sluice&extra_label=instance=here';
    const { status, text } = await service.request({ path, headers, body: scraped.text });
    t.is(status, 204, text);
  };
  await push();
  await push();
  const empty: string[] = [];
  for (const expr of dashboardExpressions()) {
    const query = expr.replaceAll('$job', 'sluice').replaceAll('$instance', '.*');
    const path = `/prometheus/service/api/v1/query?query=${encodeURIComponent(query)}`;
    const { status, text } = await service.request({ method: 'GET', path });
    t.is(status, 200, `${query}\n${text}`);
    const { data }: { data: { readonly result: readonly unknown[] } } = JSON.parse(text);
    if (data.result.length === 0) empty.push(query);
  }
  // What is counted by events that did not happen has no series.
  t.true(empty.length < 8, empty.join('\n'));
});

test('Prometheus takes the alerts, the configuration, and every expression of the dashboard', async (t) => {
  if (spawnSync('promtool', ['--version']).status !== 0) {
    skipped(t, 'the program `promtool` is not installed (see .ci/install-agents)');
    return;
  }
  const file = join(directoryFor(t), 'dashboard.yml');
  const rules = dashboardExpressions().map((expr, at) => ({ record: `panel:${at}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  for (const [check, path] of [
    ['config', fileURLToPath(new URL('prometheus.yml', monitoring))],
    ['rules', file],
  ] as const) {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', check, path], { encoding: 'utf8' });
    t.is(status, 0, stdout + stderr);
  }
});
