import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { areCopies } from '../../support/cluster/copies.js';
import { missingCluster, startCluster } from '../../support/cluster/nodes.js';
import { rowsOf, sql, startAdapter, writeLines } from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { fillDisk, smallDisk } from '../../support/small-disk.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);

test('tables that are made and altered while the disk of a node is full are there once it has room, and it starts again', async (t) => {
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  const lastDirectory = smallDisk(t, 96 * 1024);
  if (lastDirectory === undefined) return;
  const cluster = await startCluster(t, { shards: 1, replicas: 2, keeper: true, lastDirectory });
  const adapter = await startAdapter(t, cluster.settings);
  const line = (table: string, column: string, at: number) => `${table},k=x ${column}=${at} ${startMs + at}`;
  const write = async (lines: string) => (await writeLines(adapter, 'd', lines)).status;
  t.is(await write(line('m', 'v', 1)), 204);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[1]]);

  const filler = join(lastDirectory, 'filler');
  fillDisk(filler);
  for (const statement of [
    'CREATE STABLE d.n (ts TIMESTAMP, v INT) TAGS (k INT)',
    'CREATE TABLE d.o (ts TIMESTAMP, v INT)',
  ]) {
    const { code, desc } = await sql(adapter, statement);
    t.true(code === 0 || /The disk of the database at .* is full/.test(desc ?? ''), `${statement}: ${desc}`);
  }
  const written = [await write(line('m', 'w', 2)), await write(line('late', 'v', 3))];

  rmSync(filler);
  t.true(await until(async () => (await write(line('m', 'w', 2))) === 204), 'a column can be added');
  t.true(await until(async () => (await write(line('late', 'v', 3))) === 204), 'a table can be made');
  t.log(written);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(v), count(w) FROM d.m'), [[1, 1]]);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.late'), [[1]]);
  const [, last] = cluster.nodes;
  await last!.kill();
  await last!.start();
  t.true(await until(() => areCopies(cluster)), 'the node has all rows');
  t.deepEqual(await rowsOf(adapter, 'SELECT count(v), count(w) FROM d.m'), [[1, 1]]);
});
