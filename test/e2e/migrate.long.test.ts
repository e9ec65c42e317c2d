import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { repository } from '../support/documents/documents.js';
import { freePort } from '../support/service/free-ports.js';
import { directoryFor, run } from '../support/service/processes.js';
import { root } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

/** The scripts of docs/migrate.md, each on the product that it reads where that is installed. */
const { service, end } = await sharedService();
test.after.always(end);

const execute = promisify(execFile);
const script = (name: string): string => join(repository, 'examples/migrate', name);
const address = `http://${root.user}:${root.password}@127.0.0.1:${service.port}`;

/** What a shell says that runs a line with more arguments behind it. */
async function shell(line: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('bash', ['--norc', '-euo', 'pipefail', '-c', line, 'bash', ...args], {
    cwd: repository,
  });
  return stdout;
}

test('InfluxDB 1: policies, measurements, types and nanoseconds are copied', async (t) => {
  if (spawnSync('influxd', ['version']).status !== 0) {
    skipped(t, 'the program `influxd` is not installed (see .ci/install-agents)');
    return;
  }
  const directory = directoryFor(t);
  const [port, backupPort] = [await freePort(), await freePort()];
  const settings = `reporting-disabled = true
bind-address = "127.0.0.1:${backupPort}"
[meta]
dir = "${directory}/meta"
[data]
dir = "${directory}/data"
wal-dir = "${directory}/wal"
[http]
bind-address = "127.0.0.1:${port}"
`;
  writeFileSync(join(directory, 'influxdb.conf'), settings);
  run(t, 'influxd', ['-config', join(directory, 'influxdb.conf')]);
  const influx = `http://127.0.0.1:${port}`;
  const post = async (path: string, body: string | URLSearchParams): Promise<boolean> =>
    fetch(influx + path, { method: 'POST', body }).then(
      (answer) => answer.ok,
      () => false,
    );
  t.true(await until(() => post('/query', new URLSearchParams({ q: 'CREATE DATABASE shop' }))));
  const policy = 'CREATE RETENTION POLICY "long" ON "shop" DURATION INF REPLICATION 1';
  t.true(await post('/query', new URLSearchParams({ q: policy })));
  const lines = `room\\ one,site=north\\,a,floor=2 temp=21.5,n=9223372036854775807i,open=true,note="say \\"hi\\", you\\\\" 1700000000000000001
room\\ one,site=south temp=19 1700000000000000002`;
  t.true(await post('/write?db=shop', lines));
  t.true(await post('/write?db=shop&rp=long', 'load,host=a v=2 1700000000000000000'));
  const said = await execute('node', [script('influxdb.mjs'), influx, 'shop', address, 'bought']);
  t.regex(said.stdout, /^autogen\.room one: 2 rows$/m);
  t.deepEqual(
    await service
      .rows('SELECT _ts, n, note, open, temp, floor, site FROM bought.`room one` ORDER BY _ts')
      .then((rows) => rows.map((row) => row.map(String))),
    [
      ['2023-11-14T22:13:20.000000001Z', '9223372036854775807', 'say "hi", you\\', 'true', '21.5', '2', 'north,a'],
      ['2023-11-14T22:13:20.000000002Z', 'null', 'null', 'null', '19', 'null', 'south'],
    ],
  );
  t.deepEqual(await service.rows('SELECT v, host FROM bought.load'), [[2, 'a']]);
});

test('OpenTSDB: what its scan prints is stored', async (t) => {
  const directory = directoryFor(t);
  const lines = Array.from(
    { length: 25_000 },
    (_, at) => `sys.load ${1_700_000_000 + at} ${at}.5 host=a cpu=${at % 2}\n`,
  );
  writeFileSync(join(directory, 'scan.txt'), lines.join(''));
  const there = [`http://127.0.0.1:${service.port}`, `${root.user}:${root.password}`, 'scanned'];
  await shell(`bash ${script('opentsdb.sh')} "$@" < ${join(directory, 'scan.txt')}`, ...there);
  t.deepEqual(await service.rows('SELECT cpu, COUNT(*), MAX(_value) FROM scanned.sys_load GROUP BY cpu ORDER BY cpu'), [
    ['0', 12_500, 24_998.5],
    ['1', 12_500, 24_999.5],
  ]);
});

