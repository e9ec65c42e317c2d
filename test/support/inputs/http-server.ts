import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { BodyBudget } from '../../../src/async/body-budget.js';
import type { HandlerSettings, HttpObserver } from '../../../src/http/request/call.js';
import { createHttpServer, type HttpServer, type HttpTimeouts } from '../../../src/http/server.js';
import type { ComponentLog } from '../../../src/model/component.js';
import type { CorsSettings } from '../../../src/model/cors-settings.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import type {
  Credentials,
  EventAnswer,
  EventRequest,
  Exchange,
  GuardState,
  Identity,
  Intake,
  SeriesAnswer,
  SeriesRequest,
  SqlAnswer,
  SqlRequest,
  WriteRequest,
} from '../../../src/model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../../src/model/fault.js';
import type { TlsSettings } from '../../../src/model/tls-settings.js';

/** The one user of the little database behind the server under test. */
export const user = 'root';
export const password = 'pass:word';
export const basic = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** One line of a log, for tests that read it. */
export interface LogLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly fields: object;
  readonly message: string;
}

export function recordingLog(lines: LogLine[]): ComponentLog {
  return {
    error: (fields, message) => lines.push({ level: 'error', fields, message }),
    warn: (fields, message) => lines.push({ level: 'warn', fields, message }),
    info: (fields, message) => lines.push({ level: 'info', fields, message }),
    debug: (fields, message) => lines.push({ level: 'debug', fields, message }),
  };
}

export interface ServerOptions {
  readonly sql?: (exchange: Exchange<SqlRequest, SqlAnswer>) => void;
  readonly write?: (exchange: Exchange<WriteRequest, Delivery>) => void;
  readonly series?: (exchange: Exchange<SeriesRequest, SeriesAnswer>) => void;
  readonly events?: (exchange: Exchange<EventRequest, EventAnswer>) => void;
  readonly authenticate?: (credentials: Credentials) => Promise<Identity | Fault>;
  readonly mayStay?: Intake['mayStay'];
  readonly slowStatements?: Intake['slowStatements'];
  readonly desk?: Intake['eventsAdmin'];
  readonly guard?: () => GuardState;
  readonly replay?: Intake['replay'];
  readonly isDatabaseHung?: () => boolean;
  readonly refusedWrites?: Intake['refusedWrites'];
  readonly cluster?: Intake['cluster'];
  readonly settings?: Partial<HandlerSettings>;
  readonly cors?: Partial<CorsSettings>;
  readonly timeouts?: HttpTimeouts;
  readonly observer?: HttpObserver;
  readonly tls?: TlsSettings;
  /** The log takes no lines about each request, as with the level `info`. */
  readonly dropsDebug?: boolean;
}

export interface TestServer {
  readonly server: HttpServer;
  readonly port: number;
  readonly log: LogLine[];
}

/** True for the one known user. */
export function isKnown(credentials: Credentials): boolean {
  return credentials.scheme === 'password' && credentials.user === user && credentials.password === password;
}

export const wrongPassword = fault('auth', Codes.authenticationFailure, 'Authentication failure');

/** A result of the given lines, each chunk as it is. */
export function rows(...chunks: string[]): SqlAnswer {
  async function* lines() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  return { kind: 'rows', meta: [{ name: 'v', type: { name: 'INT', length: 4 } }], lines: lines() };
}

/** Takes everybody for somebody who is no administrator. */
const refuseAll = async () => fault('database', Codes.insufficientPrivilege, 'Insufficient privilege');
const refusingDesk: Intake['eventsAdmin'] = {
  rules: refuseAll,
  reload: refuseAll,
  tryRule: refuseAll,
  createRule: refuseAll,
  replaceRule: refuseAll,
  removeRule: refuseAll,
  silence: refuseAll,
  endSilence: refuseAll,
  notifications: refuseAll,
  testNotifications: refuseAll,
};

const noDocuments: Intake['documents'] = {
  list: refuseAll,
  get: refuseAll,
  create: refuseAll,
  replace: refuseAll,
  remove: refuseAll,
};

/** Databases whose writes {@link answering} refuses, and why. */
const refusals: Readonly<Record<string, Fault>> = {
  none: fault('database', Codes.databaseNotExist, 'Database not exist'),
  away: fault('network', Codes.networkUnavailable, 'no engine'),
  long: fault('parameter', Codes.statementTooLong, 'the body is longer'),
};

/** Answers every write in one way, but those to databases called `none`, `away` and `long`, and remembers what came. */
export function answering(seen: WriteRequest[], answer = delivered(1)): ServerOptions {
  return {
    write: (exchange) => {
      const { request } = exchange;
      seen.push(request);
      request.body.resume();
      const refusal = refusals[request.target.database];
      if (refusal !== undefined) exchange.refuse(refusal);
      else exchange.answer(answer);
    },
  };
}

