import { schemalessStyle } from '../../model/column-block.js';

/** Longest line that is read unless the caller says otherwise: a full row and full tags, twice over for escapes. */
export const defaultMaxLineBytes = 1024 * 1024;
/** Longest measurement after unescaping, in bytes: the limit of a table name. */
export const maxMeasurementBytes = 192;
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
/** Tables that the lines of one call may name; bounds the memory that hostile text can take. */
export const maxTablesPerCall = 16384;
/** Columns, over all tables, that the lines of one call may fill; bounds the memory that hostile text can take. */
export const maxColumnsPerCall = 131072;
/** Rejected lines that are described; further ones are only counted. */
export const maxDetailedRejects = 100;
/** Name of the time column of tables made by a schemaless write. */
export const timeColumnName = schemalessStyle.timeColumn;
/** Tag that a table gets when a line without tags makes it. */
export const nullTagName = '_tag_null';
