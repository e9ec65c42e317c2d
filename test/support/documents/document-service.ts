import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import { parse } from 'smol-toml';
import { temporaryDirectory } from '../engine/engine.js';
import { engineSecret, startService, type TestService } from '../service/service.js';
import { clear } from '../service/shared-service.js';
import { comesTrue } from '../until.js';
import { type Block, blocksOf, isAsShown, isText, repository, runs, statementsIn } from './documents.js';

const execute = promisify(execFile);

/** An input that is off by default, or whose waiting would make the tests long. */
const settings = [
  '--statsgw.gatherInterval=500ms',
  '--tsdbwire_telnet.enable=true',
  '--tsdbwire_telnet.ports=0',
  '--tsdbwire_telnet.dbs=tsdb',
  '--tsdbwire_telnet.flushInterval=100ms',
  '--graphite.enable=true',
  '--graphite.port=0',
  '--graphite.protocols=tcp',
  '--lineproto_udp.enable=true',
  '--lineproto_udp.port=0',
  '--otlp.grpc=true',
  '--otlp.grpcPort=0',
];

/** The longest that a block of commands may take. */
const patienceMs = 600_000;

/** Environment of commands: a service that they start listens anywhere. */
const freeEnvironment = {
  ADAPTER_PORT: '0',
  ADAPTER_DATABASE_PORT: '0',
  ADAPTER_STATSGW_PORT: '0',
  ADAPTER_AGENTD_PORT: '0',
};

/**
 * Runs what pages show on one service: SQL, commands of a shell and of its own programs, scripts. A page has an empty directory,
 * and the databases and users that it makes are dropped at its end.
 */
export class DocumentWorld {
  readonly service: TestService;
  readonly #end: () => Promise<void>;
  readonly #directory: string;
  readonly #remove: () => void;
  /** Addresses that documents show, and those of the tests. */
  readonly #places: readonly (readonly [shown: RegExp, here: string])[];

  private constructor(service: TestService, end: () => Promise<void>) {
    this.service = service;
    this.#end = end;
    [this.#directory, this.#remove] = temporaryDirectory();
    const listener = (database: string): string => String(service.listeners.get(database));
    this.#places = [
      [/\bHOST\b/g, '127.0.0.1'],
      [/(?<![-.\d])6041\b/g, String(service.port)],
      [/(?<![-.\d])6030\b/g, new URL(service.engineUrl).port],
      [/(?<![-.\d])6044\b/g, listener('statsgw')],
      [/(?<![-.\d])6045\b/g, listener('agentd')],
      [/(?<![-.\d])6046\b/g, listener('tsdb')],
      [/(?<![-.\d])2003\b/g, listener('graphite')],
      [/(?<![-.\d])8089\b/g, listener('lineproto_udp')],
      [/(?<![-.\d])4317\b/g, listener('otlp')],
      [/password=secret\b/g, `password=${engineSecret}`],
      [/=7\d{3}\b/g, '=0'],
    ];
  }

  static async start(): Promise<DocumentWorld> {
    const { service, end } = await startService(...settings);
    return new DocumentWorld(service, end);
  }

  async end(): Promise<void> {
    await this.#end();
    this.#remove();
  }

  /** Runs the blocks of a page in their order; `t` fails at the first that does not give what the page shows. */
  async run(t: ExecutionContext, page: string): Promise<void> {
    const directory = this.#directoryOf(page);
    try {
      for (const block of blocksOf(page)) {
        if (runs(block)) await this.#block(t, block, directory);
      }
    } finally {
      await clear(this.service);
    }
  }

