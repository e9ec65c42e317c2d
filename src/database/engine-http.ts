import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { handoverHeader } from './handover.js';

/** Where an engine answers, and how many connections it is sent. */
export interface EngineHttpOptions {
  readonly url: string;
  readonly maxSockets: number;
  readonly maxFreeSockets: number;
  /** How long an idle connection is kept. */
  readonly idleTimeoutMs: number;
  /** How long a connection may be silent while a statement runs. */
  readonly requestTimeoutMs: number;
}

/** One statement on its way to an engine. */
export interface EngineRequest {
  readonly user: string;
  readonly password: string;
  /** Settings and parameters of the interface, such as `query_id`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The statement, or the data of the one in the parameter `query`. */
  readonly body: string | Uint8Array;
  /** Name of the file with the data, which is no body then. */
  readonly handed?: string | undefined;
  /** Breaks the connection off, also while the answer is read. */
  readonly signal?: AbortSignal | undefined;
}

/** What the engine says of a statement that it refuses. */
export class EngineRefusal extends Error {
  /** Code in the engine's list of errors. */
  readonly code: number;
  /** Its name, such as `UNKNOWN_TABLE`; empty when the engine did not say it. */
  readonly type: string;

  constructor(code: number, type: string, message: string) {
    super(message);
    this.code = code;
    this.type = type;
  }
}

/**
 * Connections of the ClickHouse HTTP interface that statements share. The connection used last is taken first, as it is the
 * least likely to be a dead one.
 */
export class EngineHttp {
  readonly #agent: Agent;
  readonly #options: EngineHttpOptions;
  readonly #isSecure: boolean;
  readonly #address: ReturnType<typeof urlToHttpOptions>;
  readonly #path: string;

  constructor(options: EngineHttpOptions) {
    const url = new URL(options.url);
    const { maxSockets, maxFreeSockets, idleTimeoutMs } = options;
    const pool = { keepAlive: true, maxSockets, maxFreeSockets, scheduling: 'lifo', timeout: idleTimeoutMs } as const;
    this.#options = options;
    this.#isSecure = url.protocol === 'https:';
    this.#agent = this.#isSecure ? new SecureAgent(pool) : new Agent(pool);
    this.#address = urlToHttpOptions(new URL(url.origin));
    this.#path = url.pathname.replace(/\/+$/, '');
  }

  /**
   * Sends a statement; resolves with the answer once its head is there and says that the statement has begun well. Rejects
   * with an {@link EngineRefusal}, or with the error of a connection that could not be made or broke.
   */
  send({ user, password, parameters, body, handed, signal }: EngineRequest): Promise<IncomingMessage> {
    const sent = {
      path: `${this.#path}/?${new URLSearchParams(parameters)}`,
      method: 'POST',
      ...(signal === undefined ? {} : { signal }),
    };
    const headers = {
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      'Content-Length': Buffer.byteLength(body),
      ...(handed === undefined ? {} : { [handoverHeader]: handed }),
    };
    return this.#ask({ ...sent, headers }, body);
  }

  /** True when the engine answers at all. */
  async ping(): Promise<boolean> {
    try {
      await wholeBody(await this.#ask({ path: `${this.#path}/ping`, method: 'GET' }, ''));
      return true;
    } catch {
      return false;
    }
  }

  /** Gives up all connections; what runs on them fails. */
  close(): void {
    this.#agent.destroy();
  }

  #ask(options: RequestOptions, body: string | Uint8Array) {
    return new Promise<IncomingMessage>((resolve, reject) => {
      const { requestTimeoutMs } = this.#options;
      const begin = this.#isSecure ? secureRequest : request;
      const call = begin({ ...this.#address, ...options, agent: this.#agent, timeout: requestTimeoutMs }, (answer) => {
        const isGood = answer.statusCode === 200 && answer.headers['x-clickhouse-exception-code'] === undefined;
        if (isGood) resolve(answer);
        else void wholeBody(answer).then((text) => reject(refusalIn(text.toString())), reject);
      });
      call.on('timeout', () => call.destroy(new Error(`no answer within ${requestTimeoutMs} ms`)));
      call.on('error', reject);
      call.end(body);
    });
  }
}

/** All of an answer. */
export function wholeBody(answer: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    answer.on('data', (piece: Buffer) => pieces.push(piece));
    answer.on('end', () => resolve(Buffer.concat(pieces)));
    answer.on('error', reject);
  });
}

/**
 * The error in the engine's words: `Code: 60. DB::Exception: What is wrong. (UNKNOWN_TABLE)`, where a server adds its version.
 * Other words come from whatever stands between.
 */
export function refusalIn(text: string): Error {
  const [, code, message, type] =
    /Code: (\d+)\. DB::Exception: ([\s\S]+)\(((?=[A-Z0-9_]*[A-Z]{3})[A-Z0-9_]+)\)/.exec(text) ?? [];
  if (code === undefined || message === undefined || type === undefined) return new Error(text.trim());
  return new EngineRefusal(Number(code), type, message.trim());
}
