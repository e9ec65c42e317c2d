import test, { type ExecutionContext } from 'ava';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import {
  execute,
  fileScope,
  type Listening,
  post,
  rowsOf,
  startAdapter,
  store,
} from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();

const missing = missingCluster(true);
const cluster = missing === undefined ? await startCluster(scope, { shards: 2, replicas: 2, keeper: true }) : undefined;

/** Two adapters on the cluster; undefined where there is none. */
const pair =
  cluster === undefined
    ? undefined
    : await Promise.all([0, 1].map(() => startAdapter(scope, [...cluster.settings, '--write.ack=stored'])));

test.after.always(end);

function onPair(body: (t: ExecutionContext, a: Listening, b: Listening) => Promise<void>) {
  return async (t: ExecutionContext): Promise<void> => {
    const [a, b] = pair ?? [];
    if (a === undefined || b === undefined) skipped(t, missing ?? '');
    else await body(t, a, b);
  };
}

test.serial(
  'two adapters on a cluster work as one, and rows lie on all nodes',
  onPair(async (t, a, b) => {
    await execute(a, 'CREATE DATABASE d');
    await store(a, 'd', Array.from({ length: 40 }, (_, i) => `m,k=k${i} v=1,w=${i}i ${startMs}`).join('\n'));
    t.deepEqual(await rowsOf(b, 'SELECT count(*), sum(w) FROM d.m'), [[40, 780]]);
    await store(b, 'd', Array.from({ length: 40 }, (_, i) => `m,k=k${i} v=2 ${startMs}`).join('\n'));
    await store(a, 'd', `m,k=k0 w=7i ${startMs}`);
    for (const adapter of [a, b]) {
      t.deepEqual(await rowsOf(adapter, 'SELECT count(*), sum(v), sum(w) FROM d.m'), [[40, 80, 787]]);
      t.is((await rowsOf(adapter, 'SELECT DISTINCT tbname FROM d.m')).length, 40);
      t.deepEqual(await rowsOf(adapter, "SELECT v, w FROM d.m WHERE k = 'k5'"), [[2, 5]]);
    }
    const storage = await localTable();
    for (const node of cluster!.nodes) {
      const [row] = await cluster!.client(node).rows(`SELECT uniqExact(id) FROM ${storage}`);
      t.true(Number(row?.[0]) > 5 && Number(row?.[0]) < 35, 'each shard has some of the series');
    }
    const settings = { parameters: { optimize_skip_unused_shards: '1' } };
    const spread = storage.replace(/^local_/, '');
    const plan = await cluster!
      .client(cluster!.nodes[0]!)
      .rows(`EXPLAIN SELECT id, count() FROM ${spread} GROUP BY id`, undefined, settings);
    t.notRegex(plan.join(), /MergingAggregated/, 'groups by series are made on the shards');
    await execute(a, 'CREATE TABLE d.n (ts TIMESTAMP, v INT)', `INSERT INTO d.n VALUES (${startMs}, 1)`);
    await execute(b, 'ALTER TABLE d.n ADD COLUMN w INT', `INSERT INTO d.n (ts, w) VALUES (${startMs}, 2)`);
    t.deepEqual(await rowsOf(a, 'SELECT v, w FROM d.n'), [[1, 2]]);
    await execute(a, `DELETE FROM d.m WHERE k = 'k5'`);
    t.deepEqual(await rowsOf(b, 'SELECT count(*) FROM d.m'), [[39]]);
    await execute(b, 'DROP STABLE d.m');
    await store(a, 'd', `m,k=k0 v=1 ${startMs}`);
    t.deepEqual(await rowsOf(b, 'SELECT k, v FROM d.m'), [['k0', 1]]);
    // An entry of the catalogue that is too long for the keeper as it is.
    const wide = Array.from({ length: 1_500 }, (_, i) => `a_column_with_a_name_${i} INT`).join(', ');
    await execute(a, `CREATE TABLE d.wide (ts TIMESTAMP, ${wide})`);
    t.is((await rowsOf(b, 'DESCRIBE d.wide')).length, 1_501);
  }),
);

