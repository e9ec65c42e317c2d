import { setInterval } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { areCopies } from '../../support/cluster/copies.js';
import { missingCluster, replication, startCluster } from '../../support/cluster/nodes.js';
import { waitedForProcessorMs } from '../../support/processor-time.js';
import { fileScope, post, rowsOf, sql, startAdapter, writeLines } from '../../support/service/processes.js';
import { basic } from '../../support/service/service.js';
import { skipped } from '../../support/skipped.js';
import { comesTrue, until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();
const missing = missingCluster(true);
const cluster = missing === undefined ? await startCluster(scope, { shards: 2, replicas: 2, keeper: true }) : undefined;
const adapter =
  cluster === undefined ? undefined : await startAdapter(scope, [...cluster.settings, '--write.ack=stored']);
test.after.always(end);

const series = Array.from({ length: 20 }, (_, i) => `k${i}`);
/** For how long all nodes hang: longer than it takes to avoid one. */
const hungMs = 3_000;
/** All rows but those of the series that is deleted. */
const counted = "SELECT count(*) FROM d.m WHERE k <> 'k0'";

async function write(t: ExecutionContext, value: number): Promise<void> {
  const lines = series.map((name) => `m,k=${name} v=${value} ${startMs + value}`);
  const { status, text } = await writeLines(adapter!, 'd', lines.join('\n'));
  t.is(status, 204, text);
}

/** True when all nodes have everything, as the adapter knows it. */
async function isWhole(): Promise<boolean> {
  const lacking = "SELECT count(*) FROM information_schema.ins_dnodes WHERE status = 'offline' OR note <> ''";
  return (await sql(adapter!, lacking)).data?.[0]?.[0] === 0;
}

/** What `SHOW CLUSTER ALIVE` says. */
async function alive(): Promise<unknown> {
  return (await rowsOf(adapter!, 'SHOW CLUSTER ALIVE'))[0]?.[0];
}

/** Answer of the ping for queries: its status, and what its body says. */
async function ping(): Promise<readonly [status: number, body: unknown]> {
  const answer = await fetch(`http://127.0.0.1:${adapter!.port}/-/ping?action=query`);
  const text = await answer.text();
  return [answer.status, text === '' ? undefined : JSON.parse(text)];
}

/** Figures of a cluster, by name. */
async function figures(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`http://127.0.0.1:${adapter!.port}/metrics`)).text();
  const figures = [...text.matchAll(/^adapter_cluster_(\w+) (\d+)/gm)];
  return Object.fromEntries(figures.map(([, name, value]) => [name, Number(value)]));
}

test.serial('writes and queries go on while a node is away, and it catches up when it is back', async (t) => {
  if (cluster === undefined || adapter === undefined) return skipped(t, missing ?? '');
  await write(t, 1);
  let rows = series.length - 1;
  for (const [turn, node] of cluster.nodes.entries()) {
    await node.kill();
    const killed = Date.now();
    await write(t, 10 + turn);
    t.true(Date.now() - killed < 5_000, 'writes go on within five seconds');
    rows += series.length - 1;
    t.deepEqual(await rowsOf(adapter, counted), [[rows]]);
    const { host } = new URL(node.url);
    t.deepEqual(await rowsOf(adapter, "SELECT endpoint FROM information_schema.ins_dnodes WHERE status = 'offline'"), [
      [host],
    ]);
    t.is(await alive(), 2);
    t.deepEqual(await ping(), [200, { nodes: { up: 3, behind: 0, away: 1 }, keeper: 'up' }]);
    t.deepEqual(await figures(), { nodes: 4, nodes_up: 3, keeper_up: 1 });
    // A table that is made meanwhile is made there later.
    t.is((await sql(adapter, `CREATE TABLE d.n${turn} (ts TIMESTAMP, v INT)`)).code, 0);
    const deleted = await sql(adapter, "DELETE FROM d.m WHERE k = 'k0'");
    if (replication === 'distributed') t.regex(deleted.desc ?? '', /Rows are deleted when all nodes have everything/);
    else t.is(deleted.code, 0, deleted.desc);
    await node.start();
    t.true(await until(() => areCopies(cluster)), 'the node has the rows that it missed');
    t.true(await until(isWhole), 'the adapter knows');
    t.deepEqual(await rowsOf(adapter, counted), [[rows]]);
    if (replication === 'replicated') t.deepEqual(await rowsOf(adapter, "SELECT v FROM d.m WHERE k = 'k0'"), []);
  }
  t.is((await sql(adapter, "DELETE FROM d.m WHERE k = 'k0'")).code, 0);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[rows]]);
});

