import type { Target } from '../../model/batch.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { RowReject } from '../../model/delivery.js';
import type { DatabaseDef, SchemaView, SubTable, TagValue } from '../../model/schema.js';
import type { SeriesDictionary } from './series-dictionary.js';

/** Longest line that is read unless the caller says otherwise: a full row and full tags, twice over for escapes. */
export const defaultMaxLineBytes = 1024 * 1024;
/** Longest measurement after unescaping, in bytes: the limit of a table name. */
export const maxMeasurementBytes = 192;
/** Longest field or tag name after unescaping, in bytes. */
export const maxNameBytes = 64;
/** Most tags of one series. */
export const maxTags = 128;
/** Most bytes of all tag values of one series together. */
export const maxTagBytes = 16384;
/** Most characters of one tag value. */
export const maxTagCharacters = 4095;
/** Most bytes of one row: fixed widths, and for variable values their length and two bytes. */
export const maxRowBytes = 65536;
/** Most bytes of one string or binary value. */
export const maxValueBytes = 65517;
/** Most characters of one NCHAR value. */
export const maxNcharCharacters = 16379;
/** Most columns of a table, the time column and the tags included. */
export const maxTableColumns = 4096;
/** Tables that the lines of one call may name; bounds the memory that hostile text can ask for. */
export const maxTablesPerCall = 16384;
/** Columns, over all tables, that the lines of one call may fill; bounds the memory that hostile text can ask for. */
export const maxColumnsPerCall = 131072;
/** Rejected lines that are described; further ones are only counted. */
export const maxDetailedRejects = 100;
/** Name of the time column of tables made by a line-protocol write. */
export const timeColumnName = '_ts';
/** Tag that a table gets when a line without tags makes it. */
export const nullTagName = '_tag_null';

/** Makes, or finds, the sub-table of a series. May throw a `FaultError`: then the line is rejected with its fault. */
export type MakeSubTable = (
  superTable: string,
  subTable: string,
  tags: ReadonlyMap<string, TagValue>,
  ttl: number,
) => SubTable;

export interface LineProtocolOptions {
  readonly database: DatabaseDef;
  /** Unit of the timestamps in the text. */
  readonly precision: Target['precision'];
  /** Now, in ticks of the database: the time of lines that carry none, or 0. */
  readonly nowTicks: bigint;
  /** Oldest time that is taken, in ticks of the database; left out, every time after the epoch is. */
  readonly minTicks?: bigint;
  /** Days to live of sub-tables made by these lines; 0 is for ever. */
  readonly ttl: number;
  readonly schema: Pick<SchemaView, 'table'>;
  readonly dictionary: SeriesDictionary;
  readonly makeSubTable: MakeSubTable;
  /** Longest line in bytes; {@link defaultMaxLineBytes} when left out. */
  readonly maxLineBytes?: number;
  /** Number of lines that came before `bytes` in the same body: added to the row of every reject. */
  readonly firstLine?: number;
}

export interface ParsedLines {
  /** One block a table, in the order the tables first occur; a table with few values in many columns may have several. */
  readonly blocks: readonly ColumnBlock[];
  /** Rows in all blocks together. */
  readonly rows: number;
  /** Lines of the text, blank lines, comments and line breaks inside strings counted. */
  readonly lines: number;
  /** The first {@link maxDetailedRejects} rejected lines; `row` is the line's index from 0, plus `firstLine`. */
  readonly rejects: readonly RowReject[];
  /** All rejected lines. */
  readonly rejectedRows: number;
}
