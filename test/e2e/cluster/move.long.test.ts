import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
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

const { scope, end } = fileScope();
test.after.always(end);

const startMs = Date.UTC(2026, 0, 1);

const weather = 'SELECT _ts, host, load FROM free.weather ORDER BY _ts, host';

const questions = [
  weather,
  'SHOW DATABASES',
  'SELECT * FROM plant.meters ORDER BY ts, site',
  'SELECT site, COUNT(*), AVG(v) FROM plant.meters GROUP BY site ORDER BY site',
  'SELECT * FROM plant.log ORDER BY ts',
  'SELECT * FROM plant.high ORDER BY ts',
  "SELECT table_name, stable_name FROM information_schema.ins_tables WHERE db_name = 'plant' ORDER BY table_name",
  ...everythingAsked,
];

type Rows = readonly (readonly unknown[])[];

async function answers(adapter: Listening): Promise<Readonly<Record<string, Rows>>> {
  const answers: Record<string, Rows> = {};
  for (const question of questions) answers[question] = await rowsOf(adapter, question);
  return answers;
}

test('databases move from a data directory to a cluster, which takes rows meanwhile', async (t) => {
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  const path = directoryFor(scope);
  const embedded = await startAdapter(scope, [`--database.path=${path}`, '--write.ack=stored']);
  const rows = (from: number): string =>
    Array.from({ length: 500 }, (_, at) => `(${startMs + (from + at) * 1000}, ${from + at}, 'ø${at}')`).join(' ');
  for (const statement of [
    'CREATE DATABASE plant',
    "CREATE DATABASE gone PRECISION 'ns'",
    'DROP DATABASE gone',
    'CREATE STABLE plant.meters (ts TIMESTAMP, v DOUBLE, n NCHAR(20)) TAGS (site VARCHAR(20))',
    'CREATE TABLE plant.log (ts TIMESTAMP, said VARCHAR(100))',
    'CREATE VIEW plant.high AS SELECT ts, v FROM plant.meters WHERE v > 490',
    "CREATE USER ann PASS 'Secret-12345'",
    'GRANT READ ON plant.* TO ann',
    `INSERT INTO plant.north USING plant.meters TAGS ('north') VALUES ${rows(0)}`,
    `INSERT INTO plant.south USING plant.meters TAGS ('south') VALUES ${rows(10)}`,
    `INSERT INTO plant.south VALUES (${startMs}, -1, 'again')`,
    `INSERT INTO plant.log VALUES (${startMs}, 'begun')`,
    `DELETE FROM plant.meters WHERE site = 'north' AND ts < ${startMs + 5000}`,
    ...everything,
  ]) {
    const { code, desc } = await sql(embedded, statement);
    t.is(code, 0, `${statement.slice(0, 100)}: ${desc}`);
  }
  t.is(
    (await writeLines(embedded, 'free', `weather,host=a load=1.5 ${startMs}\nweather,host=b load=2 ${startMs}`)).status,
    204,
  );
  const before = await answers(embedded);
  embedded.child.kill('SIGTERM');
  await embedded.ended;
  const cluster = await startCluster(scope, { shards: 2, replicas: 2, keeper: true });
  const command = (): ReturnType<typeof run> =>
    run(scope, process.execPath, [adapterProgram, 'move', path, ...cluster.settings]);
  const moving = command();
  const canStart = (): boolean => moving.stdout().includes('can be started') || moving.child.exitCode !== null;
  t.true(await until(canStart), moving.stderr());
  // What was copied is older than what comes now, whichever is stored first.
  const adapter = await startAdapter(scope, [...cluster.settings, '--write.ack=stored', `--wal.path=${path}/wal`]);
  t.is((await writeLines(adapter, 'free', `weather,host=b load=7 ${startMs}`)).status, 204);
  t.is((await moving.ended).code, 0, moving.stderr());
  const [a, b] = before[weather] ?? [];
  const after = { ...before, [weather]: [a, [b?.[0], 'b', 7]] };
  t.deepEqual(await answers(adapter), after);
  // It may be repeated, as after one that broke off.
  const again = command();
  t.is((await again.ended).code, 0, again.stderr());
  t.regex(again.stdout(), /Moved \d+ rows/);
  t.deepEqual(await answers(adapter), after);
  // A cluster with another number of shards is another cluster.
  adapter.child.kill('SIGTERM');
  await adapter.ended;
  const settings = join(path, 'adapter.toml');
  writeFileSync(settings, tomlOf(cluster.settings));
  const larger = await startCluster(scope, { shards: 3, replicas: 1, keeper: true });
  const growing = run(scope, process.execPath, [adapterProgram, 'move', settings, ...larger.settings]);
  t.is((await growing.ended).code, 0, growing.stderr());
  t.deepEqual(await answers(await startAdapter(scope, larger.settings)), after);
});
