import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { freeListeners, freePorts } from '../support/service/free-ports.js';
import {
  adapterProgram,
  childrenOf,
  directoryFor,
  enginePid,
  engineProgram,
  isAlive,
  run,
  startAdapter,
  startEngineHost,
} from '../support/service/processes.js';
import { until } from '../support/until.js';

/** How a start must fail. */
interface Expected {
  /** 2 for a mistake on the command line, 1 for everything else. */
  readonly code: 1 | 2;
  /** The one line on the error output. */
  readonly line: RegExp;
}

/** Starts the adapter and sees that it fails with one line, no stack trace, and leaves nothing running. */
async function fails(t: ExecutionContext, args: readonly string[], { code, line }: Expected): Promise<void> {
  const program = run(t, process.execPath, [adapterProgram, ...args]);
  const children = new Set<number>();
  const watch = setInterval(() => {
    for (const child of childrenOf(program.pid)) children.add(child);
  }, 20);
  const ending = await program.ended;
  clearInterval(watch);
  const context = `${args.join(' ')}\n${program.stderr()}`;
  t.deepEqual(ending, { code, signal: null }, context);
  t.regex(program.stderr(), line, context);
  t.regex(program.stderr(), /^sluice: [^\n]+\n$/, context);
  t.notRegex(program.stderr() + program.stdout(), /\n? {4}at |"stack"/, context);
  t.true(await until(() => ![...children].some(isAlive), 3_000), `nothing is left running: ${context}`);
}

/** A port that something else listens on. */
async function takenPort(t: ExecutionContext): Promise<number> {
  const server = createServer();
  server.listen(0, '::');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('all ports in use are named at once, before anything is started', async (t) => {
  const port = await takenPort(t);
  const data = `--database.path=${directoryFor(t)}`;
  const [other, lines, calls] = [await takenPort(t), await takenPort(t), await takenPort(t)];
  const taken = [
    `TCP \\*:${port} is in use \\(--port\\)`,
    `TCP 127\\.0\\.0\\.1:${other} is in use \\(--database\\.port\\)`,
    `TCP \\*:${lines} is in use \\(--graphite\\.port\\)`,
    `TCP \\*:${calls} is in use \\(--otlp\\.grpcPort\\)`,
  ];
  const line = new RegExp(
    `^sluice: ${taken.join(', ')}: .* stop what listens there: process ${process.pid} \\(\\w.*\\)\\.`,
  );
  const ports = [`--port=${port}`, `--database.port=${other}`, `--graphite.port=${lines}`, `--otlp.grpcPort=${calls}`];
  const inputs = ['--graphite.enable=true', '--graphite.protocols=tcp', '--otlp.grpc=true'];
  await fails(t, [...freePorts, ...inputs, ...ports, data], { code: 1, line });
});

test('a port in use by a Sluice names its process and its data directory, and each port that others hold', async (t) => {
  const [path, data] = [directoryFor(t), `--database.path=${directoryFor(t)}`];
  const holder = await startAdapter(t, [`--database.path=${path}`]);
  const ports = [`--port=${holder.port}`, `--database.port=${new URL(holder.engineUrl).port}`];
  const sluice = `process ${holder.pid}, a Sluice with the data directory ${path}`;
  const alone = new RegExp(`, or stop what listens there: ${sluice}\\.\n$`);
  await fails(t, [...freePorts, ...ports, data], { code: 1, line: alone });
  const lines = await takenPort(t);
  const more = ['--graphite.enable=true', '--graphite.protocols=tcp', `--graphite.port=${lines}`];
  const both = new RegExp(
    `: ${sluice} \\(${ports.map((flag) => flag.split('=')[1]).join(', ')}\\); process ${process.pid} \\(\\w.*\\) \\(${lines}\\)\\.\n$`,
  );
  await fails(t, [...freePorts, ...ports, ...more, data], { code: 1, line: both });
});

test('an error at the start is printed once, and is in the log file', async (t) => {
  const [port, logs] = [await takenPort(t), directoryFor(t)];
  const data = `--database.path=${directoryFor(t)}`;
  const program = run(t, process.execPath, [
    adapterProgram,
    ...freePorts,
    `--port=${port}`,
    `--log.path=${logs}`,
    data,
  ]);
  t.like(await program.ended, { code: 1 });
  t.is((program.stdout() + program.stderr()).split('is in use').length, 2);
  t.regex(
    readFileSync(join(logs, readdirSync(logs)[0] ?? ''), 'utf8'),
    /"level":"error".*is in use.*"Sluice cannot start\."/,
  );
});

test('a data directory in use names its holder', async (t) => {
  const path = directoryFor(t);
  const holder = await startAdapter(t, [`--database.path=${path}`]);
  const line = new RegExp(`${path} is in use by process ${enginePid(holder)} \\(port \\d+, since 2.*\\)`);
  await fails(t, [...freePorts, `--database.path=${path}`], { code: 1, line });
  t.true(isAlive(holder.pid));
});

// Everything else that is wrong with a path, a file of settings or a flag is a case of `database/host/lock` and of `config`.
test('a data path that lies in a file ends the start', async (t) => {
  const file = join(directoryFor(t), 'file');
  writeFileSync(file, '');
  const args = [...freePorts, `--database.path=${join(file, 'sub')}`];
  await fails(t, args, { code: 1, line: /sub cannot be made: a part of it is a file/ });
});

test('a log path that lies in a file or cannot be made ends the start', async (t) => {
  const file = join(directoryFor(t), 'file');
  writeFileSync(file, '');
  for (const path of [file, '/proc/nope/deeper']) {
    await fails(t, [...freePorts, `--log.path=${path}`], {
      code: 1,
      line: new RegExp(`log.path ${path} cannot be used: `),
    });
  }
});

test('a configuration file that is not TOML, or has wrong values, ends the start', async (t) => {
  const directory = directoryFor(t);
  const written = (name: string, text: string): string[] => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return ['--database.port=0', ...freeListeners, `--database.path=${directory}/data`, '-c', path];
  };
  await fails(t, written('broken.toml', 'port = 1\na = [\n'), { code: 1, line: /broken\.toml: line \d, column \d/ });
  await fails(t, written('type.toml', 'port = "abc"\n'), { code: 1, line: /port: the text "abc" from .*type\.toml/ });
});

