import test from 'ava';
import { areCopies } from '../../support/cluster/copies.js';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { acknowledgingInputs } from '../../support/inputs/acknowledging-inputs.js';
import {
  adapterProgram,
  directoryFor,
  fileScope,
  type Listening,
  rowsOf,
  run,
  sql,
  startAdapter,
} from '../../support/service/processes.js';
import { basic } from '../../support/service/service.js';
import { skipped } from '../../support/skipped.js';
import { everything, everythingAsked } from '../../support/sql/everything.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const series = Array.from({ length: 60 }, (_, i) => `k${i}`);
const { scope, end } = fileScope();
test.after.always(end);

test('a shard is added in place: new tables use it at once, and the rows of others are moved there', async (t) => {
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  const cluster = await startCluster(scope, { shards: 3, replicas: 2, keeper: true, begun: 2 });
  const write = async (adapter: Listening, table: string, value: number, ack = 'stored'): Promise<void> => {
    const lines = series.map((name, i) => `${table},k=${name} v=${value}i,w=${i}i ${startMs + value}`);
    const auth = { authorization: basic };
    const url = `http://127.0.0.1:${adapter.port}/lineproto/v1/write?db=d&precision=ms&ack=${ack}`;
    const answer = await fetch(url, { method: 'POST', body: lines.join('\n'), headers: auth });
    t.is(answer.status, 204, await answer.text());
  };
  /** Stored rows of data on the nodes of the shard that was added. */
  const onAdded = (): Promise<number[]> =>
    Promise.all(
      cluster.nodes.slice(4).map(async (node) => {
        const where = "match(database, '^local_d') AND match(table, '^[st]') AND active";
        const [row] = await cluster.client(node).rows(`SELECT sum(rows) FROM system.parts WHERE ${where}`);
        return Number(row?.[0]);
      }),
    );
  const wal = [`--wal.path=${directoryFor(scope)}`];
  const before = await startAdapter(scope, [...cluster.settings, ...wal]);
  for (const value of [1, 2, 3]) await write(before, 'old', value);
  t.is((await sql(before, "DELETE FROM d.old WHERE k = 'k7'")).code, 0);
  const all = 'SELECT count(*), sum(v), sum(w) FROM d.old';
  const expected = await rowsOf(before, all);
  t.is(expected[0]?.[0], 177);
  for (const statement of [
    ...everything,
    'CREATE TOPIC followed AS SELECT _ts, v FROM d.old',
    'CREATE STREAM s FILL_HISTORY 1 INTO d.s AS SELECT _wstart, count(*) FROM d.old PARTITION BY tbname INTERVAL(1s)',
  ]) {
    const { code, desc } = await sql(before, statement);
    t.is(code, 0, `${statement}: ${desc}`);
  }
  const samples = acknowledgingInputs.find(({ name }) => name === 'samples')!;
  const labelled = series.map((writer, number) => ({ name: 'labelled', writer, ms: startMs + number, number }));
  t.true(await samples.send(before, 'd', labelled));
  const summed = 'SELECT sum(`count(*)`) FROM d.s';
  t.true(await until(async () => (await sql(before, summed)).data?.[0]?.[0] === 177));
  const questions = [
    ...everythingAsked,
    `SELECT count(*), sum(v) FROM ${samples.from('d', 'labelled')}`,
    'SHOW TOPICS',
    'SELECT stream_name, status FROM information_schema.ins_streams',
  ];
  const answers = async (adapter: Listening): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for (const question of questions) rows.push(await rowsOf(adapter, question));
    return rows;
  };
  const answersBefore = await answers(before);
  before.child.kill('SIGTERM');
  await before.ended;

  await cluster.grow();
  const settings = [...cluster.settings, ...wal];
  const adapter = await startAdapter(scope, settings);
  t.deepEqual(await rowsOf(adapter, all), expected, 'rows of before stay where they are');
  t.deepEqual(await answers(adapter), answersBefore);
  await write(adapter, 'old', 4);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.old'), [[237]]);
  t.deepEqual(await onAdded(), [0, 0]);
  await write(adapter, 'young', 1);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.young'), [[60]]);
  const young = await onAdded();
  t.true(
    young.every((count) => count > 5 && count < 60),
    `new tables use the new shard: ${young}`,
  );

  const moving = run(scope, process.execPath, [adapterProgram, 'rebalance', ...settings]);
  const held = async (): Promise<boolean> => {
    const { desc } = await sql(adapter, 'SELECT count(*) FROM d.old');
    return desc?.includes('being moved to other shards') === true;
  };
  t.true(await until(async () => moving.child.exitCode !== null || (await held())));
  // Rows are answered, and wait until they can be stored.
  await write(adapter, 'old', 5, 'logged');
  t.is((await moving.ended).code, 0, moving.stderr());
  t.regex(moving.stdout(), /Moved \d+ rows/);
  const isAll = async (): Promise<boolean> => (await sql(adapter, 'SELECT count(*) FROM d.old')).data?.[0]?.[0] === 297;
  t.true(await until(isAll));
  t.deepEqual(await answers(adapter), answersBefore, 'one of everything is as it was');
  const isSummed = async (rows: number): Promise<boolean> => (await sql(adapter, summed)).data?.[0]?.[0] === rows;
  t.true(await until(() => isSummed(297)), 'the stream sees no moved row anew, and goes on');
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.young'), [[60]]);
  t.true(
    (await onAdded()).every((count) => count > 60),
    'rows of before were moved',
  );
  // A row that is written anew takes the place of the one that was moved.
  await write(adapter, 'old', 1);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.old'), [[298]]);
  t.true(await until(() => areCopies(cluster)), 'all replicas have the same rows');
  // A command that broke off leaves this behind: services can be started, and wait until it is run again.
  for (const node of cluster.nodes) {
    await cluster.client(node).exec('CREATE TABLE sluice.rebalance (at DateTime) ENGINE = MergeTree ORDER BY at');
  }
  const late = await startAdapter(scope, cluster.settings);
  await write(late, 'old', 6, 'logged');
  t.true(await until(held));
  t.regex((await sql(late, 'SELECT count(*) FROM d.old')).desc ?? '', /being moved to other shards/);
  const again = run(scope, process.execPath, [adapterProgram, 'rebalance', ...settings]);
  t.is((await again.ended).code, 0, again.stderr());
  t.regex(again.stdout(), /Moved 0 rows/);
  t.true(await until(async () => (await sql(late, 'SELECT count(*) FROM d.old')).data?.[0]?.[0] === 358));
});
