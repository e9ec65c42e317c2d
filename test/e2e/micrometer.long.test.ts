import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { repository } from '../support/documents/documents.js';
import { directoryFor, run } from '../support/service/processes.js';
import { rowsSoon } from '../support/service/rows-soon.js';
import { startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';

const { service, end } = await startService(
  '--statsgw.gatherInterval=300ms',
  '--graphite.enable=true',
  '--graphite.port=0',
  '--graphite.protocols=tcp',
  '--metricsdb.db=pushed',
);
test.after.always(end);

const fetching = 300_000;
const program = join(repository, 'fixtures/agents/micrometer');

/** What the program counted, in the words of each registry: its database, what asks for it, and what comes. */
const counters = [
  ['influx1', "SELECT value, metric_type FROM orders_placed WHERE shop = 'oslo'", [[3, 'counter']]],
  ['influx2', 'SELECT `count`, `sum`, shop FROM orders_time', [[1, 250, 'oslo']]],
  ['otlp', "SELECT counter, telemetry_sdk_name FROM orders_placed WHERE shop = 'oslo'", [[3, 'io.micrometer']]],
  ['opentsdb', "SELECT _value FROM orders_placed_total WHERE shop = 'oslo'", [[3]]],
  ['pushed', "SELECT counter, job FROM orders_placed_total WHERE shop = 'oslo'", [[3, 'shop']]],
  ['graphite', "SELECT _value FROM orders_placed WHERE shop = 'oslo' AND metricattribute = 'count'", [[3]]],
  // What is counted before the registry has its socket is lost there; gauges are sent again.
  ['statsgw', 'SELECT DISTINCT value FROM room_temperature', [[21.5]]],
] as const;

test('Micrometer publishes by every registry whose address can be set, with only that changed', async (t) => {
  t.timeout(fetching, 'the registries may have to be fetched');
  const paths = join(directoryFor(t), 'paths');
  const fetch = ['-q', '-f', program, 'dependency:build-classpath', `-Dmdep.outputFile=${paths}`];
  if (spawnSync('mvn', fetch, { timeout: fetching }).status !== 0 || spawnSync('javac', ['-version']).status !== 0) {
    return skipped(t, 'there is no Java compiler, or the registries cannot be fetched');
  }
  await service.run("CREATE USER agents PASS 'Agents-12345' CREATEDB 1");
  for (const database of ['influx2', 'otlp', 'opentsdb', 'pushed']) {
    await service.run(`CREATE DATABASE ${database} PRECISION 'ns'`);
    await service.run(`GRANT ALL ON ${database}.* TO agents`);
  }
  const ports = {
    http: service.port,
    graphite: service.listeners.get('graphite'),
    statsd: service.listeners.get('statsgw'),
  };
  const places = Object.entries(ports).map(([name, port]) => `${name}=${port}`);
  const java = run(t, 'java', ['-cp', readFileSync(paths, 'utf8'), join(program, 'Meters.java'), ...places]);
  t.is((await java.ended).code, 0, java.stderr());
  for (const [database, statement, rows] of counters) t.deepEqual(await rowsSoon(service, database, statement), rows);
});
