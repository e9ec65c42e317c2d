import type { Chunks } from '../../model/exchange.js';
import type { History } from './history.js';
import type { TableChange } from './table-change.js';

/** One cell of a small result read as JSON; 64-bit integers are asked for as text. */
export type Cell = string | number | boolean | null;

/** Rows of an INSERT; in pieces they may be the memory of blocks, which stays as it is until they are stored. */
export type InsertData = Uint8Array | readonly Uint8Array[];

/** Options of an INSERT beside its statement. */
export interface InsertOptions {
  /** Insert nothing unless the catalogue's log has so many entries. */
  readonly logEntries?: number | undefined;
  /** Rows that a database had before: where copies have versions, whatever else was written under their keys stays. */
  readonly isEarlier?: boolean;
}

/** How a result is read. */
export interface ResultOptions {
  readonly signal?: AbortSignal;
  /** The result has so few rows that a host of our own may hold all of them before it answers, which is quicker. */
  readonly hasFewRows?: boolean;
  /** The same statement with an end at some number of rows, which a host of our own is asked instead, as if the result had few rows. */
  readonly upToRows?: string | undefined;
  /** It reads little, too, so it need not wait for those that read much. */
  readonly isLight?: boolean;
  /** Told for how many ms it waited for a connection. */
  readonly waited?: (ms: number) => void;
  /**
   * The user whose result it is: none has all connections for results, nor more than a part of the memory for all statements, and a
   * reader who does not read loses its result while others wait.
   */
  readonly owner?: string;
  /** The reader may have to wait itself before it reads on, and loses nothing by that. */
  readonly mayPause?: boolean;
}

/** One place with rows: all that there is of a single engine, or what one node of a cluster has. */
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
  /** Its fault, in words; empty while there is none. */
  readonly trouble: string;
  /** It has what lies on one node alone: the catalogue where there is no keeper, events, and the places of streams and consumers. */
  readonly isHome: boolean;
}

/** Header of a query to a host of our own: see {@link ResultOptions.hasFewRows}. */
export const fewRowsHeader = 'x-sluice-few-rows';
/** Header of a query to a host of our own: see {@link ResultOptions.owner}, in percent-encoding. */
export const ownerHeader = 'x-sluice-owner';

/**
 * The engine as the rest of the program uses it. Every call rejects with a FaultError: kind `network` when the engine
 * cannot be reached or went away (the outcome is unknown), `resource` when it is out of disk, memory or parts,
 * `database` for what it refuses.
 */
export interface Engine {
  /** Makes a change of tables wherever the engine keeps them. */
  define(change: TableChange): Promise<void>;
  /** To be called before what frees room, which needs a little itself: a single engine gives its reserve where its disk is full. */
  makeRoom(): Promise<void>;
  /** Runs a statement that gives no rows. */
  exec(statement: string): Promise<void>;
  /** Runs a query with a small result and gives its rows; the statement carries no FORMAT clause. */
  rows(statement: string): Promise<readonly (readonly Cell[])[]>;
  /** Runs a query and gives all its bytes; the statement ends in a FORMAT clause. */
  bytes(statement: string): Promise<Buffer>;
  /**
   * Runs a query of any length: resolves when the engine has begun its answer, with all of it when it is short, or with
   * pieces as they come. Returning early from those or aborting cancels the query in the engine. The statement ends in a
   * FORMAT clause.
   */
  result(statement: string, options?: ResultOptions): Promise<Chunks>;
  /** The places that together have every row: for work on parts and files. */
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
  /** True where of rows with one key that stays which came last, so that an INSERT says of each when it came; else the one stored last. */
  readonly ordersByReceipt: boolean;
  /** True when the engine heeds {@link InsertOptions.logEntries}. */
  readonly countsLog: boolean;
  /** Runs `INSERT INTO … FORMAT …` with its data; resolves once the rows survive a crash of the engine. */
  insert(statement: string, data: InsertData, options?: InsertOptions): Promise<void>;
}
