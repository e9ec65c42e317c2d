import { alters, type Effect, makes } from './request.js';

/** How rows that share a key replace each other in an engine table. */
interface TableKind {
  /** Columns of the key, in the order of which rows are kept. */
  readonly order: string;
  /** The row with the greatest value of this column stays; without it the one that was stored last. */
  readonly version?: string;
  /** Expression of the partition. */
  readonly partition?: string;
  /** An INSERT whose deduplication token the table has seen lately inserts nothing. */
  readonly deduplicates?: boolean;
  /** Settings of the table itself. */
  readonly tableSettings?: readonly string[];
  /** Settings of the statement that makes it. */
  readonly settings?: string;
}

/**
 * A change of tables, independent of the number of nodes: {@link Engine.define} makes it on each node. All of them may
 * be repeated. Names are `database.table`, in which the product gives the databases names of letters, digits and `_`.
 */
export type TableChange =
  | { readonly change: 'make-database'; readonly database: string }
  | { readonly change: 'drop-database'; readonly database: string }
  /** A table of rows with a column `id`, by which they are spread; of rows with the same key the newest stays. */
  | {
      readonly change: 'make-table';
      readonly table: string;
      readonly columns: readonly string[];
      readonly kind: TableKind;
    }
  | {
      readonly change: 'add-columns';
      readonly table: string;
      readonly columns: readonly string[];
      readonly settings?: string;
    }
  | { readonly change: 'drop-table'; readonly table: string }
  /** `isUnseen`: no query would give these rows, so copies that are away may keep them. */
  | { readonly change: 'delete-rows'; readonly table: string; readonly where: string; readonly isUnseen: boolean };

/** Statement that makes a change on a single engine. */
export function statementOf(change: TableChange): string {
  switch (change.change) {
    case 'make-database':
      return `CREATE DATABASE IF NOT EXISTS ${change.database}`;
    case 'drop-database':
      return `DROP DATABASE IF EXISTS ${change.database} SYNC`;
    case 'make-table': {
      const { version = '', deduplicates = false, tableSettings = [] } = change.kind;
      const own = deduplicates ? ['non_replicated_deduplication_window = 1000'] : [];
      const kind = { ...change.kind, tableSettings: [...tableSettings, ...own] };
      return makeTable(change.table, change.columns, `ReplacingMergeTree(${version})`, kind);
    }
    case 'add-columns': {
      const columns = change.columns.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`);
      return `ALTER TABLE ${change.table} ${columns.join(', ')}${settingsClause(change.settings)}`;
    }
    case 'drop-table':
      return `DROP TABLE IF EXISTS ${change.table} SYNC`;
    case 'delete-rows':
      return `DELETE FROM ${change.table} WHERE ${change.where}`;
  }
}

/** What {@link statementOf} a change does. */
export function effectOf(change: TableChange): Effect {
  switch (change.change) {
    case 'make-database':
      return { changes: [], needsRoom: { unless: `EXISTS DATABASE ${change.database}` } };
    case 'drop-database':
      return { changes: 'all', continues: true };
    case 'make-table':
      return makes(change.table);
    case 'drop-table':
      return { changes: [change.table], continues: true };
    case 'add-columns':
    case 'delete-rows':
      return alters(change.table);
  }
}

/** The statement that makes a table with an engine of the MergeTree family. */
export function makeTable(table: string, columns: readonly string[], engine: string, kind: TableKind): string {
  const { order, partition, tableSettings = [], settings } = kind;
  const parts = [`CREATE TABLE IF NOT EXISTS ${table} (${columns.join(', ')}) ENGINE = ${engine}`];
  if (partition !== undefined) parts.push(`PARTITION BY ${partition}`);
  parts.push(`ORDER BY (${order})`);
  const all = [...tableSettings, ...(settings === undefined ? [] : [settings])];
  if (all.length > 0) parts.push(`SETTINGS ${all.join(', ')}`);
  return parts.join(' ');
}

function settingsClause(settings: string | undefined): string {
  return settings === undefined ? '' : ` SETTINGS ${settings}`;
}
