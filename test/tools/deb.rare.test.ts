import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { release as version } from '../../src/model/version.js';
import { writeDeb } from '../../tools/deb.js';
import { freePort } from '../support/service/free-ports.js';
import { directoryFor } from '../support/service/processes.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

test('the Debian package holds a service that starts from where it is unpacked, and stops', async (t) => {
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) return skipped(t, 'the program `dpkg-deb` is not installed');
  const folder = directoryFor(t);
  const file = writeDeb(folder, 'none');
  const field = (name: string): string => execFileSync('dpkg-deb', ['-f', file, name], { encoding: 'utf8' }).trim();
  t.is(field('Version'), version);
  t.is(field('Depends'), 'nodejs (>= 20.19), adduser');
  t.true(Number(field('Installed-Size')) > 500_000);

  const root = join(folder, 'root');
  execFileSync('dpkg-deb', ['-R', file, root]);
  t.is(lstatSync(join(root, 'etc/sluice/adapter.toml')).mode & 0o777, 0o640);
  t.is(readFileSync(join(root, 'DEBIAN/conffiles'), 'utf8'), '/etc/sluice/adapter.toml\n');
  for (const script of ['postinst', 'prerm', 'postrm']) {
    t.is(spawnSync('sh', ['-n', join(root, 'DEBIAN', script)]).status, 0, script);
  }
  const program = readlinkSync(join(root, 'usr/bin/sluice'));
  const unit = readFileSync(join(root, 'lib/systemd/system/sluice.service'), 'utf8');
  t.true(unit.includes(`ExecStart=/usr/bin/node ${program} `));
  t.regex(
    unit,
    /^RuntimeDirectory=sluice\n.*\nEnvironment=XDG_RUNTIME_DIR=%t\/sluice$/m,
    'a backup finds the database',
  );
  t.false(existsSync(join(root, 'opt/sluice/node_modules/typescript')), 'what only tests need is left out');

  const [http, engine] = [await freePort(), await freePort()];
  const settings = { port: http, 'database.port': engine, 'agentd.enable': false, 'statsgw.enable': false };
  const places = { 'database.path': join(folder, 'data'), 'log.path': join(folder, 'log') };
  const flags = Object.entries({ ...settings, ...places }).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(join(root, program), flags, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  t.true(await until(() => said.includes('Sluice listens on'), 60_000), said);
  const page = await fetch(`http://127.0.0.1:${http}/`);
  t.is(page.status, 200);
  child.kill('SIGTERM');
  t.deepEqual(await once(child, 'exit'), [0, null]);
});