function defaultIntake(options: ServerOptions): Intake {
  return {
    sql:
      options.sql ??
      ((exchange) => {
        if (!isKnown(exchange.request.credentials)) exchange.refuse(wrongPassword);
        else exchange.answer(rows('[1]\n'));
      }),
    write:
      options.write ??
      ((exchange) => {
        if (!isKnown(exchange.request.credentials)) exchange.refuse(wrongPassword);
        else {
          text(exchange.request.body).then(
            () => exchange.answer({ outcome: 'delivered', rows: 1, rejectedRows: 0, rejects: [] }),
            () => exchange.refuse(fault('database', Codes.free, 'body broke off')),
          );
        }
      }),
    subscribe: async () => {
      throw new FaultError(fault('database', Codes.topicNotExist, 'Topic not exist'));
    },
    promql: (exchange) => exchange.answer({ kind: 'data', data: [], warnings: [], infos: [] }),
    listConnection: () => () => undefined,
    prepare: (exchange) => exchange.answer({ isInsert: false, parameters: 0, fields: undefined }),
    series: options.series ?? ((exchange) => exchange.answer({ parts: [Buffer.of(0)], length: 1 })),
    events:
      options.events ?? ((exchange) => exchange.refuse(fault('database', Codes.eventNotExist, 'Event not exist'))),
    eventsAdmin: options.desk ?? refusingDesk,
    documents: noDocuments,
    authenticate:
      options.authenticate ??
      (async (credentials) => (isKnown(credentials) && credentials.scheme === 'password' ? { user } : wrongPassword)),
    mayStay: options.mayStay ?? (() => true),
    mayWrite: () => true,
    vgroups: async (_user, database, tables) =>
      database === 'd'
        ? tables.map((_, at) => at + 2)
        : fault('database', Codes.databaseNotExist, 'Database not exist'),
    slowStatements:
      options.slowStatements ?? (async () => fault('database', Codes.insufficientPrivilege, 'Insufficient privilege')),
    guard: options.guard ?? (() => 'normal'),
    cluster: options.cluster ?? (() => undefined),
    replay: options.replay ?? (() => new Map()),
    isDatabaseHung: options.isDatabaseHung ?? (() => false),
    refusedWrites: options.refusedWrites ?? (() => undefined),
    metrics: async () => '# EOF\n',
    history: () => ({ now: 0, intervalMs: 10_000, times: [], series: [] }),
  };
}

export const openCors: CorsSettings = {
  allowAllOrigins: true,
  allowOrigins: [],
  allowHosts: [],
  allowHeaders: [],
  exposeHeaders: [],
  allowCredentials: false,
  allowWebSockets: false,
};

/** Builds a server without starting it. */
export function buildServer(options: ServerOptions, log: LogLine[], port = 0): HttpServer {
  return createHttpServer({
    intake: defaultIntake(options),
    bodies: new BodyBudget({ limitBytes: 2 ** 28, maxWaiting: 10, waitMs: 10_000 }),
    host: '127.0.0.1',
    port,
    settings: {
      httpCodeServerError: false,
      restfulRowLimit: -1,
      sqlBytes: 1_048_576,
      queryBytes: 1_048_576,
      resultIdleMs: 60_000,
      inflatedBytes: 1_048_576,
      lineproto: { enable: true, createDatabase: false },
      tsdbwire: { enable: true, createDatabase: false, db: 'tsdbwire' },
      otlp: { enable: true, createDatabase: false, messageBytes: 1_048_576, db: 'otlp' },
      metricsdb: { enable: true, createDatabase: false, messageBytes: 1_048_576, db: 'metricsdb' },
      promql: { enable: true, db: 'metricsdb' },
      ...options.settings,
    },
    cors: { ...openCors, ...options.cors },
    version: '1.2.3',
    loginSecret: Buffer.from('a secret of at least sixteen bytes'),
    log: { ...recordingLog(log), dropsDebug: options.dropsDebug === true },
    ...(options.observer === undefined ? {} : { observer: options.observer }),
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
}

/** Starts a server on a free port; it is stopped when the test ends. */
export async function startServer(
  t: { teardown(implementation: () => Promise<void>): void },
  options: ServerOptions = {},
): Promise<TestServer> {
  const log: LogLine[] = [];
  const server = buildServer(options, log);
  const port = await server.start();
  t.teardown(() => server.stop());
  return { server, port, log };
}

export interface RequestParts {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  /** Sends the good Basic header unless the headers say otherwise; default true. */
  readonly auth?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** One request on a connection of its own; rejects when the answer is incomplete. */
export function send(server: { port: number }, what: RequestParts = {}): Promise<Reply> {
  const { method = 'POST', path = '/rest/sql', body = '', auth = true } = what;
  const headers = { ...(auth ? { authorization: basic } : {}), ...what.headers };
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port: server.port, method, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const whole = Buffer.concat(chunks);
          const status = response.statusCode ?? 0;
          resolve({ status, headers: response.headers, body: whole, text: whole.toString() });
        });
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}

/** `ask` for a SQL statement. */
export function sendSql(server: { port: number }, statement: string, more: RequestParts = {}): Promise<Reply> {
  return send(server, { ...more, body: statement });
}

/** Opens a bare connection and collects all that comes until the far end closes it. */
export function connect(server: { port: number }): { socket: net.Socket; received: Promise<string> } {
  const socket = net.connect(server.port, '127.0.0.1');
  const received = new Promise<string>((resolve) => {
    let all = '';
    socket.on('data', (chunk) => {
      all += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(all));
  });
  return { socket, received };
}
