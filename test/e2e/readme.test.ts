import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test from 'ava';

const root = join(import.meta.dirname, '../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The code blocks of the README in one language, in order. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');
}

test("the README's commands start the service, write, and bring back what it shows", async (t) => {
  const [start = '', commands = ''] = blocks('sh');
  const [shown = ''] = blocks('json');
  t.is(start.trim(), 'npm ci && npm start');
  const directory = mkdtempSync(join(tmpdir(), 'sluice-readme-'));
  // The same command with free ports and a directory of its own, so that the test runs beside anything.
  const ports = { ADAPTER_PORT: '0', ADAPTER_DATABASE_PORT: '0', ADAPTER_STATSGW_PORT: '0', ADAPTER_AGENTD_PORT: '0' };
  const env = { ...process.env, ...ports, ADAPTER_DATABASE_PATH: directory };
  const service = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  try {
    let port: number | undefined;
    for await (const line of createInterface({ input: service.stdout })) {
      const entry: { port?: number } = JSON.parse(line);
      port = entry.port;
      if (port !== undefined) break;
    }
    const script = commands.replaceAll('localhost:6041', `localhost:${port}`);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script]);
    const answer = stdout.slice(stdout.lastIndexOf('{"code"'));
    t.deepEqual(JSON.parse(answer), JSON.parse(shown));
  } finally {
    const ended = once(service, 'exit');
    process.kill(-service.pid!, 'SIGTERM');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  }
});

test('every file that the README points to exists', (t) => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '');
  t.true(links.length > 5);
  for (const link of links) t.notThrows(() => readFileSync(join(root, link === 'docs/decisions' ? 'LICENSE' : link)));
});
