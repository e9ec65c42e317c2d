import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
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
const programs = { sluice: 'adapter.js', 'sluice-bench': 'bench.js' };
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Makes a Debian package of the built repository and the packages in node_modules that it needs, and gives its path. `compression` is one
 * of `dpkg-deb`: gzip is a quarter of the size of none, and takes a minute. Throws when a program that it runs fails.
 */
export function writeDeb(folder: string, compression: 'gzip' | 'none' = 'gzip'): string {
  const architecture = architectures[process.arch];
  if (architecture === undefined) throw new Error(`There is no Debian package for ${process.arch}.`);
  const tree = mkdtempSync(join(tmpdir(), 'sluice-deb-'));
  try {
    copyProgram(tree);
    installFile(tree, 'packaging/sluice.service', 'lib/systemd/system/sluice.service', 0o644);
    installFile(tree, 'packaging/adapter.toml', 'etc/sluice/adapter.toml', 0o640);
    writeControl(tree, architecture);
    const file = join(folder, `sluice_${version}_${architecture}.deb`);
    mkdirSync(folder, { recursive: true });
    execFileSync('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', tree, file], { stdio: 'pipe' });
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function copyProgram(tree: string): void {
  const target = join(tree, home);
  const tests = /\.d\.ts$|\.map$/;
  for (const part of parts) {
    cpSync(join(root, part), join(target, part), { recursive: true, filter: (path) => !tests.test(path) });
  }
  for (const path of neededPackages()) cpSync(path, join(target, relative(root, path)), { recursive: true });
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  for (const [name, program] of Object.entries(programs)) {
    chmodSync(join(target, 'build/src', program), 0o755);
    symlinkSync(`/${home}/build/src/${program}`, join(tree, 'usr/bin', name));
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

function writeControl(tree: string, architecture: string): void {
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
}
