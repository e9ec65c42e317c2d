import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'ava';
import { temporaryDirectory } from '../support/engine/engine.js';
import { freePorts } from '../support/service/free-ports.js';
import { basic } from '../support/service/service.js';

const sources = join(import.meta.dirname, '../../src');
const adapter = join(sources, 'adapter.js');
const authorization = basic;

/** Another major version than most machines have, from the registry's `node` package. */
const other = process.versions.node.startsWith('24.') ? '22' : '24';

/** Arguments of npm that run the other Node. */
const command = ['exec', '--yes', `--package=node@${other}`, '--', 'node'];

test(`the built service runs on Node ${other}: a line is written and read back`, async (t) => {
  const [directory] = temporaryDirectory();
  const settings = [...freePorts, `--database.path=${directory}`];
  const print = 'console.log(JSON.stringify({ node: process.versions.node })); await import(process.argv[1]);';
  const program = ['--input-type=module', '--eval', print, adapter, ...settings];
  const service = spawn('npm', [...command, ...program], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  try {
    let version = '';
    let port = 0;
    for await (const line of createInterface({ input: service.stdout })) {
      const entry: { node?: string; port?: number; engine?: string } = JSON.parse(line);
      version = entry.node ?? version;
      if (entry.engine !== undefined && entry.port !== undefined) port = entry.port;
      if (port > 0) break;
    }
    t.true(version.startsWith(`${other}.`), version);
    const query = (path: string, body: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers: { authorization }, body });
    t.is((await query('/rest/sql', "CREATE DATABASE demo PRECISION 'ns'")).status, 200);
    t.is((await query('/lineproto/v1/write?db=demo', 'm,site=a v=1.5,n=7i 1700000000000000001')).status, 204);
    const answer: unknown = await (await query('/rest/sql/demo', 'SELECT _ts, v, n, site FROM m')).json();
    t.like(answer, { code: 0, rows: 1, data: [['2023-11-14T22:13:20.000000001Z', 1.5, 7, 'a']] });
  } finally {
    const ended = once(service, 'exit');
    process.kill(-service.pid!, 'SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
});

test(`what V8 is told is understood by this Node and by Node ${other}`, (t) => {
  const tell = `(await import(${JSON.stringify(join(sources, 'process/runtime-flags.js'))})).setRuntimeFlags()`;
  const program = ['--input-type=module', '--eval', tell];
  const runs = [spawnSync(process.execPath, program), spawnSync('npm', [...command, ...program])];
  for (const { status, stderr } of runs) {
    t.is(status, 0);
    t.notRegex(stderr.toString(), /unrecognized|illegal/);
  }
});
