import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { release as version } from '../../src/model/version.js';
import { sharedLibraries, writeDeb } from '../../tools/deb.js';
import { freePort } from '../support/service/free-ports.js';
import { directoryFor } from '../support/service/processes.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

/** Makes a directory with the programs of the system except Node, which the package must not need, and gives its path. */
function programsWithoutNode(folder: string): string {
  const path = join(folder, 'bin');
  mkdirSync(path);
  for (const name of readdirSync('/usr/bin'))
    if (!/^node/.test(name)) symlinkSync(`/usr/bin/${name}`, join(path, name));
  return path;
}

test('the Debian package brings its Node, and holds a service that starts from where it is unpacked, and stops', async (t) => {
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) return skipped(t, 'the program `dpkg-deb` is not installed');
  const folder = directoryFor(t);
  const lines: string[] = [];
  const file = await writeDeb(folder, (line) => lines.push(line), 'none');
  t.regex(
    lines.join('\n'),
    /^Copying the program and Node v.*\nCopying \d+ packages\.\nPacking \d+ MB, not compressed\./,
  );
  const field = (name: string): string => execFileSync('dpkg-deb', ['-f', file, name], { encoding: 'utf8' }).trim();
  t.is(field('Version'), version);
  t.is(field('Depends'), 'libc6 (>= 2.28), libstdc++6 (>= 8), adduser', 'no package of Node');
  t.true(Number(field('Installed-Size')) > 500_000);

  const root = join(folder, 'root');
  execFileSync('dpkg-deb', ['-R', file, root]);
  t.is(lstatSync(join(root, 'etc/sluice/adapter.toml')).mode & 0o777, 0o640);
  t.is(readFileSync(join(root, 'DEBIAN/conffiles'), 'utf8'), '/etc/sluice/adapter.toml\n');
  for (const script of ['postinst', 'prerm', 'postrm']) {
    t.is(spawnSync('sh', ['-n', join(root, 'DEBIAN', script)]).status, 0, script);
  }
  const command = /^#!\/bin\/sh\nexec (\/opt\/sluice\/bin\/node) (\/opt\/sluice\/build\/src\/adapter\.js) "\$@"\n$/;
  const [, node = '', program = ''] = command.exec(readFileSync(join(root, 'usr/bin/sluice'), 'utf8')) ?? [];
  t.is(lstatSync(join(root, 'usr/bin/sluice')).mode & 0o777, 0o755);
  t.is(execFileSync(join(root, node), ['--version'], { encoding: 'utf8' }).trim(), process.version);
  const unit = readFileSync(join(root, 'lib/systemd/system/sluice.service'), 'utf8');
  t.true(unit.includes(`ExecStart=${node} ${program} `));
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
  const env = { ...process.env, PATH: programsWithoutNode(folder) };
  const child = spawn(join(root, node), [join(root, program), ...flags], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  t.teardown(() => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  const hasEnded = () => child.exitCode !== null;
  t.true(await until(() => said.includes('Sluice listens on') || hasEnded(), 60_000), said);
  t.false(hasEnded(), said);
  const page = await fetch(`http://127.0.0.1:${http}/`);
  t.is(page.status, 200);
  const check = [join(root, 'opt/sluice/packaging/health-check.js')];
  const isHealthy = (port: number) =>
    promisify(execFile)(join(root, node), check, { env: { ...env, ADAPTER_PORT: String(port) } });
  await isHealthy(http);
  child.kill('SIGTERM');
  t.deepEqual(await once(child, 'exit'), [0, null]);
  await t.throwsAsync(isHealthy(http), { message: /Command failed/ });

  const target = join(folder, 'installed');
  const state = join(target, 'var/lib/dpkg');
  for (const path of ['info', 'updates']) mkdirSync(join(state, path), { recursive: true });
  writeFileSync(join(state, 'status'), '');
  // The scripts after the unpacking would make a user on this machine.
  const unpack = ['--root', target, '--force-not-root', '--force-depends', '--log=/dev/null', '--unpack', file];
  execFileSync('dpkg', unpack, { stdio: 'pipe' });
  t.regex(readFileSync(join(state, 'status'), 'utf8'), /^Package: sluice\nStatus: install ok unpacked$/m);
  t.deepEqual(readdirSync(join(target, 'usr/bin')).sort(), ['sluice', 'sluice-bench']);
});

test('a Node that uses libraries of its system is not packed', (t) => {
  t.deepEqual(sharedLibraries({ node_shared: true, node_shared_libuv: true, node_shared_zlib: false }), [
    'libnode',
    'libuv',
  ]);
  t.deepEqual(sharedLibraries(process.config.variables), []);
});
