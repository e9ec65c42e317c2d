import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { sharedService } from '../support/service/shared-service.js';
import { skipped } from '../support/skipped.js';

const { service, end } = await sharedService();
const folder = mkdtempSync(join(tmpdir(), 'connectors-'));
test.after.always(async () => {
  rmSync(folder, { recursive: true, force: true });
  await end();
});

const page = readFileSync(join(import.meta.dirname, '../../../docs/connectors.md'), 'utf8');

/** The blocks of a language on the page, with the port of the service. */
function blocksOf(language: string): string[] {
  const blocks = page.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'));
  return [...blocks].map(([, text = '']) => text.replaceAll('localhost:6041', `127.0.0.1:${service.port}`));
}

test.before(async () => {
  for (const statement of blocksOf('sql')[0]!.split(';\n')) if (statement.trim() !== '') await service.run(statement);
});

/** What a program prints; undefined where it is not there, or cannot be set up. */
async function output(command: string, ...rest: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, rest, { cwd: folder, timeout: 150_000 });
    return stdout;
  } catch (error) {
    if (error instanceof Error && 'stderr' in error) return undefined;
    throw error;
  }
}

async function program(t: ExecutionContext, command: string, ...rest: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(command, rest, { cwd: folder, timeout: 150_000 });
  t.log(stdout);
  return stdout.trim().split('\n');
}

test.serial('the connector for Go reads by database/sql', async (t) => {
  const module = 'github.com/taosdata/driver-go/v3@v3.7.8';
  await output('go', 'mod', 'init', 'example');
  if ((await output('go', 'get', module)) === undefined) return skipped(t, `go get ${module} does not work here`);
  writeFileSync(join(folder, 'main.go'), blocksOf('go')[0]!);
  await output('go', 'mod', 'tidy');
  t.deepEqual(await program(t, 'go', 'run', '.'), ['hall 221']);
});

test.serial('the connector for Java binds and reads by JDBC', async (t) => {
  const artifact = 'com.taosdata.jdbc:taos-jdbcdriver:3.7.8:jar:dist';
  const copied = await output('mvn', '-q', 'dependency:copy', `-Dartifact=${artifact}`, '-DoutputDirectory=.');
  if (copied === undefined) return skipped(t, `mvn cannot copy ${artifact} here`);
  writeFileSync(join(folder, 'Main.java'), blocksOf('java')[0]!);
  const path = `taos-jdbcdriver-3.7.8-dist.jar:.`;
  await program(t, 'javac', '-cp', path, 'Main.java');
  const lines = await program(t, 'java', '-cp', path, 'Main');
  t.deepEqual(lines.slice(-3), ['217', '218', '219']);
  t.deepEqual(await service.rows('SELECT DISTINCT place, floor FROM power.d3'), [['cellar', 0]]);
});

test.serial('the connector for Python, which is that for Rust, binds and reads', async (t) => {
  if ((await output('python3', '-m', 'venv', 'venv')) === undefined)
    return skipped(t, 'python3 cannot make a venv here');
  const python = join(folder, 'venv/bin/python');
  if ((await output(python, '-m', 'pip', '-q', 'install', 'taos-ws-py==0.7.0')) === undefined) {
    return skipped(t, 'pip cannot install taos-ws-py here');
  }
  t.deepEqual(await program(t, python, '-c', blocksOf('python')[0]!), ['(220,)', '(221,)', '2']);
  t.deepEqual(await service.rows('SELECT current, voltage, place, floor FROM power.d2 ORDER BY ts'), [
    [9.5, 218, 'attic', 3],
    [null, 219, 'attic', 3],
  ]);
});