  async #block(t: ExecutionContext, block: Block, directory: string): Promise<void> {
    const { language, text, place } = block;
    if (language === 'sql') return this.#sql(t, block);
    if (language === 'sh')
      return this.#commands(t, block, directory, ['bash', '--norc', '-euo', 'pipefail', '-c', text]);
    if (language === 'js') return this.#commands(t, block, directory, ['node', '--input-type=module', '-e', text]);
    if (language === 'python') {
      const [, library = ''] = /^(?:from|import) (\w+)/m.exec(text) ?? [];
      for (const python of ['python3', '/usr/bin/python3']) {
        const { code } = await this.#execute(directory, [python, '-c', `import ${library}`]);
        if (code === 0) return this.#commands(t, block, directory, [python, '-c', text]);
      }
      return t.log(`skipped: ${place}, because python3 has no ${library} here (see .ci/install-agents)`);
    }
    if (language === 'json') t.notThrows(() => JSON.parse(text), place);
    else if (language === 'toml') t.notThrows(() => parse(text), place);
  }

  async #sql(t: ExecutionContext, { text, shown, place, database }: Block): Promise<void> {
    const options = database === undefined ? {} : { database };
    const statements = statementsIn(text);
    let answer = '';
    let rows: unknown;
    const request = async (statement: string): Promise<boolean> => {
      const reply = await this.service.sql(statement, options);
      answer = `${statement}\n${reply.text}`;
      rows = reply.body.data;
      return reply.body.code === 0;
    };
    const last = statements.pop() ?? '';
    for (const statement of statements) t.true(await request(statement), `${place}\n${answer}`);
    if (shown === undefined) {
      t.true(await request(last), `${place}\n${answer}`);
      return;
    }
    // Some inputs store a little later than they take.
    const expected: unknown = JSON.parse(shown.text);
    const came = await comesTrue(async () => (await request(last)) && isAsShown(rows, expected), 20_000);
    t.true(came, `${place}\n${answer}`);
  }

  async #commands(t: ExecutionContext, block: Block, directory: string, command: readonly string[]): Promise<void> {
    const { shown, place } = block;
    const { code, out, errors } = await this.#execute(directory, command);
    if (block.mark === 'refused') t.not(code, 0, `${place}\n${out}\n${errors}`);
    else t.is(code, 0, `${place}\n${out}\n${errors}`);
    if (shown?.language === 'text') t.true(isText(out.replaceAll('\r', ''), shown.text), `${place}\n${out}`);
    else if (shown !== undefined) {
      // The answer of the last request.
      const answer = out.slice(Math.max(0, out.lastIndexOf('{"code"')));
      t.true(isAsShown(JSON.parse(answer), JSON.parse(shown.text)), `${place}\n${out}`);
    }
  }

  async #execute(directory: string, [program = '', ...args]: readonly string[]) {
    const here = args.map((argument) => this.here(argument, directory));
    const env = {
      ...freeEnvironment,
      PATH: `${join(directory, 'bin')}:${process.env.PATH}`,
      HOME: directory,
      TMPDIR: process.env.TMPDIR ?? '/tmp',
      ADAPTER_LOG_PATH: join(directory, 'log'),
      ADAPTER_DATABASE_PATH: join(directory, 'data'),
      ADAPTER_WAL_PATH: join(directory, 'wal'),
      DOCUMENT_PORT: String(this.service.port),
      DOCUMENT_ENGINE_PORT: new URL(this.service.engineUrl).port,
      DOCUMENT_SECRET: engineSecret,
    };
    const options = { cwd: directory, env, maxBuffer: 64 << 20, timeout: patienceMs };
    const ended = await execute(program, here, options).catch((error: unknown) => error);
    const { code = 0, stdout = '', stderr = '' } = ended as { code?: number; stdout?: string; stderr?: string };
    return { code, out: stdout, errors: stderr };
  }

  /** A text with the addresses and directories of the tests. */
  here(text: string, directory = this.#directory): string {
    const placed = this.#places.reduce((changed, [shown, here]) => changed.replaceAll(shown, here), text);
    return placed.replaceAll(/(?<![\w.])\/(?:var|etc|srv)\/(?=\w)/g, `${directory}/`);
  }

  /** A directory for the commands of a page: the product's programs, examples and packages are at hand in it. */
  #directoryOf(page: string): string {
    const directory = join(this.#directory, page.replaceAll('/', '-'));
    mkdirSync(join(directory, 'bin'), { recursive: true });
    // A refused request fails its block, but for one that is marked as refused.
    writeFileSync(join(directory, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n');
    for (const name of ['sluice', 'sluice-bench', 'npm']) {
      const file = join(directory, 'bin', name);
      const program = join(import.meta.dirname, 'document-command.js');
      // The real npm must be found by what takes its place.
      const path = `PATH='${process.env.PATH}'`;
      writeFileSync(file, `#!/bin/sh\n${path} exec '${process.execPath}' '${program}' ${name} "$@"\n`);
      chmodSync(file, 0o755);
    }
    for (const name of ['examples', 'node_modules', 'docs']) symlinkSync(join(repository, name), join(directory, name));
    return directory;
  }
}
