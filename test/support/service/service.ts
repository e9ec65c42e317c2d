import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../engine/engine.js';
import { exactJson } from '../exact-json.js';
import { freeListeners } from './free-ports.js';

const program = fileURLToPath(new URL('../../../src/adapter.js', import.meta.url));

/** The user every database begins with. */
export const root = { user: 'root', password: 'taosdata' } as const;

/** The header of the Basic scheme. */
export function basicOf(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

export const basic = basicOf(root.user, root.password);

/** Log files of services under test. */
export const logPath = join(tmpdir(), 'sluice-test-logs');

/** The engine's secret, known so that a second service can join the first one's engine. */
export const engineSecret = 'e2e-secret';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  /** The body as it came. */
  readonly bytes: Buffer;
}

/** A request; `auth` false leaves out the credentials, a text replaces them. */
export interface RequestParts {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Iterable<Uint8Array | string>;
  readonly auth?: string | false;
}

/** What a statement is asked with besides its text. */
export interface SqlOptions {
  readonly database?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: string | false;
}

/** The body of `/rest/sql`; integers that a JavaScript number cannot hold are texts of digits. */
export interface SqlBody {
  readonly code: number;
  readonly desc?: string;
  readonly column_meta: readonly (readonly [name: string, type: string, length: number])[];
  readonly data: readonly (readonly unknown[])[];
  readonly rows: number;
}

export interface SqlReply extends Reply {
  readonly body: SqlBody;
}

