import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { dashboardsOf, makeDashboard } from '../support/service/dashboards.js';
import { adapterProgram, directoryFor, run, startAdapter } from '../support/service/processes.js';
import { basic, engineSecret, startService, type TestService } from '../support/service/service.js';

/** Rows wait for some seconds, so that a backup finds some that wait. */
const { service, end } = await startService('--write.flushInterval=3s');
test.after.always(end);
const enginePort = new URL(service.engineUrl).port;
const toService = [`--port=${service.port}`, `--database.port=${enginePort}`, `--database.password=${engineSecret}`];

/** Runs `sluice backup` or `sluice restore` to its end. */
async function command(t: Parameters<typeof run>[0], ...args: readonly string[]) {
  const program = run(t, process.execPath, [adapterProgram, ...args]);
  const { code } = await program.ended;
  return { code, out: program.stdout(), errors: program.stderr() };
}

const questions = [
  'SHOW DATABASES',
  'SHOW plant.STABLES',
  'SELECT * FROM plant.meters ORDER BY ts, site',
  'SELECT site, COUNT(*), AVG(v) FROM plant.meters GROUP BY site ORDER BY site',
  'SELECT _wstart, SUM(v) FROM plant.meters INTERVAL(10s)',
  'SELECT * FROM plant.log ORDER BY ts',
  'SELECT * FROM plant.high ORDER BY ts',
  'SELECT _ts, host, load FROM free.weather ORDER BY _ts, host',
  'SHOW CREATE STABLE plant.meters',
  "SELECT table_name, stable_name FROM information_schema.ins_tables WHERE db_name = 'plant' ORDER BY table_name",
  'SHOW GRANTS',
];

async function answers(of: Pick<TestService, 'rows' | 'port'>): Promise<unknown> {
  const answers: Record<string, unknown> = {};
  for (const question of questions) answers[question] = await of.rows(question);
  answers.dashboards = await dashboardsOf(of.port);
  return answers;
}

test('a backup of a running service answers every query as the original did, whole and with what was added', async (t) => {
  t.timeout(600_000, 'three services start, one after the other');
  await service.run('CREATE DATABASE plant');
  await service.run("CREATE DATABASE free PRECISION 'ns'");
  await service.run('CREATE STABLE plant.meters (ts TIMESTAMP, v DOUBLE, n NCHAR(20)) TAGS (site VARCHAR(20), no INT)');
  await service.run('CREATE TABLE plant.log (ts TIMESTAMP, said VARCHAR(100))');
  await service.run('CREATE VIEW plant.high AS SELECT ts, v FROM plant.meters WHERE v > 500');
  await service.run("CREATE USER ann PASS 'Secret-12345'");
  await service.run('GRANT READ ON plant.* TO ann');
  const rows = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => `(${1_700_000_000_000 + (from + at) * 100}, ${from + at}, 'ø${at}')`).join(
      ' ',
    );
  for (const site of ['north', 'south'])
    await service.run(`INSERT INTO plant.${site} USING plant.meters TAGS ('${site}', 7) VALUES ${rows(0, 1000)}`);
  await service.run("INSERT INTO plant.log VALUES (1700000000000, 'begun')");
  // These are answered, and wait: no reader asks for them.
  t.is(
    (
      await service.write('weather,host=a load=1.5 1700000000000000001\nweather,host=b load=2 1700000000000000002', {
        db: 'free',
      })
    ).status,
    204,
  );
  const { text: figures } = await service.request({ method: 'GET', path: '/metrics' });
  t.regex(figures, /^adapter_waiting_rows [1-9]/m);

  const content = { panels: [], range: '3600000' };
  await makeDashboard(service.port, 'Board', content);

  const directory = directoryFor(t);
  const whole = await command(t, 'backup', directory, ...toService);
  const before = await answers(service);
  t.deepEqual(await dashboardsOf(service.port), [['Board', content]]);
  t.is(whole.errors, '');
  t.is(whole.code, 0, whole.errors);
  t.regex(whole.out, /^Backup \S+: [\d.]+ [KM]?B, of it [\d.]+ [KM]?B new\.\n$/);
  const [first = ''] = readdirSync(directory);

  await service.run(`INSERT INTO plant.east USING plant.meters TAGS ('east', 8) VALUES ${rows(1000, 50)}`);
  await service.run('DELETE FROM plant.meters WHERE ts < 1700000001000');
  await service.run('DROP USER ann');
  const after = await answers(service);
  const brokenOff = '2026-01-01T00-00-00.000Z';
  mkdirSync(join(directory, brokenOff, 'store'), { recursive: true });
  const added = await command(t, 'backup', directory, ...toService);
  t.is(added.code, 0, added.errors);
  t.is(
    added.errors,
    `sluice: Backups that were broken off take room there, and can be removed if none is being made: ${brokenOff}.\n`,
  );
  const [, all, fresh] = /: ([\d.]+) KB, of it ([\d.]+) KB new/.exec(added.out) ?? [];
  t.true(Number(fresh) < Number(all), added.out);
  t.notDeepEqual(after, before);
  // A backup that broke off is no backup, and backups may be moved.
  writeFileSync(join(directory, 'unfinished'), '');
  const parent = directoryFor(t);
  for (const name of readdirSync(directory)) renameSync(join(directory, name), join(parent, name));

  for (const [from, expected] of [
    [[`--from=${first}`], before],
    [[], after],
  ] as const) {
    const path = join(directoryFor(t), 'data');
    const restored = await command(t, 'restore', parent, ...from, `--database.path=${path}`);
    t.is(restored.code, 0, restored.errors);
    const copy = await startAdapter(t, [`--database.path=${path}`]);
    t.deepEqual(await answers(answering(copy.port)), expected);
    t.is(await answering(copy.port).run("INSERT INTO plant.log VALUES (1700000009000, 'more')"), 1);
    copy.child.kill('SIGTERM');
    await copy.ended;
  }
});

