import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { parse as parseToml } from 'smol-toml';
import { parse } from 'yaml';
import { blocksOf, statementsIn } from '../support/documents/documents.js';
import { freeFixedPorts } from '../support/service/free-ports.js';
import { fileScope, run } from '../support/service/processes.js';
import { basicOf, type Reply, startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

/** The requests that Grafana's data sources send for docs/grafana.md and the files that it names. */
const exporter = '/usr/bin/prometheus-node-exporter';
const hasExporter = existsSync(exporter);
const [port = 0, exporterPort = 0] = await freeFixedPorts(2);
const page = blocksOf('docs/grafana.md');
const { scope, end: endPrograms } = fileScope();
const program = hasExporter ? run(scope, exporter, [`--web.listen-address=127.0.0.1:${exporterPort}`]) : undefined;

/** The settings of the page, with the ports of this test and scrapes that come at once. */
const settings = (() => {
  const text = page.find(({ language }) => language === 'toml')?.text ?? '';
  const { hostexporter } = parseToml(text) as unknown as { hostexporter: Readonly<Record<string, unknown>> };
  const here = { ...hostexporter, gatherDuration: '1s' };
  return Object.entries(here).map(([key, value]) => {
    const shown = String(value).replace(':6041', `:${port}`).replace(':9100', `:${exporterPort}`);
    return `--hostexporter.${key}=${Array.isArray(value) ? `[${shown}]` : shown}`;
  });
})();

const { service, end } = await startService(`--port=${port}`, ...settings);
test.after.always(async () => {
  await end();
  await endPrograms();
});

const user = basicOf('dashboards', 'Dashboards-1');
const monitoring = new URL('../../../packaging/monitoring/', import.meta.url);
const fileText = (name: string): string => readFileSync(new URL(name, monitoring), 'utf8');

interface DataSource {
  readonly type: string;
  readonly uid: string;
  readonly url: string;
  readonly basicAuthUser: string;
  readonly secureJsonData: Readonly<Record<string, string>>;
}
const { datasources }: { readonly datasources: readonly DataSource[] } = parse(fileText('grafana-datasources.yml'));
const sourceOf = (type: string): DataSource => datasources.find((source) => source.type === type)!;

interface Target {
  readonly expr: string;
  readonly instant?: boolean;
}
interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
  readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[];
}

test.before(async () => {
  for (const statement of statementsIn(page.find(({ language }) => language === 'sql')?.text ?? '')) {
    await service.run(statement);
  }
  if (program !== undefined) await until(() => program.stderr().includes('isten'));
});

/** A request of the data source "Prometheus", with the method and the form of its settings. */
async function prometheus(path: string, form: Readonly<Record<string, string>>, method = 'POST') {
  const base = new URL(sourceOf('prometheus').url).pathname;
  const text = new URLSearchParams(form).toString();
  const reply: Reply = await service.request(
    method === 'POST'
      ? {
          path: `${base}/${path}`,
          body: text,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          auth: user,
        }
      : { method, path: `${base}/${path}?${text}`, auth: user },
  );
  const { data, error }: { data: unknown; error?: string } = JSON.parse(reply.text);
  return { status: reply.status, error, data };
}

interface Matrix {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>;
    readonly values: readonly unknown[];
  }[];
}

/** The series of a panel's query over the last minutes. */
async function seriesOf(expr: string): Promise<Matrix['result']> {
  const now = Math.floor(Date.now() / 1000);
  const form = { query: expr, start: String(now - 300), end: String(now), step: '1' };
  const { status, error, data } = await prometheus('api/v1/query_range', form);
  if (status !== 200) throw new Error(`${expr}\n${error}`);
  return (data as Matrix).result;
}

/** An expression with the variables of a dashboard as Grafana writes them. */
function withVariables(expr: string, values: Readonly<Record<string, string>>): string {
  const all = { __rate_interval: '5s', job: '.*', instance: '.*', ...values };
  let text = expr;
  for (const [name, value] of Object.entries(all)) text = text.replaceAll(`$${name}`, value);
  return text;
}

