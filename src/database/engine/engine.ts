import type { Chunks } from '../../model/exchange.js';
import type { History } from './history.js';
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
  /** The result is short enough for one frame of the query channel, so that an embedded host may buffer it, which is faster. */
  readonly fitsOneFrame?: boolean;
  /** The same statement with a limit of rows, which an embedded host runs instead; its result fits one frame. */
  readonly limitedStatement?: string | undefined;
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

/** Header of a query to an embedded host: see {@link ResultOptions.fitsOneFrame}. */
export const oneFrameHeader = 'x-sluice-few-rows';
/** Header of a query to an embedded host: see {@link ResultOptions.owner}, in percent-encoding. */
export const ownerHeader = 'x-sluice-owner';

/**
 * The engine as the rest of the program uses it. Every call rejects with a FaultError: kind `network` when the engine
 * cannot be reached or went away (the outcome is unknown), `resource` when it is out of disk, memory or parts,
 * `database` for what it refuses.
 */
export interface Engine {
  /** Makes a change of tables wherever the engine keeps them. */
  define(change: TableChange): Promise<void>;
  /** Call it before statements that free space, which need a little themselves: a single engine releases its disk reserve file. */
  makeRoom(): Promise<void>;
  /** Runs a statement that gives no rows. */
  exec(statement: string): Promise<void>;
  /** Runs a query with a small result and gives its rows; the statement carries no FORMAT clause. */
  rows(statement: string): Promise<readonly (readonly Cell[])[]>;
  /** Runs a query and gives all its bytes; the statement ends in a FORMAT clause. */
  bytes(statement: string): Promise<Buffer>;
  /**
   * Runs a query of any length: resolves when the response has begun, with the whole result if it is short, else with
   * pieces as they arrive. Returning early or aborting cancels the query in the engine. The statement ends in a FORMAT
   * clause.
   */
  result(statement: string, options?: ResultOptions): Promise<Chunks>;
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
  /** Runs `INSERT INTO … FORMAT …` with its data; resolves once the rows survive a crash of the engine. */
  insert(statement: string, data: InsertData, options?: InsertOptions): Promise<void>;
}
