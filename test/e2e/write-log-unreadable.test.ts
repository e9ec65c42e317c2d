import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { directoryFor, enginePid, rowsOf, sql, startAdapter, store } from '../support/service/processes.js';
import { until } from '../support/until.js';

test('a service that cannot read its write-ahead log goes on, and stores all answered rows once it can', async (t) => {
  const path = directoryFor(t);
  const adapter = await startAdapter(t, [`--database.path=${path}`, '--limits.creditBytes=2MB']);
  await sql(adapter, "CREATE DATABASE kept PRECISION 'ms'");
  await store(adapter, 'kept', 'm,body=0 v=0i,s="x" 1767225600000');
  const engine = enginePid(adapter);
  process.kill(engine, 'SIGSTOP');
  // More than the service keeps in memory: the rest is in the log alone.
  for (let body = 1; body <= 10; body++) {
    const row = (i: number): string => `m,body=${body} v=${i}i,s="${'x'.repeat(200)}" ${1_767_225_600_000 + i}\n`;
    await store(adapter, 'kept', Array.from({ length: 2_000 }, (_, i) => row(i)).join(''));
  }
  const log = join(path, 'wal', 'log-1');
  const files = readdirSync(log).filter((name) => name.endsWith('.wal'));
  for (const file of files) {
    renameSync(join(log, file), join(log, `${file}.away`));
    // Reading a directory fails with EISDIR.
    mkdirSync(join(log, file));
  }
  process.kill(engine, 'SIGCONT');
  await until(() => adapter.stdout().includes('The write-ahead log cannot be read; Sluice tries again.'));
  for (const file of files) {
    rmdirSync(join(log, file));
    renameSync(join(log, `${file}.away`), join(log, file));
  }
  t.deepEqual(await rowsOf(adapter, 'SELECT COUNT(*) FROM kept.m'), [[20_001]]);
  t.notRegex(adapter.stdout(), /was (?:removed|deleted) below the service/);
});
