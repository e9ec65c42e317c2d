import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// The product's commands as documents show them, each with the ports of the tests: `document-command.js <command> <argument>…`.
// Commands that start the service end well once it listens and has stopped again.

const source = (name: string): string => fileURLToPath(new URL(`../../../src/${name}`, import.meta.url));
const repository = fileURLToPath(new URL('../../../../', import.meta.url));
/** Documents show more rows per sub-table than a test needs. */
const fewerRows = 10;
const { DOCUMENT_PORT = '', DOCUMENT_ENGINE_PORT = '', DOCUMENT_SECRET = '' } = process.env;
/** As long as a start may take on a busy machine. */
const patienceMs = 120_000;

process.exitCode = await run(process.argv.slice(2));

async function run([name = '', ...args]: readonly string[]): Promise<number> {
  if (name === 'npm') {
    const [script = '', dashes, ...rest] = args;
    if (script === 'ci') return 0;
    if (script === 'start' && isCommand(rest)) return run(['sluice', ...rest]);
    if (script === 'run' && dashes === 'sluice-bench') return run([dashes, ...rest.slice(1)]);
    return started('npm', [script, '--silent', ...args.slice(1)], repository);
  }
  if (name === 'sluice-bench') return ended(source('bench.js'), loadArguments(args));
  if (!isCommand(args)) return started(process.execPath, [source('adapter.js'), ...args], process.cwd());
  const service = [`--database.port=${DOCUMENT_ENGINE_PORT}`, `--database.password=${DOCUMENT_SECRET}`];
  return ended(source('adapter.js'), args[0] === 'backup' ? [...args, ...service] : args);
}

/** Whether the service's program does something else than to serve: a command, its help, its version. */
function isCommand([first = '']: readonly string[]): boolean {
  return !/^-|^$/.test(first) || /^-[hV]|^--(help|version)/.test(first);
}

/** The arguments of the load tool with a port, which documents leave out, and with fewer rows. */
function loadArguments(shown: readonly string[]): string[] {
  const args = shown.map((argument, at) => (shown[at - 1] === '-n' ? String(Number(argument) / fewerRows) : argument));
  const at = args.findIndex((argument) => argument === '-f' || argument === '--file');
  if (at >= 0) {
    const content: { port?: number } = JSON.parse(readFileSync(args[at + 1] ?? '', 'utf8'));
    const port = Number(content.port === undefined ? DOCUMENT_ENGINE_PORT : DOCUMENT_PORT);
    writeFileSync('with-port.json', JSON.stringify({ ...content, host: '127.0.0.1', port }));
    return args.with(at + 1, 'with-port.json');
  }
  if (args.includes('-h') || args.includes('-P') || args.includes('-?')) return args;
  const mode = args[args.indexOf('-I') + 1];
  return ['-P', mode === 'rest' || mode === 'sml-rest' ? DOCUMENT_PORT : DOCUMENT_ENGINE_PORT, ...args];
}

/** Runs one of the programs to its end. */
async function ended(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' });
  await once(child, 'exit');
  return child.exitCode ?? 1;
}

/** Starts a service, and stops it as whoever started it does, once it listens; 1 when it leaves something running or does not listen. */
async function started(program: string, args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const output = createInterface({ input: child.stdout });
  // Whatever is left running holds it open.
  const closed = once(output, 'close');
  let listens = false;
  let isWhole = true;
  const timer = setTimeout(() => {
    isWhole = false;
    process.kill(-child.pid!, 'SIGKILL');
  }, patienceMs);
  output.on('line', (line) => {
    if (listens || !/"port":\d+,"engine":/.test(line)) return;
    listens = true;
    child.kill('SIGTERM');
  });
  await closed;
  clearTimeout(timer);
  return listens && isWhole ? 0 : 1;
}
