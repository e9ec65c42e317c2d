import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { DocumentWorld } from '../support/documents/document-service.js';
import { blocksOf, statementsIn } from '../support/documents/documents.js';
import { freePort } from '../support/service/free-ports.js';
import { directoryFor, run } from '../support/service/processes.js';
import { type Rows, rowsSoon } from '../support/service/rows-soon.js';
import { basicOf } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

/** Each program that is installed runs with the very block of configuration that docs/agents.md shows for it. */
const world = await DocumentWorld.start();
const { service } = world;
test.after.always(() => world.end());

const page = blocksOf('docs/agents.md');
const agent = basicOf('agents', 'Agents-12345');
test.before(async () => {
  for (const statement of statementsIn(page[0]?.text ?? '')) await service.run(statement);
});

/** The block of the page that holds a text, with the addresses of this service. */
function block(part: string): string {
  const block = page.find(({ text }) => text.includes(part));
  if (block === undefined) throw new Error(`docs/agents.md has no block with ${part}.`);
  return world.here(block.text);
}

const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', join(homedir(), 'go/bin')];

/** A test that runs where a program is installed. */
function withProgram(
  program: string,
  title: string,
  check: (t: ExecutionContext, path: string) => Promise<void>,
): void {
  test.serial(title, async (t) => {
    const path = folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
    if (path === undefined)
      skipped(t, `the program \`${program}\` is not installed (see .ci/install-agents and .ci/build-agents)`);
    else await check(t, path);
  });
}