/** Queries of a dashboard whose result is empty. */
async function emptyQueries(file: string, values: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { panels }: Dashboard = JSON.parse(fileText(file));
  const empty: string[] = [];
  for (const { title, targets } of panels) {
    for (const { expr } of targets) {
      const series = await seriesOf(withVariables(expr, values));
      if (series.length === 0) empty.push(`${title}: ${expr}`);
    }
  }
  return empty;
}

test('the data source Prometheus of the provisioning file passes the health check of Grafana', async (t) => {
  const { basicAuthUser, secureJsonData } = sourceOf('prometheus');
  t.is(basicOf(basicAuthUser, secureJsonData.basicAuthPassword!), user);
  t.like(await prometheus('api/v1/query', { query: '1+1', time: '4' }), {
    status: 200,
    data: { resultType: 'scalar' },
  });
  t.is((await prometheus('api/v1/status/buildinfo', {}, 'GET')).status, 200);
  t.is((await prometheus('api/v1/rules', {}, 'GET')).status, 200);
});

test('every query of the dashboard of the service is answered from its own scrapes', async (t) => {
  await until(async () => (await seriesOf('rate(adapter_rows_total[5s])')).length > 0);
  const empty = await emptyQueries('grafana-dashboard.json', {});
  // What is counted by events that did not happen has no series.
  t.true(empty.length < 8, empty.join('\n'));
});

test('every query and variable of the dashboard of hosts is answered from a real exporter', async (t) => {
  if (!hasExporter) {
    skipped(t, `there is no ${exporter}`);
    return;
  }
  const { templating }: Dashboard = JSON.parse(fileText('grafana-hosts.json'));
  const [, metric = '', label = ''] =
    /label_values\((\w+), (\S+)\)/.exec(templating.list.find(({ name }) => name === 'host')?.query ?? '') ?? [];
  t.is(label, '$by');
  await until(async () => (await seriesOf('rate(node_cpu_seconds_total[5s])')).length > 0);
  const hosts = await prometheus('api/v1/label/url/values', { 'match[]': metric }, 'GET');
  t.deepEqual(hosts.data, [`http://localhost:${exporterPort}`]);
  // Grafana escapes what is special in regular expressions, and once more for a string of PromQL.
  const host = `http://localhost:${exporterPort}`.replaceAll('.', '\\\\.');
  t.deepEqual(await emptyQueries('grafana-hosts.json', { by: 'url', host }), []);
  const [load] = await seriesOf(withVariables('node_load1{$by=~"$host"}', { by: 'url', host }));
  t.true((load?.values.length ?? 0) > 1);
});

interface AlertGroup {
  readonly rules: readonly {
    readonly title: string;
    readonly data: readonly { readonly datasourceUid: string; readonly model: Target }[];
  }[];
}

test('the expressions of the alert rules have a value for each thing that they watch', async (t) => {
  if (!hasExporter) {
    skipped(t, `there is no ${exporter}`);
    return;
  }
  await until(async () => (await seriesOf('node_load1')).length > 0);
  const { groups }: { readonly groups: readonly AlertGroup[] } = parse(fileText('grafana-alerts.yml'));
  const rules = groups.flatMap((group) => group.rules);
  t.true(rules.length >= 2);
  for (const { title, data } of rules) {
    const query = data.find(({ datasourceUid }) => datasourceUid === sourceOf('prometheus').uid)?.model.expr ?? '';
    let result: readonly { readonly value: readonly [number, string] }[] = [];
    await until(async () => {
      const { status, error, data: answer } = await prometheus('api/v1/query', { query });
      if (status !== 200) throw new Error(`${title}: ${error}`);
      ({ result } = answer as { readonly result: typeof result });
      return result.length > 0;
    });
    for (const { value } of result) t.true(Number.isFinite(Number(value[1])), title);
  }
});