test('a rule of events whose query cannot be read ends the start', async (t) => {
  const directory = directoryFor(t);
  const rules = join(directory, 'rules.toml');
  writeFileSync(rules, '[[events.rules]]\nname = "odd"\ndatabase = "d"\nsql = "SELECT a,, FROM t"\n');
  await fails(t, [...freePorts, `--database.path=${directory}/data`, '-c', rules], {
    code: 1,
    line: /events rule "odd" cannot be read: syntax error near ", FROM t"/,
  });
});

test('a mistake on the command line ends with exit code 2', async (t) => {
  await fails(t, ['--nosuch=1'], { code: 2, line: /Unknown flag --nosuch/ });
  await fails(t, ['extra'], { code: 2, line: /Argument 1/ });
});

test('a database that does not answer or refuses the password ends the start', async (t) => {
  const cluster = ['--port=0', ...freeListeners, '--database.mode=cluster'];
  await fails(t, [...cluster, '--database.urls=http://127.0.0.1:1'], { code: 1, line: /ECONNREFUSED 127\.0\.0\.1:1/ });
  const nodes = '--database.urls=http://127.0.0.1:1,http://127.0.0.1:2';
  await fails(t, [...cluster, nodes, '--database.cluster=c'], { code: 1, line: /No node of the cluster answers at/ });
  const engine = await startEngineHost(t, [`--path=${directoryFor(t)}`, '--password=right']);
  const wrong = [...cluster, `--database.urls=${engine.engineUrl}`, '--database.password=wrong'];
  await fails(t, wrong, { code: 1, line: /[Aa]uthentication failed/ });
});

test('the engine host fails with one line of its own', async (t) => {
  const port = await takenPort(t);
  const path = directoryFor(t);
  const failures = [
    [['--port=0', '--host=0.0.0.0', `--path=${path}`], 1, /needs a password/],
    [[`--port=${port}`, `--path=${path}`], 1, /it is in use/],
    [['--nosuch'], 2, /unrecognized option/],
    [['--port=x'], 2, /takes a whole number/],
  ] as const;
  for (const [args, code, line] of failures) {
    const program = run(t, process.execPath, [engineProgram, ...args]);
    t.deepEqual(await program.ended, { code, signal: null });
    t.regex(program.stderr(), line);
    t.regex(program.stderr(), /^[^\n]+\n$/);
  }
});
