import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { hostEnvironment } from '../../../src/database/host/connection/options.js';
import { EngineSupervisor, restartDelayMs } from '../../../src/database/host/supervisor.js';
import { silentLog, startEngine, temporaryDirectory } from '../../support/engine/engine.js';
import { until } from '../../support/until.js';

const engineProgram = fileURLToPath(new URL('../../../src/engine.js', import.meta.url));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A host started by hand, and the first line it prints. */
async function startByHand(args: readonly string[]) {
  const child = spawn(process.execPath, [engineProgram, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
    });
  }
  await until(() => output.includes('\n') || child.exitCode !== null);
  return { child, line: () => output };
}

const ownerOf = (path: string): number => JSON.parse(readFileSync(join(path, 'sluice.lock'), 'utf8')).pid;

test('the engine applies the settings of its allocator on machines with few processors', async (t) => {
  const { JE_MALLOC_CONF: conf = '' } = hostEnvironment(4, 2);
  t.deepEqual(hostEnvironment(4, 3), { ...process.env, UV_THREADPOOL_SIZE: '8' });
  process.env.JE_MALLOC_CONF = conf;
  const { endpoint, end } = await startEngine();
  t.teardown(end);
  delete process.env.JE_MALLOC_CONF;
  const client = new EngineClient({ ...endpoint });
  t.teardown(() => client.close());
  const stats = String(await client.rows('SELECT stats FROM system.jemalloc_stats'));
  t.regex(stats, /opt\.narenas: 1\n/);
  t.regex(stats, /opt\.percpu_arena: "disabled"\n/);
});

test('a killed engine restarts with all acknowledged rows', async (t) => {
  const { supervisor, endpoint, end } = await startEngine();
  t.teardown(end);
  const states: string[] = [];
  supervisor.onState((state) => states.push(state));
  const client = new EngineClient({ ...endpoint });
  t.teardown(() => client.close());
  await client.exec('CREATE TABLE kept (a UInt64) ENGINE = MergeTree ORDER BY a');
  let answered = 0;
  for (let i = 0; i < 20; i++) {
    const rows = BigUint64Array.from({ length: 1000 }, (_, row) => BigInt(i * 1000 + row));
    const head = Buffer.from([1, 0xe8, 0x07, 1, 0x61, 6, ...Buffer.from('UInt64')]);
    await client.insert({ table: 'kept', format: 'Native' }, Buffer.concat([head, new Uint8Array(rows.buffer)]));
    answered += 1000;
  }
  const killed = supervisor.pid ?? 0;
  process.kill(killed, 'SIGKILL');
  t.true(await until(() => states.length === 4));
  t.not(supervisor.pid, killed);
  t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM kept'), [[answered]]);
  t.deepEqual(states, ['up', 'down', 'starting', 'up']);
  // The one that was started anew tells of the catalogue as the first one did.
  const notified: number[] = [];
  supervisor.onLogChange((entries) => notified.push(entries));
  await client.exec('CREATE DATABASE sluice');
  await client.exec('CREATE TABLE sluice.catalogue (entry String) ENGINE = MergeTree ORDER BY tuple()');
  await client.exec("INSERT INTO sluice.catalogue SELECT 'one'");
  t.true(await until(() => notified.at(-1) === 1));
});

test('every table syncs inserts and merges to the disk, unless the setting leaves that to the system', async (t) => {
  for (const sync of [true, false]) {
    const { endpoint, end } = await startEngine({ sync });
    t.teardown(end);
    const client = new EngineClient({ ...endpoint });
    t.teardown(() => client.close());
    const names = ['fsync_after_insert', 'fsync_part_directory', 'min_rows_to_fsync_after_merge'];
    const list = names.map((name) => `'${name}'`).join(', ');
    const settings = `SELECT name, value FROM system.merge_tree_settings WHERE name IN (${list}) ORDER BY name`;
    t.deepEqual(
      await client.rows(settings),
      names.map((name) => [name, sync ? '1' : '0']),
    );
  }
});

test('the backoff between restarts stays short', (t) => {
  const pauses = Array.from({ length: 8 }, (_, restarts) => restartDelayMs(restarts));
  t.deepEqual(pauses, [0, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
});

test('a data directory in use fails the first start with one line that names the owner', async (t) => {
  const { path, supervisor, end } = await startEngine();
  t.teardown(end);
  const second = new EngineSupervisor({ path, port: 0, sessions: 2, log: silentLog });
  const error = await t.throwsAsync(second.start());
  t.regex(error?.message ?? '', new RegExp(`in use by process ${supervisor.pid} \\(port \\d+, since 20`));
  await second.stop();
  const { child, line } = await startByHand(['--path', path, '--port', '0']);
  if (child.exitCode === null) await once(child, 'exit');
  t.is(child.exitCode, 1);
  t.is(line().trim().split('\n').length, 1);
});

test('a port in use fails the start with one line', async (t) => {
  const { endpoint, end } = await startEngine();
  t.teardown(end);
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const { child, line } = await startByHand(['--path', path, '--port', new URL(endpoint.url).port]);
  if (child.exitCode === null) await once(child, 'exit');
  t.is(child.exitCode, 1);
  t.regex(line(), /^sluice-engine: Cannot listen on 127\.0\.0\.1 port \d+: it is in use\.\n$/);
  t.false(existsSync(join(path, 'sluice.lock')));
});

test('a host started by hand ends cleanly on SIGTERM, after its running statements', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const { child, line } = await startByHand(['--path', path, '--port', '0']);
  const url = /http:\S+\d/.exec(line())?.[0] ?? '';
  const slow = fetch(url, { method: 'POST', body: 'SELECT sleep(2)' });
  const query =
    "SELECT count() FROM system.processes WHERE query LIKE '%sleep(2)%' AND query NOT LIKE '%system.processes%'";
  t.true(await until(async () => (await (await fetch(url, { method: 'POST', body: query })).text()) === '1\n'));
  child.kill('SIGTERM');
  t.is(await (await slow).text(), '0\n');
  if (child.exitCode === null) await once(child, 'exit');
  t.is(child.exitCode, 0);
  t.false(existsSync(join(path, 'sluice.lock')));
});

test('listening beyond loopback without a password is refused', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const { child, line } = await startByHand(['--path', path, '--port', '0', '--host', '0.0.0.0']);
  if (child.exitCode === null) await once(child, 'exit');
  t.is(child.exitCode, 1);
  t.regex(line(), /needs a password/);
});

test('the host goes down with a parent that is killed', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const { child } = await startByHand(['--path', path, '--port', '0']);
  const host = ownerOf(path);
  t.not(host, child.pid);
  t.true(isAlive(host));
  child.kill('SIGKILL');
  t.true(await until(() => !isAlive(host)));
  t.false(existsSync(join(path, 'sluice.lock')));
});

test('stop is safe before a start and twice, and leaves no process', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const never = new EngineSupervisor({ path, port: 0, log: silentLog });
  await never.stop();
  await never.stop();
  const { supervisor, end } = await startEngine();
  const pid = supervisor.pid ?? 0;
  await Promise.all([supervisor.stop(), supervisor.stop()]);
  t.false(isAlive(pid));
  t.is(supervisor.state, 'down');
  await end();
});