test('what cannot be backed up, restored or moved is told in one line, and nothing is left', async (t) => {
  const directory = directoryFor(t);
  const nodes = ['--database.urls=http://127.0.0.1:1,http://127.0.0.1:2', '--database.cluster=metrics'];
  const cluster = ['--database.mode=cluster', ...nodes];
  const cases: [args: readonly string[], code: number, errors: RegExp][] = [
    [['backup'], 2, /^sluice backup <directory>/],
    [['backup', directory, '--prot=1'], 2, /did you mean port/],
    [['backup', '/proc/nowhere', ...toService], 1, /^sluice: .*\/proc\/nowhere/],
    [['backup', directory, '--database.port=1', '--database.password=x'], 1, /^sluice: /],
    [['backup', directory, ...cluster], 1, /^sluice: No node of the cluster answers at/],
    [['restore', directory, '--database.path=/tmp/none'], 1, /There is no backup in /],
    [['move'], 2, /^sluice move <from>/],
    [['move', directory], 1, /^sluice: Name the new database/],
    [['move', directory, ...cluster], 1, /^sluice: .* is no data directory of a service, and no settings file/],
  ];
  for (const [args, code, errors] of cases) {
    const ended = await command(t, ...args);
    t.is(ended.code, code, ended.errors);
    t.regex(ended.errors, errors);
    t.notRegex(ended.errors, /\n {4}at /);
  }
  t.deepEqual(readdirSync(directory), []);
  const whole = await command(t, 'backup', directory, ...toService);
  t.is(whole.code, 0, whole.errors);
  const full = await command(t, 'restore', directory, `--database.path=${service.path}`);
  t.regex(full.errors, /is not empty/);
});

/** Asks a service on a port. */
function answering(port: number): Pick<TestService, 'rows' | 'run' | 'port'> {
  const query = async (statement: string) => {
    const authorization = basic;
    const reply = await fetch(`http://127.0.0.1:${port}/rest/sql`, {
      method: 'POST',
      headers: { authorization },
      body: statement,
    });
    const { code, data }: { code: number; data: unknown[][] } = JSON.parse(await reply.text());
    if (code !== 0) throw new Error(`${statement}: ${code}`);
    return data;
  };
  return { port, rows: query, run: async (statement) => (await query(String(statement)))[0]?.[0] };
}