/** Writes a file in a directory, and gives its path. */
function file(directory: string, name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

/** Rows as soon as there are any. */
async function arrives(t: ExecutionContext, database: string, statement: string): Promise<Rows> {
  const rows = await rowsSoon(service, database, statement);
  t.true(rows.length > 0, statement);
  return rows;
}

withProgram('collectd', 'collectd writes by its network, telnet and Graphite plug-ins', async (t, path) => {
  const directory = directoryFor(t);
  const settings = `Hostname "agent.example"
FQDNLookup false
BaseDir "${directory}"
PIDFile "${directory}/pid"
TypesDB "/usr/share/collectd/types.db"
Interval 0.5
LoadPlugin load
`;
  const blocks = ['LoadPlugin write_tsdb', 'LoadPlugin network', 'LoadPlugin write_graphite'].map(block);
  run(t, path, ['-f', '-C', file(directory, 'collectd.conf', [settings, ...blocks, ''].join('\n'))]);
  await arrives(t, 'agentd', "SELECT value FROM load_0 WHERE host = 'agent.example'");
  await arrives(t, 'tsdb', "SELECT _value FROM load_load_shortterm WHERE site = 'north'");
  await arrives(t, 'graphite', 'SELECT _value FROM agent_example_load_load_shortterm');
});

withProgram('telegraf', 'Telegraf writes by its outputs for InfluxDB 1 and 2', async (t, path) => {
  const directory = directoryFor(t);
  for (const [output, host] of [
    ['[[outputs.influxdb]]', 'one'],
    ['[[outputs.influxdb_v2]]', 'two'],
  ] as const) {
    const settings = `[agent]\n  interval = "1s"\n  flush_interval = "1s"\n  hostname = "${host}"\n[[inputs.mem]]\n`;
    run(t, path, ['--config', file(directory, `${host}.conf`, settings + block(output))]);
    await arrives(t, 'metrics', `SELECT total FROM mem WHERE host = '${host}'`);
  }
});

withProgram('hass', 'Home Assistant writes by its integration of InfluxDB', async (t, path) => {
  const directory = directoryFor(t);
  const settings = `homeassistant:
  name: home
  latitude: 52.0
  longitude: 13.0
template:
  - trigger:
      - platform: time_pattern
        seconds: "/1"
    sensor:
      - name: Kitchen temperature
        unit_of_measurement: "°C"
        state: "{{ 20 + now().second / 10 }}"
`;
  file(directory, 'configuration.yaml', settings + block('api_version: 1'));
  run(t, path, ['-c', directory]);
  await arrives(t, 'metrics', "SELECT `value` FROM `°C` WHERE entity_id = 'kitchen_temperature'");
});

withProgram('icinga2', 'Icinga 2 writes by its writers for InfluxDB and OpenTSDB', async (t, path) => {
  const directory = directoryFor(t);
  const settings = `include <itl>
object Endpoint "here" {}
object Zone "here" { endpoints = [ "here" ] }
object CheckerComponent "checker" {}
object Host "plant" { check_command = "random", check_interval = 1s, retry_interval = 1s }
`;
  const blocks = ['object InfluxdbWriter', 'object OpenTsdbWriter'].map(block);
  // What is sent goes out after few rows, so that the test is short.
  const quick = 'object InfluxdbWriter "sluice" { flush_threshold = 1';
  const text = [settings, ...blocks].join('\n').replace('object InfluxdbWriter "sluice" {', quick);
  const folders = ['ConfigDir', 'DataDir', 'LogDir', 'CacheDir', 'SpoolDir', 'InitRunDir'].map((name) => {
    mkdirSync(join(directory, name));
    return `-D${name}=${join(directory, name)}`;
  });
  const config = file(directory, 'icinga2.conf', text);
  run(t, 'env', [
    'ICINGA2_USER=root',
    'ICINGA2_GROUP=root',
    path,
    'daemon',
    '-c',
    config,
    '-DNodeName=here',
    ...folders,
  ]);
  await arrives(t, 'metrics', "SELECT value FROM `random` WHERE hostname = 'plant'");
  await arrives(t, 'tsdb', 'SELECT * FROM icinga_host_state');
});

withProgram('netdata', 'Netdata writes by its OpenTSDB exporter', async (t, path) => {
  const directory = directoryFor(t);
  const port = await freePort();
  for (const name of ['cache', 'lib', 'log']) mkdirSync(join(directory, name));
  const settings = `[global]
  run as user = root
  update every = 1
[db]
  mode = ram
[directories]
  config = ${directory}
  cache = ${directory}/cache
  lib = ${directory}/lib
  log = ${directory}/log
  home = ${directory}/lib
[web]
  bind to = 127.0.0.1:${port}
`;
  file(
    directory,
    'exporting.conf',
    `[exporting:global]\n  enabled = yes\n  update every = 1\n${block('[opentsdb:sluice]')}\n`,
  );
  run(t, path, ['-D', '-c', file(directory, 'netdata.conf', settings)]);
  const tables = await rowsSoon(service, 'tsdb', "SHOW STABLES LIKE 'netdata%'");
  t.true(tables.length > 0);
});

withProgram('prometheus', 'Prometheus writes what it scrapes', async (t, path) => {
  const directory = directoryFor(t);
  const port = await freePort();
  const scrape = `global: { scrape_interval: 1s }
scrape_configs:
  - job_name: nodes
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
`;
  const remote = block('remote_write:').replace(
    'remote_write:\n  - ',
    '$&metadata_config: { send_interval: 1s }\n    ',
  );
  const config = file(directory, 'prometheus.yml', scrape + remote);
  run(t, path, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  await arrives(t, 'metrics', block("labels->'job' MATCH 'node.*'"));
  await arrives(t, 'metrics', block('FROM metric_metadata'));
});

withProgram('vmagent', 'vmagent writes what it scrapes', async (t) => {
  const directory = directoryFor(t);
  const port = await freePort();
  const scrape = `global: { scrape_interval: 1s }
scrape_configs:
  - job_name: agent
    static_configs: [{ targets: ['127.0.0.1:${port}'] }]
`;
  const config = file(directory, 'scrape.yml', scrape);
  const more = `-promscrape.config=${config} -httpListenAddr=127.0.0.1:${port} -remoteWrite.tmpDataPath=${directory}/tmp`;
  run(t, 'bash', ['--norc', '-c', `exec ${block('vmagent -remoteWrite.url')} ${more}`]);
  await arrives(t, 'metrics', "SELECT v FROM metrics WHERE labels->'job' = 'agent' AND labels->'__name__' = 'up'");
});

withProgram(
  'telegraf',
  'Telegraf writes by its outputs for OTLP, OpenTSDB, Graphite and remote write',
  async (t, path) => {
    const directory = directoryFor(t);
    const settings = `[agent]
  interval = "1s"
  flush_interval = "1s"
  hostname = "many"
[[inputs.mem]]
[[outputs.opentelemetry]]
  service_address = "HOST:4317"
  [outputs.opentelemetry.headers]
    authorization = "${agent}"
    x-sluice-db = "metrics"
[[outputs.opentsdb]]
  host = "tcp://HOST"
  port = 6046
[[outputs.opentsdb]]
  host = "http://agents:Agents-12345@HOST"
  port = 6041
  http_path = "/tsdbwire/v1/put/json/metrics"
  http_batch_size = 50
  prefix = "json_"
[[outputs.graphite]]
  servers = ["HOST:2003"]
  graphite_tag_support = true
[[outputs.http]]
  url = "http://HOST:6041/metricsdb/v1/remote_write/metrics"
  data_format = "prometheusremotewrite"
  username = "agents"
  password = "Agents-12345"
  [outputs.http.headers]
    Content-Type = "application/x-protobuf"
    Content-Encoding = "snappy"
    X-Prometheus-Remote-Write-Version = "0.1.0"
`;
    run(t, path, ['--config', file(directory, 'many.conf', world.here(settings))]);
    await arrives(t, 'metrics', "SELECT gauge FROM mem_total WHERE host = 'many'");
    await arrives(t, 'tsdb', "SELECT _value FROM mem_total WHERE host = 'many'");
    await arrives(t, 'metrics', "SELECT _value FROM json_mem_total WHERE host = 'many'");
    await arrives(t, 'graphite', "SELECT _value FROM mem_total WHERE host = 'many'");
    await arrives(
      t,
      'metrics',
      "SELECT v FROM metrics WHERE labels->'__name__' = 'mem_total' AND labels->'host' = 'many'",
    );
  },
);

for (const [exporter, part] of [
  ['otlphttp', 'endpoint: http://HOST:6041'],
  ['otlp', 'endpoint: HOST:4317'],
] as const) {
  withProgram(
    'otelcol',
    `the OpenTelemetry Collector passes on what it is sent by its exporter ${exporter}`,
    async (t, path) => {
      const directory = directoryFor(t);
      const port = await freePort();
      const settings = `receivers: { otlp: { protocols: { http: { endpoint: '127.0.0.1:${port}' } } } }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { metrics: { receivers: [otlp], exporters: [${exporter}] } }
`;
      run(t, path, ['--config', file(directory, 'otelcol.yaml', settings + block(part))]);
      const point = { timeUnixNano: `${Date.now()}000000`, asDouble: 21.5, attributes: [] };
      const metrics = [{ name: `collected.by.${exporter}`, gauge: { dataPoints: [point] } }];
      const body = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] });
      const headers = { 'content-type': 'application/json' };
      const post = () => fetch(`http://127.0.0.1:${port}/v1/metrics`, { method: 'POST', headers, body });
      const accepted = await until(() =>
        post().then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      t.true(accepted);
      t.deepEqual(await arrives(t, 'metrics', `SELECT gauge FROM collected_by_${exporter}`), [[21.5]]);
    },
  );
}
