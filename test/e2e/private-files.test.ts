import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { freePorts } from '../support/service/free-ports.js';
import { adapterProgram, directoryFor, run, sql } from '../support/service/processes.js';
import { until } from '../support/until.js';

test("data, logs and the record of statements are the user's own, and a configuration where it is started is not read", async (t) => {
  const home = directoryFor(t);
  const path = join(home, 'data');
  const logs = join(home, 'logs');
  mkdirSync(path);
  writeFileSync(join(home, 'config.xml'), '<clickhouse><broken>');
  const args = [...freePorts, `--log.path=${logs}`, '--database.path=data', '--log.enableRecordHttpSql=true'];
  const start = 'umask 000; cd "$0"; exec "$@"';
  const adapter = run(t, 'sh', ['-c', start, home, process.execPath, adapterProgram, ...args]);
  const port = (): number => Number(/"port":(\d+),"engine"/.exec(adapter.stdout())?.[1] ?? 0);
  t.true(await until(() => port() > 0 || adapter.child.exitCode !== null));
  t.not(port(), 0, adapter.stderr());
  t.is((await sql({ port: port() }, 'CREATE DATABASE d')).code, 0);
  t.true(await until(() => readdirSync(logs).some((name) => name.startsWith('httpsql'))));
  const open = [path, logs, ...filesIn(path), ...filesIn(logs)].filter((file) => (modeOf(file) & 0o007) !== 0);
  t.deepEqual(open, []);
  for (const file of filesIn(logs)) t.is(modeOf(file), 0o600, file);
  t.is(modeOf(logs), 0o700);
});

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
}

/** Rights of a file; those of one that is gone are none. */
function modeOf(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}
