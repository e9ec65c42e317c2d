import type { Target, TextPart } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { RowReject } from '../../model/delivery.js';
import type { DatabaseDef, SubTable, TableLookUp, TagValue } from '../../model/schema.js';
import type { WriteTally } from '../../model/write-tally.js';
import type { SeriesDictionary } from './series-dictionary.js';

/** When a text came, in ticks of the database. */
export interface TextTimes {
  /** The time of lines that carry none, or 0. */
  readonly nowTicks: bigint;
  /** Oldest time that is taken; left out, every time after the epoch is. */
  readonly minTicks?: bigint;
  /** Latest time that is taken; left out, every time that 63 bits hold is. */
  readonly maxTicks?: bigint;
}

/** One of several texts that stand one behind the other, and where it ends. */
export interface MergedText {
  readonly end: number;
  readonly times: TextTimes;
}

/** The rows of one of several texts. */
export interface TextRows {
  /** Index of its first line in all of them. */
  readonly firstLine: number;
  readonly rows: number;
  readonly rejectedRows: number;
}

/** Which rows came of which of several texts, which are named by their places. */
export interface MergedRows {
  /** The texts that a block has rows of, rising; one entry a block. */
  readonly texts: readonly (readonly number[])[];
  /** One entry a text. */
  readonly rows: readonly TextRows[];
  /** The text of each of the rejects. */
  readonly rejectTexts: readonly number[];
  /**
   * True when a line continued in the next text, or the texts together reach a limit of a call: each must be read
   * alone.
   */
  readonly isTorn: boolean;
}

/** Makes, or finds, the sub-table of a series. May throw a `FaultError`: then the line is rejected with its fault. */
export type MakeSubTable = (
  superTable: string,
  subTable: string,
  tags: ReadonlyMap<string, TagValue>,
  ttl: number,
  metric: string | undefined,
) => SubTable;

/** Facts about the request and its database that a parser of points needs. */
export interface ParseOptions extends TextTimes {
  readonly database: DatabaseDef;
  /** Unit of the timestamps in the text. */
  readonly precision: Target['precision'];
  /** Days to live of sub-tables made by these lines; 0 is for ever. */
  readonly ttl: number;
  readonly schema: TableLookUp;
  readonly dictionary: SeriesDictionary;
  readonly makeSubTable: MakeSubTable;
  /** Longest line in bytes; `defaultMaxLineBytes` when left out. */
  readonly maxLineBytes?: number;
  /** Longest message in bytes, inflated, of formats that are not made of lines. */
  readonly maxMessageBytes?: number;
  /** Names of the values of an agent's lists by type, where they are known. */
  readonly dataSourceNames?: ReadonlyMap<string, readonly string[]>;
  /** Whether the names of OpenTelemetry's metrics get their unit and type behind them. */
  readonly otlpSuffixes?: boolean;
  /** Whether the database has the metadata of a metric already; left out, it is stored again. */
  readonly isStored?: (metric: string, text: string) => boolean;
  /** Takes how many rows of a message are of which kind, where the reply has it. */
  readonly tally?: WriteTally;
  /** Number of lines that came before `bytes` in the same body: added to the row of every reject. */
  readonly firstLine?: number;
  /** Which ends of the whole text `bytes` holds; both when left out. Of no interest to formats made of lines. */
  readonly part?: TextPart | undefined;
  /** Set where `bytes` are several texts, for formats made of lines: the times of the first one are beside it, too. */
  readonly texts?: readonly MergedText[] | undefined;
}

/** A metric, and its metadata as one text. */
export type MetricDescription = readonly [metric: string, text: string];

/** Points that a parser found in one text. */
export interface ParsedPoints {
  /**
   * One block a table, in the order the tables first occur; a table with few values in many columns may have several.
   */
  readonly blocks: readonly ColumnBlock[];
  /** Rows in all blocks together. */
  readonly rows: number;
  /** Lines of the text, blank lines, comments and line breaks inside strings counted. */
  readonly lines: number;
  /** The first `maxDetailedRejects` rejected lines; `row` is the line's index from 0, plus `firstLine`. */
  readonly rejects: readonly RowReject[];
  /** All rejected lines. */
  readonly rejectedRows: number;
  /** False when no row took the time of now for its own; true as well where that is not known. */
  readonly usesNow: boolean;
  /** How many values of the text no table can hold, such as the time at which a counter began. */
  readonly leftOut: number;
  /** Metrics that the rows of `metric_metadata` describe. */
  readonly described: readonly MetricDescription[];
  /** Set where several texts were read as one. */
  readonly joined?: MergedRows | undefined;
}
