import { quoteString } from '../../sql/engine/quote.js';

/** A query, and what is known of it. No part of the program reads its text again. */
export interface EngineQuery {
  /** The SELECT with its SETTINGS, without FORMAT. */
  readonly statement: string;
  /** Format of the engine in which the result comes. */
  readonly format: string;
  /**
   * Names of the engine tables that it reads, where equal statements have equal results as long as none of these tables
   * changes: an embedded engine may answer it from its result cache.
   */
  readonly cacheableUntilChangeOf?: readonly string[] | undefined;
}

/** The engine tables that a statement changes, as `database.table`; `all` if it may change any. */
export type ChangedTables = readonly string[] | 'all';

/** What a statement without a result does. */
export interface Effect {
  readonly changes: ChangedTables;
  /** The engine goes on with the change after the statement has ended, as it does with mutations. */
  readonly continues?: boolean;
  /**
   * It writes a file of definitions, which needs space on the disk. `unless`: a query whose result is `1` when
   * everything is there, so that the engine writes nothing.
   */
  readonly needsRoom?: { readonly unless?: string };
}

/** Effect of a statement that is not known. */
export const anyEffect: Effect = { changes: 'all', continues: true };

/** Effect of statements that change no table. */
export const noEffect: Effect = { changes: [] };

/** Effect of a statement that makes a table unless it exists. */
export function makes(table: string): Effect {
  return { changes: [table], needsRoom: { unless: `EXISTS TABLE ${table}` } };
}

/** Effect of a statement that alters a table or deletes rows of it: the engine writes a definition anew. */
export function alters(table: string): Effect {
  return { changes: [table], continues: true, needsRoom: {} };
}

/** An INSERT, without its rows. */
export interface Insert {
  /** `database.table` */
  readonly table: string;
  /** Names of the columns in engine SQL; all columns of the table if left out. */
  readonly columns?: string;
  /** To stand after SETTINGS. */
  readonly settings?: string;
  /** The table inserts nothing if it has seen an insert with this token. */
  readonly token?: string;
  readonly format: string;
  /**
   * The rows pass a query, whose columns go to those of the table by position. `structure`: names and types of the
   * columns as they are sent, in engine SQL. `where`: a condition without which nothing is inserted.
   */
  readonly through?: { readonly structure: string; readonly where?: string | undefined } | undefined;
}

/** A request to the embedded engine host. */
export type HostRequest =
  | (EngineQuery & {
      readonly kind: 'query';
      /** User whose share of memory it counts as. */
      readonly owner?: string | undefined;
    })
  | { readonly kind: 'change'; readonly statement: string; readonly effect: Effect }
  | {
      readonly kind: 'insert';
      readonly insert: Insert;
      /** Insert nothing unless the catalogue's log has so many entries. */
      readonly logEntries?: number | undefined;
      /** File in the directory of the host that has the rows; without it the rows follow the request. */
      readonly file?: string | undefined;
    }
  /** Release the disk reserve, so that statements that free space can run. */
  | { readonly kind: 'make-room' }
  | { readonly kind: 'ping' };

/** The text of an INSERT; its rows are in the file, or must follow the text. */
export function insertText({ table, columns, format, through, ...insert }: Insert, file?: string): string {
  const list = columns === undefined ? '' : ` (${columns})`;
  const settings = [
    ...(insert.settings === undefined ? [] : [insert.settings]),
    ...(insert.token === undefined ? [] : [`insert_deduplication_token = ${quoteString(insert.token)}`]),
  ];
  const clause = settings.length === 0 ? '' : ` SETTINGS ${settings.join(', ')}`;
  const head = `INSERT INTO ${table}${list}`;
  const infile = file === undefined ? '' : ` FROM INFILE ${quoteString(file)} COMPRESSION 'none'`;
  if (through === undefined) return `${head}${infile}${clause} FORMAT ${format}`;
  const structure = quoteString(through.structure);
  const rows = file === undefined ? `input(${structure})` : `file(${quoteString(file)}, ${format}, ${structure})`;
  const where = through.where === undefined ? '' : ` WHERE ${through.where}`;
  return `${head}${clause} SELECT * FROM ${rows}${where}${file === undefined ? ` FORMAT ${format}` : ''}`;
}
