import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { missingCluster, replication, startCluster } from '../../support/cluster/nodes.js';
import { blocksOf } from '../../support/documents/documents.js';
import { freePort } from '../../support/service/free-ports.js';
import {
  directoryFor,
  fileScope,
  rowsOf,
  run,
  sql,
  startAdapter,
  writeLines,
} from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

const startMs = Date.UTC(2026, 0, 1);
const { scope, end } = fileScope();
test.after.always(end);

/** A block of the page about clusters by what it begins with. */
function shown(beginning: string): string {
  return blocksOf('docs/cluster.md').find(({ text }) => text.startsWith(beginning))?.text ?? '';
}

test('the worked configuration of the documents stands up, and goes on without an adapter and without nodes', async (t) => {
  const missing = missingCluster(true);
  if (missing !== undefined) return skipped(t, missing);
  if (spawnSync('/usr/sbin/nginx', ['-v']).status !== 0) return skipped(t, 'nginx is not installed');
  if (replication !== 'replicated') return skipped(t, 'the documents show nodes that fetch from each other');
  const text = shown('<clickhouse>');
  const cluster = await startCluster(scope, { shards: 2, replicas: 2, keeper: true, shown: { text, name: 'metrics' } });
  const adapters = [];
  for (const _ of [1, 2]) {
    const directory = directoryFor(scope);
    const password = join(directory, 'password');
    writeFileSync(password, cluster.password);
    const urls = JSON.stringify(cluster.nodes.map(({ url }) => url));
    const settings = shown('[database]')
      .replace(/urls = .*/, `urls = ${urls}`)
      .replace('user = "sluice"', `user = "${cluster.user}"`)
      .replace('/etc/sluice/database-password', password)
      // Nodes out of the package speak no TLS; it has a test of its own.
      .replace(/caFile = .*\n/, '')
      .replace('/var/lib/sluice/wal', join(directory, 'wal'));
    const file = join(directory, 'adapter.toml');
    writeFileSync(file, settings);
    adapters.push(await startAdapter(scope, [`--config=${file}`]));
  }
  const [first, second] = adapters;
  const directory = directoryFor(scope);
  const port = await freePort();
  const servers = shown('upstream')
    .replace('adapter1:6041', `127.0.0.1:${first!.port}`)
    .replace('adapter2:6041', `127.0.0.1:${second!.port}`)
    .replace('listen 6041', `listen 127.0.0.1:${port}`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const http = `http { access_log off; ${paths.join(' ')}\n${servers} }`;
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; pid ${directory}/pid; error_log stderr;\nevents {}\n${http}\n`,
  );
  run(scope, '/usr/sbin/nginx', ['-c', join(directory, 'nginx.conf')]);
  const input = { port };
  let written = 0;
  /** Ten rows of ten series; a sender sends again what was not answered well. */
  const write = async (): Promise<void> => {
    const lines = Array.from({ length: 10 }, (_, i) => `m,k=k${i} v=${written}i ${startMs + written}`).join('\n');
    const isTaken = async (): Promise<boolean> =>
      (await writeLines(input, 'd', lines).catch(() => ({ status: 0 }))).status === 204;
    t.true(await until(isTaken, 5_000), 'writes go on within five seconds');
    written++;
  };
  const hasAll = async (): Promise<boolean> => {
    const { data } = await sql(input, 'SELECT count(*) FROM d.m').catch(() => ({ data: [] }));
    return data?.[0]?.[0] === written * 10;
  };
  const lists = async (): Promise<boolean> => (await sql(input, 'SHOW DNODES').catch(() => undefined))?.code === 0;
  t.true(await until(lists));
  t.is((await rowsOf(input, 'SHOW DNODES')).length, 4);
  for (let i = 0; i < 4; i++) await write();
  t.true(await until(hasAll));
  // Not everything that was answered by the one that dies is stored yet: it comes when that one is back.
  first!.child.kill('SIGKILL');
  for (let i = 0; i < 4; i++) await write();
  await cluster.nodes[0]!.kill();
  await write();
  t.true(await until(hasAll));
  await cluster.nodes[3]!.kill();
  await write();
  t.true(await until(hasAll), 'a replica of each shard is enough');
});
