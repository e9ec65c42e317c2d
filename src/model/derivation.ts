/** A table that a stream reads or writes; `id` distinguishes it from a later table of the same name. */
export interface StreamTable {
  readonly database: string;
  readonly table: string;
  /** Of a sub-table, the id of its series as digits. */
  readonly id: string;
}

/** A query whose results are kept up to date in a super table. */
export interface StreamDef {
  readonly id: string;
  readonly name: string;
  /** The statement that made it. */
  readonly statement: string;
  /** Database of tables that the statement names without one. */
  readonly current: string | undefined;
  /** Who made it: it reads and writes with the rights of this user. */
  readonly user: string;
  /** IANA zone in which days, weeks, months and years of its windows begin. */
  readonly timeZone: string;
  readonly source: StreamTable;
  readonly target: StreamTable;
  /** True when the table was made for the stream, so that all its rows are results. */
  readonly ownsTarget: boolean;
  /** Place up to which rows of the source do not count. */
  readonly start: number;
  readonly paused: boolean;
  /** Unix ms. */
  readonly created: number;
}

/** The definition of aggregates over windows of a table, kept for those who list it: queries never differ for it. */
export interface TsmaDef {
  readonly name: string;
  readonly database: string;
  readonly table: string;
  /** The TSMA that a recursive one stands on; older logs leave it out. */
  readonly base?: string | undefined;
  readonly functions: readonly string[];
  /** Names of the columns in `functions`. */
  readonly columns: readonly string[];
  /** As written, such as `10m`. */
  readonly interval: string;
  readonly sliding: string | undefined;
  readonly statement: string;
  /** Unix ms. */
  readonly created: number;
}
