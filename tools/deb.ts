import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { release as version } from '../src/model/version.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const home = 'opt/sluice';
/** What the package holds of the repository, beside the packages that it needs. */
export const parts = [
  'build/src',
  'docs',
  'examples',
  'packaging',
  'page',
  'package.json',
  'LICENSE',
  'CHANGELOG.md',
  'README.md',
];
/** The Node that the package brings, which is the one that makes it. */
const node = `${home}/bin/node`;
const programs = { sluice: 'adapter.js', 'sluice-bench': 'bench.js' };
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** Time between two lines about a compression that goes on, in milliseconds. */
const progressMs = 10_000;

/**
 * Makes a Debian package of the built repository, of the packages in node_modules that it needs, and of the Node that runs
 * this; resolves with its path. `say` gets a line about each step. `compression` is one of `dpkg-deb`: gzip is a quarter
 * of the size of none, and takes a minute. Rejects when a program that it runs fails, and when this Node needs libraries
 * that other systems do not have.
 */
export async function writeDeb(
  folder: string,
  say: (line: string) => void,
  compression: 'gzip' | 'none' = 'gzip',
): Promise<string> {
  const architecture = architectures[process.arch];
  if (architecture === undefined) throw new Error(`There is no Debian package for ${process.arch}.`);
  const shared = sharedLibraries(process.config.variables);
  if (shared.length > 0) {
    throw new Error(
      `Node ${process.version} at ${process.execPath} uses ${shared.join(', ')} of this system, which others lack: ` +
        'make the package with the Node of nodejs.org.',
    );
  }
  const tree = mkdtempSync(join(tmpdir(), 'sluice-deb-'));
  try {
    copyProgram(tree, say);
    installFile(tree, 'packaging/sluice.service', 'lib/systemd/system/sluice.service', 0o644);
    installFile(tree, 'packaging/adapter.toml', 'etc/sluice/adapter.toml', 0o640);
    const megabytes = writeControl(tree, architecture);
    const file = join(folder, `sluice_${version}_${architecture}.deb`);
    mkdirSync(folder, { recursive: true });
    say(`Packing ${megabytes} MB, ${compression === 'none' ? 'not compressed' : 'which takes a minute or more'}.`);
    await pack(tree, file, compression, say);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Parts of Node that a build takes from libraries of its system, by the variables of the build. */
export function sharedLibraries(variables: object): readonly string[] {
  const names = Object.entries(variables).flatMap(([name, value]) => (value === true ? [name] : []));
  return names.flatMap((name) => /^node_shared(?:_(\w+))?$/.exec(name)?.map((part) => part ?? 'libnode')[1] ?? []);
}

async function pack(tree: string, file: string, compression: string, say: (line: string) => void): Promise<void> {
  const began = performance.now();
  const timer = setInterval(() => say(`Packing for ${Math.round((performance.now() - began) / 1000)} s.`), progressMs);
  try {
    const args = ['--root-owner-group', `-Z${compression}`, '--build', tree, file];
    await promisify(execFile)('dpkg-deb', args);
  } finally {
    clearInterval(timer);
  }
}

function copyProgram(tree: string, say: (line: string) => void): void {
  const target = join(tree, home);
  say(`Copying the program and Node ${process.version}.`);
  const tests = /\.d\.ts$|\.map$/;
  for (const part of parts) {
    cpSync(join(root, part), join(target, part), { recursive: true, filter: (path) => !tests.test(path) });
  }
  mkdirSync(join(target, 'bin'));
  cpSync(process.execPath, join(tree, node), { dereference: true });
  chmodSync(join(tree, node), 0o755);
  const packages = neededPackages();
  say(`Copying ${packages.length} packages.`);
  for (const path of packages) cpSync(path, join(target, relative(root, path)), { recursive: true });
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  for (const [name, program] of Object.entries(programs)) {
    const command = `#!/bin/sh\nexec /${node} /${home}/build/src/${program} "$@"\n`;
    writeFileSync(join(tree, 'usr/bin', name), command, { mode: 0o755 });
  }
}

/** Directories of the packages that the programs need, those within others left out. */
function neededPackages(): readonly string[] {
  const text = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root, encoding: 'utf8' });
  const paths = text.split('\n').filter((path) => path.includes('node_modules'));
  return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
}

function installFile(tree: string, from: string, to: string, mode: number): void {
  const path = join(tree, to);
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(root, from), path);
  chmodSync(path, mode);
}

/** Writes what dpkg reads about the package, and gives its installed size in MB. */
function writeControl(tree: string, architecture: string): number {
  const [kilobytes = ''] = execFileSync('du', ['-sk', tree], { encoding: 'utf8' }).split('\t');
  const values: Readonly<Record<string, string>> = { version, architecture, kilobytes };
  const text = readFileSync(join(root, 'packaging/deb/control'), 'utf8');
  for (const name of ['postinst', 'prerm', 'postrm'])
    installFile(tree, `packaging/deb/${name}`, `DEBIAN/${name}`, 0o755);
  writeFileSync(
    join(tree, 'DEBIAN/control'),
    text.replace(/@(\w+)@/g, (_, name) => values[name] ?? ''),
  );
  writeFileSync(join(tree, 'DEBIAN/conffiles'), '/etc/sluice/adapter.toml\n');
  return Math.round(Number(kilobytes) / 1024);
}