test.serial('without a shard writes wait in the log, queries say why, and ping tells so', async (t) => {
  if (cluster === undefined || adapter === undefined) return skipped(t, missing ?? '');
  const [a, b] = cluster.nodes;
  await Promise.all([a!.kill(), b!.kill()]);
  t.true(await until(async () => (await ping())[0] === 503, 5_000));
  t.is(await alive(), 0);
  t.regex((await sql(adapter, 'SELECT count(*) FROM d.m')).desc ?? '', /./);
  const lines = series.map((name) => `m,k=${name} v=9 ${startMs + 999}`).join('\n');
  const answer = await fetch(`http://127.0.0.1:${adapter.port}/lineproto/v1/write?db=d&precision=ms&ack=logged`, {
    method: 'POST',
    body: lines,
    headers: { authorization: basic },
  });
  t.is(answer.status, 204, await answer.text());
  await Promise.all([a!.start(), b!.start()]);
  t.true(await until(async () => (await ping())[0] === 200, 10_000));
  const isStored = async (): Promise<boolean> => {
    const { data } = await sql(adapter, 'SELECT count(*) FROM d.m WHERE v = 9');
    return data?.[0]?.[0] === series.length;
  };
  t.true(await until(isStored));
});

test.serial('lists, ping and figures tell whether the keeper answers', async (t) => {
  if (cluster === undefined || adapter === undefined) return skipped(t, missing ?? '');
  t.true(await until(isWhole));
  const states = async (): Promise<unknown> => [
    await rowsOf(adapter, 'SELECT id, endpoint, role, status FROM information_schema.ins_mnodes'),
    await alive(),
    (await figures()).keeper_up,
    await ping(),
  ];
  const isNow = (expected: unknown): Promise<boolean> =>
    comesTrue(async () => isDeepStrictEqual(await states(), expected), 20_000);
  const all = { up: 4, behind: 0, away: 0 };
  const well = [[[1, 'keeper', 'leader', 'ready']], 1, 1, [200, undefined]];
  const ill = [[[1, 'keeper', 'leader', 'offline']], 2, 0, [200, { nodes: all, keeper: 'away' }]];
  t.true(await isNow(well), JSON.stringify(await states()));
  await cluster.keeper!.kill();
  const isTold = await isNow(ill);
  const told = JSON.stringify(await states());
  await cluster.keeper!.start();
  t.true(isTold, told);
  t.true(await isNow(well), JSON.stringify(await states()));
});

test.serial('a node that hangs holds up new rows for some seconds, not for as long as it hangs', async (t) => {
  if (cluster === undefined || adapter === undefined) return skipped(t, missing ?? '');
  t.true(await until(isWhole));
  const [, node] = cluster.nodes;
  process.kill(node!.pid, 'SIGSTOP');
  const listed = async (): Promise<unknown> =>
    (
      await sql(
        adapter,
        `SELECT status, note FROM information_schema.ins_dnodes WHERE endpoint = '${new URL(node!.url).host}'`,
      )
    ).data?.[0];
  try {
    await write(t, 1_000);
    t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m WHERE v = 1000'), [[series.length]]);
    // At first it is ready and does not answer; then it is offline, and why.
    t.true(await until(async () => !isDeepStrictEqual(await listed(), ['ready', ''])), 'lists tell so');
  } finally {
    process.kill(node!.pid, 'SIGCONT');
  }
  t.true(await until(isWhole), 'it is asked again');
  t.deepEqual(await listed(), ['ready', '']);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m WHERE v = 1000'), [[series.length]]);
});