/** The service as a process of its own, over its sockets. */
export class TestService {
  readonly port: number;
  readonly engineUrl: string;
  readonly path: string | undefined;
  /** Ports of the agents' listeners, by the database they write to. */
  readonly listeners: ReadonlyMap<string, number>;
  /** What the service has logged, one JSON text a line. */
  readonly log: readonly string[];
  readonly #process: ChildProcess;
  readonly #database: readonly string[];
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  constructor(child: ChildProcess, { port, engine, listeners, log }: Listening, path?: string, cluster?: TestDatabase) {
    this.#database = cluster?.settings ?? ['--database.mode=cluster', `--database.urls=${engine}`, password];
    this.#process = child;
    this.listeners = listeners;
    this.log = log;
    this.port = port;
    this.engineUrl = engine;
    this.path = path;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Sends one request and reads the whole answer. */
  async request({ method = 'POST', path, headers = {}, body = '', auth = basic }: RequestParts): Promise<Reply> {
    const response = await this.open({ method, path, headers, body, auth });
    const bytes = await buffer(response);
    return { status: response.statusCode ?? 0, headers: response.headers, text: bytes.toString(), bytes };
  }

  /** Sends one request; the answer's body is left to be read. */
  open(
    { method = 'POST', path, headers = {}, body = '', auth = basic }: RequestParts,
    isAgain = false,
  ): Promise<http.IncomingMessage> {
    const sent = auth === false ? headers : { authorization: auth, ...headers };
    const whole = typeof body === 'string' || body instanceof Uint8Array;
    const length = whole ? { 'content-length': Buffer.byteLength(body) } : {};
    return new Promise((resolve, reject) => {
      const request = http.request(
        { port: this.port, host: '127.0.0.1', method, path, headers: { ...length, ...sent }, agent: this.#agent },
        resolve,
      );
      request.once('error', (error: NodeJS.ErrnoException) => {
        // The service closes connections that were idle for long; on a busy machine a request may be on its way into one.
        if (whole && request.reusedSocket && error.code === 'ECONNRESET' && !isAgain) {
          this.open({ method, path, headers, body, auth }, true).then(resolve, reject);
        } else reject(error);
      });
      if (whole) request.end(body);
      else {
        for (const piece of body) request.write(piece);
        request.end();
      }
    });
  }

  /** Runs one statement. */
  async sql(statement: string | Uint8Array, options: SqlOptions = {}): Promise<SqlReply> {
    const { database, query = {}, headers = {}, auth = basic } = options;
    const path = `/rest/sql${database === undefined ? '' : `/${encodeURIComponent(database)}`}${queryText(query)}`;
    const reply = await this.request({ path, headers, body: statement, auth });
    const body: SqlBody = exactJson(reply.text);
    return { ...reply, body };
  }

  /** Rows of a query that must succeed. */
  async rows(statement: string, options: SqlOptions = {}): Promise<readonly (readonly unknown[])[]> {
    const { body, text: raw } = await this.sql(statement, options);
    if (body.code !== 0) throw new Error(`${statement}\n${raw}`);
    return body.data;
  }

  /** Affected rows of a statement that must succeed. */
  async run(statement: string | Uint8Array, options: SqlOptions = {}): Promise<unknown> {
    const { body, text: raw } = await this.sql(statement, options);
    if (body.code !== 0) throw new Error(`${String(statement).slice(0, 500)}\n${raw}`);
    return body.data[0]?.[0];
  }

  /** The wire code of a statement's answer. */
  async code(statement: string, options: SqlOptions = {}): Promise<number> {
    return (await this.sql(statement, options)).body.code;
  }

  /** Writes lines; `query` holds db, precision and so on. */
  write(
    lines: RequestParts['body'],
    query: Readonly<Record<string, string>>,
    more: Omit<Partial<RequestParts>, 'path'> = {},
  ): Promise<Reply> {
    return this.request({ path: `/lineproto/v1/write${queryText(query)}`, body: lines ?? '', ...more });
  }

  /**
   * Starts a second service on this one's engine, with other settings. What it answers is stored, so that the first one
   * reads it at once; its log lies in this one's directory.
   */
  attach(...settings: readonly string[]): Promise<TestService> {
    const wal = this.path === undefined ? [] : [`--wal.path=${this.path}/wal`];
    return launch([...this.#database, '--write.ack=stored', ...wal, ...settings], undefined);
  }

  /** Memory of the service's process, or of another one, in bytes: now, or the most it ever had. */
  memory(which: 'VmRSS' | 'VmHWM', pid: number = this.pid): number {
    const line = new RegExp(`${which}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(line?.[1]) * 1024;
  }

  /** Lets `VmHWM` begin again at the memory of now. */
  forgetMostMemory(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  /** The process of the engine that this service runs. */
  enginePid(): number {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim();
    return Number(children.split(' ')[0]);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(timer);
  }
}

interface Listening {
  readonly port: number;
  readonly engine: string;
  readonly listeners: ReadonlyMap<string, number>;
  readonly log: readonly string[];
}

/** A database that runs apart from the services, and what a service is started with to work on it. */
export interface TestDatabase {
  readonly settings: readonly string[];
  end(): Promise<void>;
}

let elsewhere: (() => Promise<TestDatabase>) | undefined;

/** Lets {@link startService} start services on such a database, instead of the embedded one. */
export function useDatabase(start: () => Promise<TestDatabase>): void {
  elsewhere = start;
}

/** A service on an empty directory and free ports; `end` stops it and removes its data. */
export async function startService(
  ...settings: readonly string[]
): Promise<{ service: TestService; end: () => Promise<void> }> {
  const [path, remove] = temporaryDirectory();
  const database = await elsewhere?.();
  const service =
    database === undefined
      ? await launch([`--database.path=${path}`, '--database.port=0', password, ...settings], path)
      : await launch([...database.settings, `--wal.path=${path}/own-wal`, ...settings], path, database);
  const end = async (): Promise<void> => {
    await service.stop();
    await database?.end();
    remove();
  };
  return { service, end };
}

const password = `--database.password=${engineSecret}`;

async function launch(
  settings: readonly string[],
  path: string | undefined,
  database?: TestDatabase,
): Promise<TestService> {
  const own = [`--log.path=${logPath}`, '--port=0', ...freeListeners];
  const args = [program, ...own, ...settings];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  // Tests that end in the middle leave no service behind; the engine goes with its service.
  process.once('exit', () => child.kill('SIGKILL'));
  const lines: string[] = [];
  const listeners = new Map<string, number>();
  const output = createInterface({ input: child.stdout });
  child.stderr.setEncoding('utf8').on('data', (said: string) => lines.push(said));
  const listening = await new Promise<Listening>((resolve, reject) => {
    output.on('line', (line) => {
      lines.push(line);
      const said: { port?: number; engine?: string; listens?: number; database?: string } = JSON.parse(line);
      const { port, engine, listens, database } = said;
      if (listens !== undefined && database !== undefined) listeners.set(database, listens);
      if (port !== undefined && engine !== undefined) resolve({ port, engine, listeners, log: lines });
    });
    child.once('exit', () => reject(new Error(`The service ended before it listened:\n${lines.join('\n')}`)));
  });
  return new TestService(child, listening, path, database);
}

function queryText(query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}

/** Sends bytes over a plain socket, which stays open, and returns everything that comes until the other end closes. */
export async function askRaw(port: number, bytes: Uint8Array): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}