test.serial(
  'a series that both write in turn has the values that were answered last',
  onPair(async (t, a, b) => {
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      const [writer, reader] = round % 2 === 0 ? [a, b] : [b, a];
      const lines = [`m,k=same v=${round} ${startMs}`, `m,k=same v=${-round} ${startMs + round}`];
      await store(writer, 'turns', lines.join('\n'));
      t.deepEqual(
        await rowsOf(reader, `SELECT v FROM turns.m WHERE _ts <= ${startMs + round}000000 ORDER BY _ts DESC LIMIT 1`),
        [[0 - round]],
      );
    }
    // The first line of each round was overwritten by all later ones, but that of the first round by its own second one.
    for (const adapter of [a, b]) {
      t.deepEqual(await rowsOf(adapter, `SELECT v FROM turns.m WHERE _ts = ${startMs}000000`), [[rounds - 1]]);
      t.deepEqual(await rowsOf(adapter, 'SELECT count(*), sum(v) FROM turns.m'), [[rounds, rounds - 1 - 66]]);
    }
  }),
);

test.serial(
  'of rows that are stored in another order than they were answered the last answer stays',
  onPair(async (t, a, b) => {
    const lineOf = (v: number) => `m,k=same v=${v} ${startMs}`;
    // Stored at once, so that the tables are there and nothing waits for definitions.
    await store(a, 'late', lineOf(-1));
    for (const [i, adapter] of [a, b, a].entries()) {
      const { status, text } = await post(
        adapter.port,
        '/lineproto/v1/write?db=late&precision=ms&ack=logged',
        lineOf(i),
      );
      t.is(status, 204, text);
    }
    // A reader stores what waits with its own adapter: the row of the second answer comes last.
    for (const adapter of [a, b, a]) {
      t.deepEqual(await rowsOf(adapter, 'SELECT v FROM late.m'), [[2]]);
    }
  }),
);

test.serial(
  'tables that an earlier version made, without the time when rows came, go on',
  onPair(async (t, a) => {
    await store(a, 'before', `m,k=x v=1 ${startMs}`);
    const local = await localTable();
    for (const node of cluster!.nodes) {
      const client = cluster!.client(node);
      const shown = (table: string) =>
        client.rows(`SELECT create_table_query FROM system.tables WHERE concat(database, '.', name) = '${table}'`);
      for (const table of [local, local.replace(/^local_/, '')]) {
        const [[text] = []] = await shown(table);
        await client.exec(`DROP TABLE ${table} SYNC`);
        const earlier = String(text)
          .replace(', `received` UInt64 DEFAULT version CODEC(Delta(8), ZSTD(1))', '')
          .replace('Tree(received)', 'Tree(version)');
        t.notRegex(earlier, /received/);
        await client.exec(earlier, undefined, { parameters: { allow_experimental_codecs: '1' } });
      }
    }
    const later = await startAdapter(scope, [...cluster!.settings, '--write.ack=stored']);
    for (const v of [2, 3]) await store(later, 'before', `m,k=x v=${v} ${startMs}`);
    await store(later, 'before', `m,k=y v=4 ${startMs}`);
    t.deepEqual(await rowsOf(a, 'SELECT k, v FROM `before`.m ORDER BY k'), [
      ['x', 3],
      ['y', 4],
    ]);
  }),
);

test.serial(
  'tables, columns and sub-tables that both invent at once are one',
  onPair(async (t, a, b) => {
    const bodies = 10;
    const writeAll = async (adapter: Listening, side: number): Promise<void> => {
      for (let body = 0; body < bodies; body++) {
        const lines = [
          `m${body % 5},k=k${body} c${body}=${body}i64 ${startMs + body * 2 + side}`,
          `shared,side=s${side} c${body}=${body}i64,d=1 ${startMs + body}`,
        ];
        await store(adapter, 'race', lines.join('\n'));
      }
    };
    await Promise.all([writeAll(a, 0), writeAll(b, 1)]);
    const expected = [[bodies * 2, bodies * 2, 2, 2]];
    const select = 'SELECT count(*), count(d), count(c0), count(c9) FROM race.shared';
    const subTables = "SELECT count(*) FROM information_schema.ins_tables WHERE db_name = 'race'";
    for (const adapter of [a, b]) {
      t.deepEqual(await rowsOf(adapter, "SELECT count(*) FROM race.m0 WHERE k = 'k5'"), [[2]]);
      t.deepEqual(await rowsOf(adapter, subTables), [[bodies + 2]]);
      t.true(
        await until(async () => JSON.stringify(await rowsOf(adapter, select)) === JSON.stringify(expected), 2_000),
      );
    }
  }),
);

/** The engine table of rows that was made last. */
async function localTable(): Promise<string> {
  const [node] = cluster!.nodes;
  const [row] = await cluster!.client(node!).rows(
    `SELECT concat(database, '.', name) FROM system.tables WHERE match(database, '^local_d') AND match(name, '^[ts]')
       ORDER BY metadata_modification_time DESC LIMIT 1`,
  );
  return String(row?.[0]);
}
