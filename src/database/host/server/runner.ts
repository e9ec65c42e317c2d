import type { ChdbResult } from 'chdb';
import { hasRoomFor } from '../../engine/definition-room.js';
import { logTable } from '../../engine/log-table.js';
import { type ChangedTables, type Effect, type Insert, insertText } from '../../engine/request.js';
import { type Connection, noContext, type StatementContext } from '../connection/connection.js';
import type { ConnectionClass, Connections } from '../connection/connections.js';
import { EngineException } from '../connection/exception.js';
import type { DiskReserve } from './disk-reserve.js';
import type { FailedWrites } from './failed-writes.js';
import type { LogCount } from './log-count.js';
import type { ResultCache } from './result-cache.js';
import { withConnection } from './with-connection.js';

/** What statements run on, and what follows their changes. */
interface RunnerContext {
  readonly connections: Connections;
  /** Invalidated by statements that change something. */
  readonly results: ResultCache;
  /** Checked before the response to a change. */
  readonly failedWrites: FailedWrites;
  /** Released before statements that free space. */
  readonly diskReserve: DiskReserve;
  /** Records the tables of INSERTs. */
  readonly idleTables: { inserted(table: string): void };
  /** Number of entries of the catalogue's log. */
  readonly log: LogCount;
  /** Free bytes on the disk of the definitions. */
  freeBytes(): Promise<number>;
  /** Called after a statement that may have made tables. */
  tablesMade(): void;
}

/** Who runs a statement. */
export interface Caller {
  /** Fires when the caller has gone away. */
  readonly signal: AbortSignal;
  /** User whose memory the statement counts as. */
  readonly owner?: string | undefined;
  /** Session settings of the statement. */
  readonly context?: StatementContext;
  /** A session's own connection instead of a shared one, and how it is given back. */
  readonly taken?: readonly [Connection, () => Promise<void>] | undefined;
}

/**
 * Takes the pieces of a result; after false it takes no more until `resume` of {@link StatementRunner.query} is called.
 */
type PieceListener = (piece: Buffer) => boolean;

/** Runs statements on the connections of the host, each with all that its kind requires. */
export class StatementRunner {
  readonly #context: RunnerContext;

  constructor(context: RunnerContext) {
    this.#context = context;
  }

  /**
   * Runs a query and hands out its result piece by piece; `begun` gets a function that resumes a paused result.
   * Resolves with undefined if the caller has gone before. Rejects with the error of the engine, also after pieces.
   */
  query(
    { head, tail }: { readonly head: string; readonly tail: string },
    caller: Caller,
    listener: PieceListener,
    begun: (resume: () => void) => void = () => {},
  ): Promise<ChdbResult | undefined> {
    return this.#with('rows', caller, (connection, tag) => {
      begun(() => connection.resume());
      return connection.stream(head, tail, caller.context ?? noContext, tag, listener);
    });
  }

  /**
   * Runs a statement that changes something, or one with a short result. `changesSession`: it leaves settings behind.
   */
  change(
    statement: string,
    effect: Effect & { readonly changesSession?: boolean },
    caller: Caller,
    format = 'Null',
  ): Promise<ChdbResult | undefined> {
    return this.#with('short', caller, async (connection, tag) => {
      if (effect.changesSession === true) connection.spoil();
      await this.#requireRoom(effect);
      const run = () => connection.run(statement, format, caller.context ?? noContext, tag);
      const result = await this.#recordingChange(connection, effect, run);
      if (effect.needsRoom !== undefined) this.#context.tablesMade();
      return result;
    });
  }

  /** Runs an INSERT whose rows are in a file. `logEntries`: it inserts nothing unless the log has so many. */
  insert(
    insert: Insert,
    file: string,
    logEntries: number | undefined,
    caller: Caller,
  ): Promise<ChdbResult | undefined> {
    const text = insertText(this.#context.failedWrites.renamed(insert), file);
    return this.insertAs(text, [insert.table], logEntries, caller);
  }

  /** The same of an INSERT as a text that names the file. */
  insertAs(
    text: string,
    tables: ChangedTables,
    logEntries: number | undefined,
    caller: Caller,
  ): Promise<ChdbResult | undefined> {
    const { log, idleTables } = this.#context;
    return this.#with('short', caller, async (connection) => {
      if (logEntries !== undefined) await log.expect(logEntries);
      const run = () => connection.run(text, 'Null', caller.context ?? noContext, '');
      const result = await this.#recordingChange(connection, { changes: tables }, run);
      if (tables !== 'all') for (const table of tables) idleTables.inserted(table);
      return result;
    });
  }

  /** See {@link DiskReserve.release}. */
  makeRoom(): Promise<void> {
    return this.#context.diskReserve.release();
  }

  /** Resolves when the engine has run a statement. */
  async ping(): Promise<void> {
    await this.#context.connections.query('SELECT 1');
  }

  async #with<T>(
    connectionClass: ConnectionClass,
    { signal, owner, taken }: Caller,
    work: (connection: Connection, tag: string) => Promise<T>,
  ): Promise<T | undefined> {
    return withConnection(this.#context.connections, { connectionClass, signal, owner, taken }, work);
  }

  async #requireRoom(effect: Effect): Promise<void> {
    const { connections, freeBytes } = this.#context;
    if (await hasRoomFor(effect, { freeBytes, value: (query) => connections.query(query) })) return;
    throw new EngineException(243, 'NOT_ENOUGH_SPACE', 'The disk is full: not enough space for a definition');
  }

  async #recordingChange<T>(connection: Connection, effect: Effect, run: () => Promise<T>): Promise<T> {
    const { results, failedWrites, log } = this.#context;
    const { changes } = effect;
    const changesLog = changes === 'all' || changes.includes(logTable);
    const result = await results.invalidatedBy(effect, changesLog ? () => log.changedBy(run) : run);
    await failedWrites.check(async (sql) => (await connection.run(sql, 'TSVRaw', noContext, '')).text());
    return result;
  }
}
