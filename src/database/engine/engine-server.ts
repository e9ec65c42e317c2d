import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BufferPool } from '../../bytes/buffer-pool.js';
import { arrayRowFormat, reliedOnDefaults, rowSettings } from '../../sql/engine/settings.js';
import { type BufferBudget, BufferedResult, wholeResult } from './buffered-result.js';
import { requireRoom } from './definition-room.js';
import type { InsertData } from './engine.js';
import { EngineHttp, exceptionIn } from './engine-http.js';
import { type HttpConnectionsOptions, wholeBody } from './http-connections.js';
import { type Effect, type EngineQuery, type Insert, insertText } from './request.js';
import { limitsFor } from './statement-limits.js';
import type { QueryOptions, StatementOptions, Transport } from './transport.js';

/** Longest response, in bytes, that is read whole once the server has completed it. */
const maxWholeResponse = 1024 * 1024;

interface ServerOptions extends HttpConnectionsOptions {
  readonly user: string;
  readonly password: string;
}

/** An engine elsewhere, reached by the HTTP interface of ClickHouse. */
export class EngineServer implements Transport {
  readonly countsLog = false;
  readonly isServer = true;
  readonly #options: ServerOptions;
  readonly #http: EngineHttp;
  readonly #budget: BufferBudget;
  /** Buffers for the rows of INSERTs. */
  readonly #buffers = new BufferPool();

  constructor(options: ServerOptions, budget: BufferBudget) {
    this.#options = options;
    this.#http = new EngineHttp(options);
    this.#budget = budget;
  }

  /** A stale connection is replaced once. */
  async query(
    { statement, format }: EngineQuery,
    { signal, parameters }: QueryOptions,
  ): Promise<Buffer | BufferedResult> {
    const body = `${statement} FORMAT ${format}`;
    // A server continues a query after its connection closes.
    const queryId = randomUUID();
    const settings = {
      ...reliedOnDefaults,
      ...(format === arrayRowFormat && rowSettings),
      ...limitsFor(body),
      ...parameters,
      query_id: queryId,
    };
    try {
      const response = await this.#http.send({
        ...this.#credentials,
        parameters: settings,
        body,
        signal,
        mayRetry: true,
      });
      return isShort(response) ? await wholeBody(response) : this.#pieces(response, queryId);
    } catch (error) {
      if (signal?.aborted) this.#kill(queryId);
      throw error;
    }
  }

  async change(statement: string, effect: Effect, { signal, parameters }: StatementOptions): Promise<void> {
    await requireRoom(this.#options.url, effect, async (query) => {
      const result = await wholeResult(await this.query({ statement: query, format: 'TSV' }, {}));
      return result.toString().trim();
    });
    await this.#whole(statement, { ...limitsFor(statement), ...parameters }, signal);
  }

  insert(insert: Insert, data: InsertData, { signal, parameters }: StatementOptions): Promise<void> {
    const query = insertText(insert);
    return this.#buffers.joined(data, (rows) => this.#whole(rows, { query, ...parameters }, signal));
  }

  /** Servers have no reserve. */
  async makeRoom(): Promise<void> {}

  ping(): Promise<void> {
    return this.#http.ping();
  }

  refuseAll(reason: string | undefined): void {
    this.#http.refuseAll(reason);
  }

  close(): void {
    this.#http.close();
  }

  get #credentials(): { readonly user: string; readonly password: string } {
    const { user, password } = this.#options;
    return { user, password };
  }

  async #whole(
    body: string | Uint8Array,
    parameters: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await wholeBody(await this.#http.send({ ...this.#credentials, parameters, body, signal }));
  }

  #pieces(response: IncomingMessage, queryId: string): BufferedResult {
    let hasEnded = false;
    const source = {
      pause: () => {
        response.pause();
      },
      resume: () => {
        response.resume();
      },
      cancel: () => {
        if (!hasEnded) this.#kill(queryId);
        response.destroy();
      },
    };
    const result = new BufferedResult(source, this.#budget);
    const tag = response.headers['x-clickhouse-exception-tag'];
    response.on('data', (piece: Buffer) => {
      const broken = typeof tag === 'string' ? exceptionIn(piece, tag) : undefined;
      if (broken === undefined) result.add(piece);
      else result.end(broken);
    });
    response.once('end', () => {
      hasEnded = true;
      result.end(undefined);
    });
    response.once('error', (error) => result.end(error));
    response.once('close', () => result.end(new Error('the connection was closed')));
    return result;
  }

  /** Does not wait: a query that has ended is not found, and one on an unreachable server ends by itself. */
  #kill(queryId: string): void {
    this.#whole(`KILL QUERY WHERE query_id = '${queryId}' ASYNC`, {}, undefined).catch(() => undefined);
  }
}

/** True when the server has completed a short response: only then it sends its length. */
function isShort({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= maxWholeResponse;
}