test.serial('writes are answered from the log while all nodes hang, and stored afterwards', async (t) => {
  if (cluster === undefined || adapter === undefined) return skipped(t, missing ?? '');
  t.true(await until(isWhole));
  const waitedForProcessor = (): number => waitedForProcessorMs(process.pid) + waitedForProcessorMs(adapter.pid);
  const pids = cluster.nodes.map(({ pid }) => pid);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  let longest = 0;
  let written = 0;
  try {
    for await (const begun of setInterval(50, Date.now())) {
      if (Date.now() - begun > hungMs) break;
      const [sent, waited] = [performance.now(), waitedForProcessor()];
      const lines = series.map((name) => `m,k=${name} v=3000 ${startMs + 3_000 + written}`).join('\n');
      const { status, text } = await post(adapter.port, '/lineproto/v1/write?db=d&precision=ms&ack=logged', lines);
      t.is(status, 204, text);
      written++;
      longest = Math.max(longest, performance.now() - sent - (waitedForProcessor() - waited));
    }
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  t.true(longest < 1_000, `${longest} ms`);
  const isStored = async (): Promise<boolean> =>
    (await sql(adapter, 'SELECT count(*) FROM d.m WHERE v = 3000')).data?.[0]?.[0] === written * series.length;
  t.true(await until(isStored));
  t.true(await until(isWhole));
});

test.serial(
  'rows that a node has quarantined, because another one died in its answer, are copied to that one',
  async (t) => {
    if (cluster === undefined || adapter === undefined) return skipped(t, missing ?? '');
    if (replication === 'replicated') return skipped(t, 'no node keeps rows for another one');
    t.true(await until(isWhole));
    const node = cluster.nodes.at(-1)!;
    const line = cluster.lines.get(node.place.tcpPort)!;
    await node.kill();
    await write(t, 2_000);
    // In the middle of the name by which a node greets.
    line.cutAfter = 4;
    await node.start();
    const arePutAside = async (): Promise<boolean> => {
      const files = 'SELECT sum(broken_data_files) FROM system.distribution_queue';
      const counts = await Promise.all(cluster.nodes.map((other) => cluster.client(other).rows(files)));
      return counts.some(([row]) => Number(row?.[0]) > 0);
    };
    t.true(await until(arePutAside));
    line.cutAfter = undefined;
    t.true(await until(isWhole));
    t.true(await areCopies(cluster), 'it has the rows once it counts as whole');
    // Those that were copied are not copied again.
    const second = await startAdapter(scope, cluster.settings);
    t.notRegex(second.stdout(), /lacked/);
    t.regex(adapter.stdout(), /lacked were copied/);
  },
);

test.serial('a node that comes back without its data has the rows of its shard before it is asked', async (t) => {
  if (cluster === undefined || adapter === undefined) return skipped(t, missing ?? '');
  if (replication === 'replicated') return skipped(t, 'the keeper lists the replica that was there');
  t.true(await until(isWhole));
  const [rows] = await rowsOf(adapter, 'SELECT count(*) FROM d.m');
  const node = cluster.nodes.at(-1)!;
  await node.kill();
  await write(t, 900_001);
  node.erase();
  await node.start();
  // Every question goes to replicas of its own.
  let turn = 0;
  const isRight = async (): Promise<void> => {
    const counted = await rowsOf(adapter, `SELECT count(*) FROM d.m WHERE v > ${-++turn}`);
    t.deepEqual(counted, [[Number(rows?.[0]) + series.length]]);
  };
  t.true(
    await until(async () => {
      await isRight();
      return isWhole();
    }),
  );
  for (const _ of series) await isRight();
  t.true(await areCopies(cluster));
});