test('Prometheus: its past comes to the table of remote write', async (t) => {
  if (spawnSync('promtool', ['--version']).status !== 0) {
    skipped(t, 'the program `promtool` is not installed (see .ci/install-agents)');
    return;
  }
  const directory = directoryFor(t);
  const samples = [0, 60, 120].map((at) => `up{job="a\\"b, c=1"} ${at / 60} ${1_700_000_000 + at}`);
  const page = ['# TYPE up gauge', ...samples, '# TYPE far gauge', 'far{site="n"} +Inf 1700000000', '# EOF', ''];
  writeFileSync(join(directory, 'page.txt'), page.join('\n'));
  await execute('promtool', [
    'tsdb',
    'create-blocks-from',
    'openmetrics',
    join(directory, 'page.txt'),
    join(directory, 'data'),
  ]);
  // A Prometheus that has run has one.
  mkdirSync(join(directory, 'data/wal'));
  const line = `promtool tsdb dump ${join(directory, 'data')} | node ${script('prometheus.mjs')} "$@"`;
  t.is(await shell(line, address, 'past'), '4 samples\n');
  t.deepEqual(
    await service.rows("SELECT ts, v, labels->'job' FROM past.metrics WHERE labels->'__name__' = 'up' ORDER BY ts"),
    [
      ['2023-11-14T22:13:20.000Z', 0, 'a"b, c=1'],
      ['2023-11-14T22:14:20.000Z', 1, 'a"b, c=1'],
      ['2023-11-14T22:15:20.000Z', 2, 'a"b, c=1'],
    ],
  );
});

test('TDengine: definitions, tags and rows of every type are copied through its REST interface', async (t) => {
  // The interface of this service is the same, so it is its own source here.
  await service.run("CREATE DATABASE origin PRECISION 'us'");
  const columns =
    'ts TIMESTAMP, ok BOOL, big BIGINT UNSIGNED, f FLOAT, d DOUBLE, p DECIMAL(20, 3), t VARCHAR(20), n NCHAR(20), b VARBINARY(8)';
  await service.run(`CREATE STABLE origin.All_kinds (${columns}) TAGS (site NCHAR(10), floor INT)`);
  await service.run('CREATE STABLE origin.noted (ts TIMESTAMP, v INT) TAGS (labels JSON)');
  await service.run('CREATE TABLE origin.plain (ts TIMESTAMP, v INT)');
  const values = [
    "'2024-01-01T00:00:00.000001Z', true, 18446744073709551615, 1.5, 1e-7, 12345678901234567.125, 'it''s', 'ø\\\\', '\\xDEAD'",
    "'2024-01-01T00:00:00.000002Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
  ];
  await service.run(`INSERT INTO origin.k1 USING origin.All_kinds TAGS ('nørth', 2) VALUES (${values.join(') (')})`);
  await service.run(`INSERT INTO origin.j1 USING origin.noted TAGS ('{"a":"b"}') VALUES ('2024-01-01T00:00:00Z', 1)`);
  const many = Array.from({ length: 4500 }, (_, at) => `(${1_704_067_200_000_000 + at}, ${at})`).join(' ');
  await service.run(`INSERT INTO origin.plain VALUES ${many}`);
  await execute('node', [script('tdengine.mjs'), address, 'origin', address, 'copied']);
  for (const statement of [
    'SELECT * FROM all_kinds ORDER BY ts',
    'SELECT * FROM noted',
    'SELECT COUNT(*), SUM(v), LAST(ts) FROM plain',
    'SHOW CREATE STABLE all_kinds',
  ]) {
    const [before, after] = [
      await service.rows(statement, { database: 'origin' }),
      await service.rows(statement, { database: 'copied' }),
    ];
    t.true(before.length > 0);
    t.deepEqual(after, before, statement);
  }
});