/** A statement as the plug-in's backend and its editor send it: to one path, with the credentials of the settings. */
async function plugin(statement: string) {
  const { secureJsonData } = sourceOf('tdengine-datasource');
  const auth = `Basic ${secureJsonData.basicAuth}`;
  const { status, text } = await service.request({ path: '/rest/sql', body: statement, auth });
  if (status !== 200) throw new Error(`${statement}\n${status} ${text}`);
  const body: { code: number; desc?: string; column_meta: [string, string, number][]; data: unknown[][] } =
    JSON.parse(text);
  return body;
}

test('the plug-in of the dialect finds the version, databases, tables and columns', async (t) => {
  const { url, secureJsonData } = sourceOf('tdengine-datasource');
  t.is(url, secureJsonData.url!);
  t.is(Buffer.from(secureJsonData.basicAuth!, 'base64').toString(), 'dashboards:Dashboards-1');
  // The version decides about the path of all others.
  const version = await plugin('select server_version()');
  t.regex(String(version.data[0]?.[0]), /^3\./);
  await service.write('memory,host=web01 used=1', { db: 'monitoring', ack: 'stored' });
  const names = async (statement: string) => (await plugin(statement)).data.map(([name]) => name);
  t.true((await names('show databases')).includes('monitoring'));
  t.true((await names('SHOW DATABASES')).includes('monitoring'));
  t.true((await names('SHOW monitoring.TABLES;')).length > 0);
  t.deepEqual(await names('SHOW monitoring.VTABLES;'), []);
  t.true((await names('SHOW STABLES FROM monitoring')).includes('memory'));
  t.true((await names('SHOW monitoring.STABLES')).includes('memory'));
  t.deepEqual(await names('DESC monitoring.memory'), ['_ts', 'used', 'host']);
  t.deepEqual(await names('SELECT DISTINCT host FROM monitoring.memory'), ['web01']);
  const refused = await plugin('SELECT 1 FROM monitoring.nothing');
  t.not(refused.code, 0);
  t.is(typeof refused.desc, 'string');
});

test('the query of the page has a time first, and values that the plug-in can draw', async (t) => {
  const start = Date.UTC(2026, 0, 1);
  const line = (host: string, busy: number, ms: number) => `cpu,host=${host} busy=${busy} ${start + ms}`;
  const lines = [line('web01', 10, 0), line('web01', 30, 1000), line('web02', 50, 0), line('web01', 40, 60_000)];
  await service.write(lines.join('\n'), { db: 'monitoring', precision: 'ms', ack: 'stored' });
  const query = page.find(({ language, mark }) => language === 'sql' && mark?.startsWith('tested'))?.text ?? '';
  const times = (separator: string) =>
    [start, start + 120_000].map((ms) => new Date(ms).toISOString().replace('.000Z', separator));
  // The backend writes whole seconds without a fraction, and intervals in seconds; the editor writes both in milliseconds.
  for (const [end, interval] of [
    ['Z', '20s'],
    ['.000Z', '20000a'],
  ] as const) {
    const [from = '', to = ''] = times(end);
    const { code, desc, column_meta, data } = await plugin(
      query.replace('$from', `'${from}'`).replace('$to', `'${to}'`).replace('$interval', interval),
    );
    t.is(code, 0, desc);
    t.deepEqual(
      column_meta.map(([name, type]) => [name, type]),
      [
        ['ts', 'TIMESTAMP'],
        ['host', 'NCHAR'],
        ['busy', 'DOUBLE'],
      ],
    );
    t.deepEqual(data.map(([time, host, busy]) => [Date.parse(String(time)) - start, host, busy]).toSorted(), [
      [0, 'web01', 20],
      [0, 'web02', 50],
      [60_000, 'web01', 40],
    ]);
  }
});
