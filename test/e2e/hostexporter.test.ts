import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import { isLong, whenBrief, whenLong } from '../support/cases.js';
import { fixturePath } from '../support/recordings.js';
import { run } from '../support/service/processes.js';
import { type Rows, rowsSoon } from '../support/service/rows-soon.js';
import { basicOf, startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

const folder = fixturePath('hostexporter');
const names = isLong
  ? ['collectd-5.12-write_prometheus', 'node_exporter-1.5.0', 'prom-client-15.1.3', 'prometheus-2.42-self']
  : ['prom-client-15.1.3-openmetrics'];

interface Recorded {
  readonly content_type: string;
  readonly types: Readonly<Record<string, string>>;
  readonly samples: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number | string;
  }[];
}

const recordings = new Map<string, Recorded>(
  names.map((name) => [name, JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))]),
);

/** A server with the recorded scrapes, one that fails every second time, and one that asks for a password. */
let asked = 0;
const server = http.createServer((request, response) => {
  const name = request.url?.slice(1) ?? '';
  const recorded = recordings.get(name);
  if (recorded !== undefined) {
    response.setHeader('content-type', recorded.content_type).end(readFileSync(join(folder, `${name}.txt`)));
  } else if (name === 'flaky') {
    asked++;
    if (asked % 2 === 1) response.writeHead(500).end();
    else
      response.end(
        `# TYPE g gauge\ng 1.5\n# TYPE c counter\nc 2\nbad line\nu 3 1700000000000\n{"disk.free","mount.point"="/a \\"b\\""} 4\n`,
      );
  } else if (name === 'private') {
    const isRight = request.headers.authorization === basicOf('ann', 'secret');
    response.writeHead(isRight ? 200 : 401).end('secret_metric 7\n');
  } else response.writeHead(404).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
const address = server.address();
const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
const urls = [...names, 'flaky', 'private', 'gone'].map((name) => `${base}/${name}`);

const { service, end } = await startService(
  '--hostexporter.enable=true',
  `--hostexporter.urls=[${urls.join(',')}]`,
  '--hostexporter.gatherDuration=3s',
  '--hostexporter.httpUsername=ann',
  '--hostexporter.httpPassword=secret',
);
test.after.always(async () => {
  await end();
  server.closeAllConnections();
  server.close();
});

const query = (statement: string, enough?: (rows: Rows) => boolean) =>
  rowsSoon(service, 'hostexporter', statement, enough);

whenBrief(test)('whether each target is up is written, with how long it took', async (t) => {
  const statement = 'SELECT DISTINCT url, gauge FROM up ORDER BY url';
  const rows = await query(
    statement,
    (all) => new Set(all.map(([url]) => url)).size === urls.length && all.length > urls.length,
  );
  const upOf = (name: string): unknown[] => rows.filter(([url]) => url === `${base}/${name}`).map(([, up]) => up);
  for (const name of [...names, 'private']) t.deepEqual(upOf(name), [1], name);
  t.deepEqual(upOf('gone'), [0]);
  t.deepEqual(upOf('flaky').sort(), [0, 1]);
  const [[seconds] = []] = await query(
    `SELECT gauge FROM scrape_duration_seconds WHERE url = '${base}/private' LIMIT 1`,
  );
  t.true(Number(seconds) > 0 && Number(seconds) < 5);
  t.true(service.log.join().includes('A target could not be scraped.'));
});

whenBrief(test)('a target that fails once is scraped the next time, and its bad line costs no other', async (t) => {
  const where = `WHERE url = '${base}/flaky' LIMIT 1`;
  t.deepEqual(await query(`SELECT gauge FROM g ${where}`), [[1.5]]);
  t.deepEqual(await query(`SELECT counter FROM c ${where}`), [[2]]);
  t.deepEqual(await query(`SELECT value, CAST(_ts AS BIGINT) / 1000000000 FROM u ${where}`), [[3, 1_700_000_000]]);
  t.deepEqual(await query(`SELECT value, \`mount.point\` FROM disk_free ${where}`), [[4, '/a "b"']]);
  t.deepEqual(await query('SELECT value FROM secret_metric LIMIT 1'), [[7]]);
});

for (const name of names) {
  test(`${name}: every sample of the recorded scrape is found`, async (t) => {
    const recorded = recordings.get(name);
    if (recorded === undefined) return t.fail();
    const { samples, types } = recorded;
    const url = `${base}/${name}`;
    await query(`SELECT * FROM up WHERE url = '${url}'`);
    let compared = 0;
    for (const { name: sample, labels, value } of samples) {
      // A handful of each family is enough to be asked one by one.
      if (value === 'NaN' || (samples.length > 100 && compared > 9)) continue;
      const base = sample.replace(/_(bucket|sum|count)$/, '');
      const family = types[sample] === undefined && types[base] !== undefined ? base : sample;
      const type = types[family] ?? types[sample.replace(/_total$/, '')] ?? 'untyped';
      const { le, quantile, ...rest } = labels;
      const bound = le ?? quantile;
      const suffix = sample.slice(family.length + 1);
      const simple = type === 'gauge' || type === 'counter' ? type : 'value';
      const field = bound !== undefined ? bound : suffix === 'sum' || suffix === 'count' ? suffix : simple;
      const number = typeof value === 'number' ? value : null;
      const conditions = Object.entries(rest)
        .filter(([, text]) => text !== '')
        .map(
          ([label, text]) =>
            ` AND \`${label === 'url' ? 'exported_url' : label}\` = '${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`,
        );
      // Bounds in these recordings are in their shortest form already, but for powers of ten and trailing zeros.
      if (bound !== undefined && (/e/i.test(bound) || Number(bound) >= 1e6 || /\.0$/.test(bound))) continue;
      const rows = await query(
        `SELECT \`${field}\` FROM \`${family}\` WHERE url = '${url}'${conditions.join('')} LIMIT 1`,
      );
      // Whole numbers that a double cannot tell from their neighbours come as text.
      t.deepEqual(
        rows.map(([cell]) => (cell === null ? null : Number(cell))),
        [[number]].flat(),
        `${sample} ${JSON.stringify(labels)}`,
      );
      compared++;
    }
    t.true(compared >= 10);
  });
}

const exporter = '/usr/bin/prometheus-node-exporter';

whenLong(test)('the exporter itself is scraped', async (t) => {
  if (!existsSync(exporter)) {
    skipped(t, `there is no ${exporter}`);
    return;
  }
  const probe = http.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const free = probe.address();
  const port = typeof free === 'object' && free !== null ? free.port : 0;
  await new Promise((resolve) => probe.close(resolve));
  const program = run(t, exporter, [`--web.listen-address=127.0.0.1:${port}`]);
  await until(() => program.stderr().includes('isten'), 10_000);
  const settings = [`--hostexporter.urls=[http://127.0.0.1:${port}]`, '--hostexporter.gatherDuration=1s'];
  const other = await startService('--smlAutoCreateDB=true', '--hostexporter.enable=true', ...settings);
  t.teardown(other.end);
  const from = (statement: string, enough?: (rows: Rows) => boolean) =>
    rowsSoon(other.service, 'hostexporter', statement, enough);
  const [[load] = []] = await from('SELECT gauge FROM node_load1');
  t.true(Number(load) >= 0);
  const modes = await from(
    "SELECT DISTINCT mode FROM node_cpu_seconds_total WHERE cpu = '0'",
    (rows) => rows.length > 5,
  );
  t.true(modes.some(([mode]) => mode === 'idle'));
  const [[boot] = []] = await from('SELECT gauge FROM node_boot_time_seconds');
  t.true(Number(boot) > 1e9);
});
