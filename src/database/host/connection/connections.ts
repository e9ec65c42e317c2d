import { join } from 'node:path';
import { drainPending } from 'chdb';
import { quoteString } from '../../../sql/engine/quote.js';
import { Connection, memoryArgs, noContext, userBytes } from './connection.js';
import { engineConfig } from './engine-config.js';
import { EngineException } from './exception.js';
import type { HostOptions } from './options.js';
import { makePipes, ResultPipe } from './result-pipe.js';
import { UserMemory } from './user-memory.js';

/** Class of connections: `rows` can stream results, which slow readers may block; `short` ones stay free for writes. */
export type ConnectionClass = 'rows' | 'short';

const killRetryMs = 200;
const maxClientSessions = 64;
const defaultSessionTimeoutMs = 60_000;

interface ClientSession {
  readonly connection: Connection;
  busy: boolean;
  /** Resolves when what the last statement changed is taken back. */
  restored: Promise<void>;
  expiry: NodeJS.Timeout | undefined;
}

interface WaitingRequest {
  readonly connectionClass: ConnectionClass;
  readonly take: (connection: Connection) => void;
}

/**
 * The connections of a host: a fixed number that all statements share, three quarters of them able to stream results,
 * one that only cancels statements, and those that belong to a `session_id`.
 */
export class Connections {
  readonly #options: HostOptions;
  readonly #scratchPath: string;
  readonly #engineArgs: readonly string[];
  /** Memory of the statements of each user. */
  readonly userMemory: UserMemory;
  readonly #control: Connection;
  readonly #free: { rows: Connection[]; short: Connection[] } = { rows: [], short: [] };
  readonly #waiting: WaitingRequest[] = [];
  readonly #clientSessions = new Map<string, ClientSession>();
  readonly #all = new Set<Connection>();
  #counter = 0;

  constructor(options: HostOptions, scratchPath: string) {
    this.#options = options;
    this.#scratchPath = scratchPath;
    this.#engineArgs = [engineConfig(scratchPath, options.sync), ...memoryArgs(options)];
    const streamingCount = Math.max(1, Math.floor((options.sessions * 3) / 4));
    const paths = Array.from({ length: streamingCount }, () => this.#pipePath());
    makePipes(paths);
    for (const path of paths) this.#free.rows.push(this.#connect(new ResultPipe(path), false));
    for (let i = streamingCount; i < options.sessions; i++) this.#free.short.push(this.#connect(undefined, false));
    this.#control = this.#connect(undefined, false);
    this.userMemory = new UserMemory(userBytes(options), (sql) => this.query(sql));
  }

  /** A comment that marks a statement, so that {@link Connections.cancel} finds it among the running ones. */
  newTag(): string {
    return `/* sluice:${++this.#counter} */ `;
  }

  /** Text result of one of the host's own statements. */
  async query(sql: string): Promise<string> {
    return (await this.#control.run(sql, 'TSVRaw', noContext, '')).text().trimEnd();
  }

  /** Waits for a connection; rejects when the signal fires first. The caller must give the connection back. */
  take(connectionClass: ConnectionClass, signal: AbortSignal): Promise<Connection> {
    const free = this.#pick(connectionClass);
    if (free !== undefined) return Promise.resolve(free);
    return new Promise((resolve, reject) => {
      const waiting: WaitingRequest = {
        connectionClass,
        take: (connection) => {
          signal.removeEventListener('abort', giveUp);
          resolve(connection);
        },
      };
      const giveUp = (): void => {
        const at = this.#waiting.indexOf(waiting);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(new EngineException(394, 'QUERY_WAS_CANCELLED', 'The client went away'));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(waiting);
    });
  }

  /** Restores a connection and gives it to the first request that waits for one. */
  async give(connection: Connection): Promise<void> {
    await connection.restore();
    const at = this.#waiting.findIndex((waiting) => waiting.connectionClass === 'short' || connection.streams);
    if (at >= 0) this.#waiting.splice(at, 1)[0]?.take(connection);
    else this.#free[connection.streams ? 'rows' : 'short'].push(connection);
  }

  /**
   * Cancels a statement and repeats that until the returned function is called: a statement that has not begun yet, or
   * is between two checks, is not found or not stopped the first time. Never waits for the statement's end in the
   * engine, where such a wait can last for ever.
   */
  cancel(tag: string): () => void {
    const sql = `KILL QUERY WHERE query LIKE ${quoteString(`${tag.trimEnd()}%`)} ASYNC`;
    const kill = (): void => {
      this.query(sql).catch(() => {});
    };
    kill();
    const timer = setInterval(kill, killRetryMs);
    return () => clearInterval(timer);
  }

  /** Cancels whatever runs. */
  async cancelAll(): Promise<void> {
    await this.query("KILL QUERY WHERE query LIKE '/* sluice:%' ASYNC");
  }

  /**
   * The connection of a client session, made at first use and forgotten when it was idle for its timeout. Give it back
   * with the returned function.
   * @throws EngineException when it is in use, or absent and `mustExist`.
   */
  async takeSession(
    id: string,
    timeoutMs: number | undefined,
    mustExist: boolean,
  ): Promise<[Connection, () => Promise<void>]> {
    const session = this.#clientSessions.get(id) ?? this.#newClientSession(id, mustExist);
    if (session.busy) {
      throw new EngineException(373, 'SESSION_IS_LOCKED', `Session ${id} is locked by a concurrent client`);
    }
    session.busy = true;
    clearTimeout(session.expiry);
    await session.restored;
    const giveBack = (): Promise<void> => {
      // A client that has its answer may send the next statement at once.
      session.busy = false;
      session.restored = session.connection.restore();
      session.expiry = setTimeout(() => this.#forget(id, session), timeoutMs ?? defaultSessionTimeoutMs);
      session.expiry.unref();
      return session.restored;
    };
    return [session.connection, giveBack];
  }

  /** Closes all connections; resolves when the engine has let go of them. Call it when nothing runs any more. */
  async close(): Promise<void> {
    this.userMemory.stop();
    for (const session of this.#clientSessions.values()) clearTimeout(session.expiry);
    for (const connection of this.#all) connection.close();
    this.#all.clear();
    await drainPending();
  }

  #pick(connectionClass: ConnectionClass): Connection | undefined {
    if (connectionClass === 'rows') return this.#free.rows.pop();
    return this.#free.short.pop() ?? this.#free.rows.pop();
  }

  #newClientSession(id: string, mustExist: boolean): ClientSession {
    if (mustExist) throw new EngineException(372, 'SESSION_NOT_FOUND', `Session ${id} not found`);
    if (this.#clientSessions.size >= maxClientSessions) {
      throw new EngineException(439, 'CANNOT_SCHEDULE_TASK', `More than ${maxClientSessions} client sessions`);
    }
    const path = this.#pipePath();
    makePipes([path]);
    const connection = this.#connect(new ResultPipe(path), true);
    const session = { connection, busy: false, restored: Promise.resolve(), expiry: undefined };
    this.#clientSessions.set(id, session);
    return session;
  }

  #forget(id: string, session: ClientSession): void {
    this.#clientSessions.delete(id);
    this.#all.delete(session.connection);
    session.connection.close();
  }

  #connect(pipe: ResultPipe | undefined, keepsState: boolean): Connection {
    const { path } = this.#options;
    const connection = new Connection({ path, pipe, keepsState, engineArgs: this.#engineArgs });
    this.#all.add(connection);
    return connection;
  }

  #pipePath(): string {
    return join(this.#scratchPath, `result-${++this.#counter}`);
  }
}
