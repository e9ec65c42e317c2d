import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { freePorts } from '../support/service/free-ports.js';
import {
  adapterProgram,
  enginePid,
  isAlive,
  rowsOf,
  run,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { fillDisk, smallDisk } from '../support/small-disk.js';
import { until } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);

test('a full disk is said so, refused as temporary, and got over when there is space again', async (t) => {
  const disk = smallDisk(t, 64 * 1024);
  if (disk === undefined) return;
  const args = [`--database.path=${join(disk, 'data')}`];
  const adapter = await startAdapter(t, args);
  const engine = enginePid(adapter);
  const lines = (from: number): string =>
    Array.from({ length: 1000 }, (_, i) => `m,k=x v=${from + i}i64 ${startMs + from + i}`).join('\n');
  t.is((await writeLines(adapter, 'd', lines(0))).status, 204);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[1000]]);

  const filler = join(disk, 'filler');
  fillDisk(filler);
  // The log gives back the room of stored rows, so that other programs may take it, too.
  const log = join(disk, 'data', 'wal', 'log-1');
  await until(() => !readdirSync(log).some((name) => name.endsWith('.wal')));
  fillDisk(filler);
  t.is((await fetch(`http://127.0.0.1:${adapter.port}/-/ping`)).status, 503);
  for (const body of [lines(1000), `new_table,k=x v="${'x'.repeat(9000)}" ${startMs}`]) {
    const answer = await writeLines(adapter, 'd', body);
    t.is(answer.status, 503, answer.text);
    t.truthy(answer.headers['retry-after']);
    t.regex(answer.text, /The write-ahead log cannot be written: the disk is full|The disk of the database is full/);
  }
  const insert = await sql(adapter, 'CREATE DATABASE e');
  t.is(insert.status, 503);
  t.regex(insert.desc ?? '', /The disk of the database is full/);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[1000]], 'reading goes on');
  t.true(isAlive(adapter.pid));
  t.is(enginePid(adapter), engine, 'the engine lives');
  process.kill(engine, 'SIGKILL');
  t.true(await until(() => !isAlive(engine)));
  const count = async () => (await sql(adapter, 'SELECT count(*) FROM d.m')).data?.[0]?.[0];
  t.true(await until(async () => (await count()) === 1000), 'one that was killed starts again');

  rmSync(filler);
  t.true(await until(async () => (await writeLines(adapter, 'd', lines(1000))).status === 204, 30_000));
  t.is((await sql(adapter, 'CREATE DATABASE e')).code, 0);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.m'), [[2000]]);

  adapter.child.kill('SIGTERM');
  t.deepEqual(await adapter.ended, { code: 0, signal: null });
  fillDisk(filler);
  const late = run(t, process.execPath, [adapterProgram, ...freePorts, ...args]);
  t.deepEqual(await late.ended, { code: 1, signal: null });
  t.regex(late.stderr(), /^sluice: [^\n]* cannot be written: the disk is full\.\n$/);
  rmSync(filler);
  t.deepEqual(await rowsOf(await startAdapter(t, args), 'SELECT count(*) FROM d.m'), [[2000]]);
});
