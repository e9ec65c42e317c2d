import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import {
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
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const loadTool = fileURLToPath(new URL('../../../src/bench.js', import.meta.url));
const { scope, end } = fileScope();
const missing = missingCluster(true);
const cluster = missing === undefined ? await startCluster(scope, { shards: 2, replicas: 2, keeper: true }) : undefined;

test.after.always(end);

const settings = cluster === undefined ? [] : [...cluster.settings, '--write.ack=stored'];
/** Directory of the settings that the load tool reads. */
const directory = directoryFor(scope);
writeFileSync(join(directory, 'adapter.toml'), tomlOf(settings));

async function done(t: ExecutionContext, adapter: Listening, statement: string): Promise<void> {
  const { code, desc } = await sql(adapter, statement);
  t.is(code, 0, `${statement}: ${desc}`);
}

/** One row for each of some series, under a number of its own. */
async function write(t: ExecutionContext, adapter: Listening, number: number): Promise<void> {
  const lines = Array.from({ length: 10 }, (_, i) => `m,k=k${i} v=${number}i ${startMs + number * 1000}`);
  const { status, text } = await writeLines(adapter, 'd', lines.join('\n'));
  t.is(status, 204, text);
}

test.serial('the load tool works on a cluster itself', async (t) => {
  if (cluster === undefined) return skipped(t, missing ?? '');
  const adapter = await startAdapter(scope, settings);
  const tool = run(scope, process.execPath, [loadTool, '-c', directory, '-d', 'bench', '-t', '20', '-n', '50', '-y']);
  t.is((await tool.ended).code, 0, tool.stderr());
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM bench.meters'), [[1000]]);
  adapter.child.kill('SIGTERM');
  await adapter.ended;
});

test.serial('consumers get every row that several adapters write, also when a node and an adapter die', async (t) => {
  if (cluster === undefined) return skipped(t, missing ?? '');
  const [a, b] = await Promise.all([startAdapter(scope, settings), startAdapter(scope, settings)]);
  await done(t, a, 'CREATE DATABASE IF NOT EXISTS d');
  await write(t, a, 0);
  const rows = join(directory, 'rows');
  const tmq = { concurrent: 2, 'group.id': 'g', poll_delay: 20_000, 'auto.offset.reset': 'earliest' };
  const more = { 'enable.auto.commit': 'true', 'auto.commit.interval.ms': 500, rows_file: rows };
  const topic = [{ name: 'followed', sql: 'SELECT _ts, v, k FROM d.m' }];
  const scenario = join(directory, 'subscribe.json');
  const tmq_info = { ...tmq, ...more, topic_list: topic };
  writeFileSync(scenario, JSON.stringify({ filetype: 'subscribe', cfgdir: directory, tmq_info }));
  const consumers = run(scope, process.execPath, [loadTool, '-f', scenario]);
  const read = (): string => [0, 1].map((at) => textOf(`${rows}_${at}`)).join('');
  const shownRows = (): Set<string> => new Set(read().match(/^\d+ \d+ k\d$/gm));
  t.true(await until(() => shownRows().size === 10), consumers.stderr());
  const last = cluster.nodes.at(-1)!;
  for (let number = 1; number <= 20; number++) {
    if (number === 7) await last.kill();
    if (number === 14) await last.start();
    if (number === 16) a.child.kill('SIGKILL');
    await write(t, number < 16 && number % 2 === 0 ? a : b, number);
  }
  t.true(await until(() => shownRows().size === 210), `${shownRows().size} rows; ${consumers.stderr()}`);
  const { code } = await consumers.ended;
  t.is(code, 0, consumers.stderr());
  b.child.kill('SIGTERM');
  await b.ended;
});

test.serial(
  'streams go on when the adapter that runs them dies, and their results are those of the query',
  async (t) => {
    if (cluster === undefined) return skipped(t, missing ?? '');
    let [a, b] = await Promise.all([startAdapter(scope, settings), startAdapter(scope, settings)]);
    await done(
      t,
      a,
      'CREATE STREAM s INTO d.s AS SELECT _wstart, count(*), sum(v) FROM d.m PARTITION BY k INTERVAL(10s)',
    );
    const results = 'SELECT count(*), sum(`count(*)`), sum(`sum(v)`) FROM d.s';
    let number = 100;
    const goOn = async (writer: Listening): Promise<void> => {
      for (let i = 0; i < 5; i++) await write(t, writer, number++);
      const expected = await rowsOf(
        writer,
        `SELECT count(*), sum(n), sum(s) FROM
       (SELECT _wstart, count(*) AS n, sum(v) AS s FROM d.m WHERE v >= 100 PARTITION BY k INTERVAL(10s))`,
      );
      const isEqual = async (): Promise<boolean> =>
        JSON.stringify(await rowsOf(writer, results)) === JSON.stringify(expected);
      t.true(await until(isEqual), JSON.stringify([await rowsOf(writer, results), expected]));
    };
    await goOn(b);
    // One of both runs the streams.
    a.child.kill('SIGKILL');
    await goOn(b);
    a = await startAdapter(scope, settings);
    await goOn(a);
    b.child.kill('SIGKILL');
    await goOn(a);
    await done(t, a, 'DROP STREAM s');
  },
);

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
