import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { dashboardsOf, makeDashboard } from '../../support/service/dashboards.js';
import {
  adapterProgram,
  directoryFor,
  fileScope,
  type Listening,
  rowsOf,
  run,
  sql,
  startAdapter,
  writeLines,
} from '../../support/service/processes.js';
import { tomlOf } from '../../support/service/toml-of.js';
import { skipped } from '../../support/skipped.js';
import { everything, everythingAsked } from '../../support/sql/everything.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();
test.after.always(end);

const questions = [
  'SELECT k, count(*), sum(v) FROM d.m PARTITION BY k ORDER BY k',
  'SELECT * FROM e.n ORDER BY ts',
  'SELECT DISTINCT tbname FROM d.m ORDER BY tbname',
  'SELECT name FROM information_schema.ins_users ORDER BY name',
  'SELECT topic_name FROM information_schema.ins_topics',
  ...everythingAsked,
  'SELECT sum(`count(*)`) FROM d.s',
];

async function answers(adapter: Listening): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) answers.push(await rowsOf(adapter, question));
  answers.push(await dashboardsOf(adapter.port));
  return answers;
}

test('a backup of a cluster that is written to is brought back into another one', async (t) => {
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  const cluster = await startCluster(scope, { shards: 2, replicas: 1, keeper: true });
  const adapter = await startAdapter(scope, cluster.settings);
  const write = async (value: number): Promise<void> => {
    const lines = Array.from({ length: 20 }, (_, i) => `m,k=k${i} v=${value}i ${startMs + value}`);
    t.is((await writeLines(adapter, 'd', lines.join('\n'))).status, 204);
  };
  await write(1);
  for (const statement of [
    ...everything,
    'CREATE DATABASE e',
    'CREATE TABLE e.n (ts TIMESTAMP, s VARCHAR(10))',
    `INSERT INTO e.n VALUES (${startMs}, 'a') (${startMs + 1}, NULL)`,
    "CREATE USER ann PASS 'Secret-12345'",
    'CREATE TOPIC followed AS SELECT _ts, v FROM d.m',
    'CREATE STREAM s FILL_HISTORY 1 INTO d.s AS SELECT _wstart, count(*) FROM d.m PARTITION BY tbname INTERVAL(1s)',
  ]) {
    const { code, desc } = await sql(adapter, statement);
    t.is(code, 0, `${statement}: ${desc}`);
  }
  await Promise.all(['A', 'B', 'C', 'D'].map((name) => makeDashboard(adapter.port, name, { panels: [], range: name })));
  await write(2);
  const isSummed = async (): Promise<boolean> => (await sql(adapter, questions.at(-1) ?? '')).data?.[0]?.[0] === 40;
  t.true(await until(isSummed));
  const before = await answers(adapter);
  const directory = directoryFor(scope);
  const settings = join(directoryFor(scope), 'adapter.toml');
  writeFileSync(
    settings,
    tomlOf([...cluster.settings, `--port=${adapter.port}`]).replace(/port = "(\d+)"/, 'port = $1'),
  );
  const command = (...args: readonly string[]) => run(scope, process.execPath, [adapterProgram, ...args]);
  const backup = command('backup', directory, `--config=${settings}`);
  t.is((await backup.ended).code, 0, backup.stderr());
  t.regex(backup.stdout(), /^Backup .*: \d/);
  t.is(backup.stderr(), '');
  await write(3);
  adapter.child.kill('SIGTERM');
  await adapter.ended;

  const single = command('restore', directory, `--database.path=${join(directory, 'single')}`);
  t.is((await single.ended).code, 1);
  t.regex(single.stderr(), /topics and streams of a cluster.*followed, s/);
  const other = await startCluster(scope, { shards: 1, replicas: 1, keeper: true });
  const restore = command('restore', directory, ...other.settings);
  t.is((await restore.ended).code, 0, restore.stderr());
  t.regex(restore.stdout(), /Restored .* into the cluster, \d+ rows/);
  const restored = await startAdapter(scope, other.settings);
  t.deepEqual(await answers(restored), before);
  // The stream goes on where it was.
  t.is((await writeLines(restored, 'd', `m,k=k0 v=5i ${startMs + 5}`)).status, 204);
  const goesOn = async (): Promise<boolean> => (await sql(restored, questions.at(-1) ?? '')).data?.[0]?.[0] === 41;
  t.true(await until(goesOn));
});
