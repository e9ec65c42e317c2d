import type { Chunks } from '../../model/exchange.js';
import type { History } from './history.js';
import type { Effect, EngineQuery, Insert } from './request.js';
import type { TableChange } from './table-change.js';

/** One cell of a small result read as JSON; statements cast 64-bit integers to text. */
export type Cell = string | number | boolean | null;

/** Rows of an INSERT; in pieces they may be the memory of blocks, which stays as it is until they are stored. */
export type InsertData = Uint8Array | readonly Uint8Array[];

/** Options of an INSERT. */
export interface InsertOptions {
  /** Insert nothing unless the catalogue's log has so many entries. */
  readonly logEntries?: number | undefined;
  /** Rows of an earlier database: where copies have versions, other rows under the same keys stay. */
  readonly isEarlier?: boolean;
}

/** How a result is read. */
export interface ResultOptions {
  readonly signal?: AbortSignal;
  /** It reads few series only, so it need not wait for long queries. */
  readonly underSeriesLimit?: boolean;
  /** Called with the ms for which the query waited for a connection. */
  readonly onWaited?: (ms: number) => void;
  /**
   * The user of the query. No user gets all connections for results, or more than a share of the memory of statements.
   * A reader that stalls loses its result while others wait.
   */
  readonly owner?: string;
  /** The reader may pause without losing its result. */
  readonly mayPause?: boolean;
}

/** Where rows are stored: a single engine, or one node of a cluster. */
export interface Store {
  readonly engine: Pick<Engine, 'rows' | 'exec' | 'makeRoom'>;
  /** Prefix of the names of databases there. */
  readonly prefix: string;
}

/** A node of a cluster as this process sees it. */
export interface EngineNode {
  readonly url: string;
  /** `up`: it answers and has everything; `behind`: it answers, and may lack rows; `away`: it does not answer. */
  readonly state: 'up' | 'behind' | 'away';
  /** Its fault, as a text; empty while there is none. */
  readonly fault: string;
  /** It has the tables that lie on a single node: the catalogue where there is no keeper, events, and the positions of streams and consumers. */
  readonly isHome: boolean;
}

/** Statements on tables that lie in one way in a cluster. */
export type TableAccess = Pick<Engine, 'exec' | 'rows' | 'insert'>;

/**
 * The engine as the rest of the program uses it: its own methods are for tables whose rows a cluster spreads over its
 * shards, and a property each gives access to the others. For a single engine all of them are the same. Every call rejects with a FaultError: kind `network` when the engine
 * cannot be reached or went away (the outcome is unknown), `resource` when it is out of disk, memory or parts,
 * `database` for what it refuses.
 */
export interface Engine {
  /** Makes a change of tables wherever the engine keeps them. */
  define(change: TableChange): Promise<void>;
  /** Call it before statements that free space, which need a little themselves: a single engine releases its disk reserve file. */
  makeRoom(): Promise<void>;
  /** Tables that are ordered by the numbers of inserts, and lie on one node: of events, streams and consumers. */
  readonly ordered: TableAccess;
  /** The catalogue's log, also beside rows. */
  readonly log: TableAccess;
  /** The engine's own tables (`system.…`), and statements without tables: no rows of others are read. */
  readonly system: Pick<Engine, 'rows' | 'result'>;
  /** Rows by when they were written: a result must have all of them, so some node of every shard must. */
  readonly complete: Pick<Engine, 'rows' | 'bytes' | 'result'>;
  /** Runs a statement that gives no rows. In a cluster it is an `INSERT … SELECT` to the one table that it changes. */
  exec(statement: string, effect: Effect): Promise<void>;
  /**
   * Runs a query with a small result and gives its rows; the statement carries no FORMAT clause. With `tables` the result
   * may come from a cache, see {@link EngineQuery.cacheableUntilChangeOf}.
   */
  rows(statement: string, tables?: readonly string[]): Promise<readonly (readonly Cell[])[]>;
  /** Runs a query and gives all its bytes. */
  bytes(query: EngineQuery): Promise<Buffer>;
  /**
   * Runs a query of any length: resolves when the result has begun, with all of it if it is short, else with pieces as
   * they arrive. Returning early or aborting cancels the query in the engine.
   */
  result(query: EngineQuery, options?: ResultOptions): Promise<Chunks>;
  /** The stores that together have every row: for work on parts and files. */
  stores(): readonly Store[];
  /** Name of the cluster whose nodes have the rows; undefined for a single engine. */
  readonly cluster: string | undefined;
  /** The nodes of a cluster; none of a single engine. */
  nodes(): readonly EngineNode[];
  /** True while no node of some shard of a cluster answers, or its rows are being moved. */
  readonly isMissing: boolean;
  /** The order in which rows were written. */
  readonly history: History;
  /** Whether the keeper answers that has the catalogue's log; undefined where none has it. */
  readonly keeper: 'up' | 'away' | undefined;
  /** True if the last received row of a key wins, so that an INSERT carries the time of receipt; else the last stored one wins. */
  readonly ordersByReceipt: boolean;
  /** True when the engine heeds {@link InsertOptions.logEntries}. */
  readonly countsLog: boolean;
  /** Inserts rows; resolves once they survive a crash of the engine. */
  insert(insert: Insert, data: InsertData, options?: InsertOptions): Promise<void>;
}
