import test, { type ExecutionContext } from 'ava';
import { areCopies } from '../../support/cluster/copies.js';
import { missingCluster, startCluster, type TestNode } from '../../support/cluster/nodes.js';
import { type SoftLine, softLine } from '../../support/cluster/soft-line.js';
import { fileScope, type Listening, post, rowsOf, sql, startAdapter } from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();
const missing = missingCluster(true);
const cluster = missing === undefined ? await startCluster(scope, { shards: 2, replicas: 2, keeper: true }) : undefined;

/** One adapter reaches the nodes over lines of its own, which are cut; the other one reaches them at any time. */
const lines = new Map<TestNode, SoftLine>();
let pair: readonly [cut: Listening, whole: Listening] | undefined;
if (cluster !== undefined) {
  for (const node of cluster.nodes) lines.set(node, await softLine(scope, 0, node.place.httpPort));
  const urls = [...lines.values()].map(({ port }) => `http://127.0.0.1:${port}`).join(',');
  const others = cluster.settings.filter((text) => !text.startsWith('--database.urls='));
  const hurried = '--write.flushInterval=200ms';
  pair = [
    await startAdapter(scope, [...others, `--database.urls=${urls}`, hurried]),
    await startAdapter(scope, [...cluster.settings, hurried]),
  ];
}
test.after.always(end);

const series = Array.from({ length: 12 }, (_, i) => `k${i}`);
let written = 0;

/** One row of each series under the next number; gives the status of the answer. */
async function write(adapter: Listening, ack: 'stored' | 'logged'): Promise<number> {
  const number = written + 1;
  const rows = series.map((name) => `m,k=${name} v=${number}i ${startMs + number}`);
  const { status } = await post(adapter.port, `/lineproto/v1/write?db=d&precision=ms&ack=${ack}`, rows.join('\n'));
  if (status === 204) written++;
  return status;
}

async function countBy(adapter: Listening): Promise<unknown> {
  return (await sql(adapter, 'SELECT count(*) FROM d.m')).data?.[0]?.[0];
}

/** True once an adapter answers with all rows, and each once. */
const hasAll = (adapter: Listening): Promise<boolean> =>
  until(async () => (await countBy(adapter)) === written * series.length);

async function ping(adapter: Listening): Promise<number> {
  return (await fetch(`http://127.0.0.1:${adapter.port}/-/ping?action=query`)).status;
}

const isWhole = async (adapter: Listening): Promise<boolean> =>
  (await sql(adapter, "SELECT count(*) FROM information_schema.ins_dnodes WHERE status = 'offline' OR note <> ''"))
    .data?.[0]?.[0] === 0;

function onPair(body: (t: ExecutionContext, cut: Listening, whole: Listening) => Promise<void>) {
  return async (t: ExecutionContext): Promise<void> => {
    if (pair === undefined) skipped(t, missing ?? '');
    else await body(t, ...pair);
  };
}

for (const [way, isSilent] of [
  ['ends connections', false],
  ['is silent', true],
] as const) {
  test.serial(
    `a line between one adapter and one node that ${way} loses nothing, and both adapters go on`,
    onPair(async (t, cut, whole) => {
      for (const node of [cluster!.nodes[0]!, cluster!.nodes[3]!]) {
        const line = lines.get(node)!;
        if (isSilent) line.silence();
        else line.cut();
        const begun = Date.now();
        t.is(await write(cut, 'logged'), 204);
        t.true(Date.now() - begun < 5_000, 'writes go on within five seconds');
        t.is(await write(whole, 'stored'), 204);
        t.true(await hasAll(whole));
        t.true(await hasAll(cut));
        t.is(await write(cut, 'stored'), 204);
        t.is(await countBy(cut), written * series.length, 'an adapter reads what it has written');
        t.is(await ping(cut), 200);
        line.mend();
        t.true(await until(() => isWhole(cut)), 'the node is asked again');
        t.true(await hasAll(cut));
        t.true(await until(() => areCopies(cluster!)));
      }
    }),
  );
}

test.serial(
  'an adapter that reaches no node answers rows into its log and refuses queries, and the other one goes on',
  onPair(async (t, cut, whole) => {
    for (const line of lines.values()) line.cut();
    t.true(await until(async () => (await ping(cut)) === 503));
    t.is(await ping(whole), 200);
    const stored = written;
    t.is(await write(cut, 'logged'), 204);
    t.not((await sql(cut, 'SELECT count(*) FROM d.m')).code, 0);
    t.is(await countBy(whole), stored * series.length);
    t.is(await write(whole, 'stored'), 204);
    t.is(await countBy(whole), (stored + 1) * series.length);
    for (const line of lines.values()) line.mend();
    t.true(await hasAll(whole));
    t.true(await until(async () => (await ping(cut)) === 200));
    t.true(await hasAll(cut));
  }),
);

test.serial(
  'streams go on with the other adapter when the one that ran them does not reach the first node',
  onPair(async (t, cut, whole) => {
    t.is(await write(whole, 'stored'), 204);
    t.true(await until(() => isWhole(cut)));
    const stream = 'CREATE STREAM s INTO d.s AS SELECT _wstart, count(*) FROM d.m PARTITION BY k INTERVAL(1s)';
    t.is((await sql(cut, stream)).code, 0);
    const summed = async (): Promise<unknown> => (await sql(whole, 'SELECT sum(`count(*)`) FROM d.s')).data?.[0]?.[0];
    const before = written;
    t.is(await write(whole, 'stored'), 204);
    // The window is computed anew with all rows in it.
    t.true(await until(async () => (await summed()) === written * series.length), `${await summed()} of ${before}`);
    lines.get(cluster!.nodes[0]!)!.cut();
    t.is(await write(whole, 'stored'), 204);
    t.true(await until(async () => (await summed()) === written * series.length), `${await summed()}`);
    t.is((await sql(whole, 'SHOW STREAMS')).code, 0);
    lines.get(cluster!.nodes[0]!)!.mend();
    t.is((await sql(whole, 'DROP STREAM s')).code, 0);
    t.deepEqual(await rowsOf(whole, 'SHOW STREAMS'), []);
  }),
);
