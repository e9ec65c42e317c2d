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

interface Started {
  readonly port: number;
  readonly engine: string;
  /** Ports of the agents' listeners, in the order of starting. */
  readonly listens: readonly number[];
  /** Ends it as whoever started the command does, who knows no other process; false when something is left running. */
  stop(): Promise<boolean>;
}

/** `npm start` with these arguments; ready once it listens. */
async function npmStart(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Started> {
  const service = spawn('npm', ['start', '--silent', ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const output = createInterface({ input: service.stdout });
  // Whatever is left running holds it open.
  const closed = once(output, 'close');
  const listens: number[] = [];
  const stop = async (): Promise<boolean> => {
    let isWhole = true;
    service.kill('SIGTERM');
    const timer = setTimeout(() => {
      isWhole = false;
      process.kill(-service.pid!, 'SIGKILL');
    }, 30_000);
    await closed;
    clearTimeout(timer);
    return isWhole;
  };
  return new Promise((resolve, reject) => {
    output.on('line', (line) => {
      const { port, engine, listens: other }: { port?: number; engine?: string; listens?: number } = JSON.parse(line);
      if (other !== undefined) listens.push(other);
      if (port !== undefined && engine !== undefined) resolve({ port, engine, listens, stop });
    });
    output.once('close', () => reject(new Error('The service ended before it listened.')));
  });
}

test("the README's commands start the service, write, and bring back what it shows", async (t) => {
  const [start = '', commands = ''] = blocks('sh');
  const [shown = ''] = blocks('json');
  t.is(start.trim(), 'npm ci && npm start');
  const directory = mkdtempSync(join(tmpdir(), 'sluice-readme-'));
  // The same command with free ports and a directory of its own, so that the test runs beside anything.
  const ports = { ADAPTER_PORT: '0', ADAPTER_DATABASE_PORT: '0', ADAPTER_STATSGW_PORT: '0', ADAPTER_AGENTD_PORT: '0' };
  const place = { ADAPTER_DATABASE_PATH: directory, ADAPTER_DATABASE_PASSWORD: 'secret' };
  const service = await npmStart([], { ...ports, ...place });
  t.teardown(async () => {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const answered = async (script: string, port: number): Promise<unknown> => {
    const there = script.replaceAll('localhost:6041', `localhost:${port}`);
    const { stdout } = await promisify(execFile)('bash', ['-euc', there]);
    return JSON.parse(stdout.slice(stdout.lastIndexOf('{"code"')));
  };
  t.deepEqual(await answered(commands, service.port), JSON.parse(shown));

  const [, attach = ''] = /`npm start -- ([^`]+cluster[^`]+)`/.exec(readme) ?? [];
  const flags = attach.replaceAll(/=7\d{3}\b/g, '=0').replace('http://127.0.0.1:6030', service.engine);
  // Without flags of its own the second one would listen for agents where the first does.
  const [agentd = 0, statsgw = 0] = service.listens;
  const taken = { ADAPTER_AGENTD_PORT: String(agentd), ADAPTER_STATSGW_PORT: String(statsgw) };
  const second = await npmStart(['--', ...flags.split(' ')], taken);
  t.teardown(second.stop);
  t.deepEqual(await answered(commands.slice(commands.lastIndexOf('curl')), second.port), JSON.parse(shown));
  t.true(await second.stop());
  t.true(await service.stop());
});

test('every file that the README points to exists', (t) => {
  const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '');
  t.true(links.length > 5);
  for (const link of links) t.notThrows(() => readFileSync(join(root, link === 'docs/decisions' ? 'LICENSE' : link)));
});
