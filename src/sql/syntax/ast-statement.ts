import type { EncodingWords } from '../../model/schema.js';
import type { Duration, Expression, Name, ObjectName, Query, Span, TypeSyntax, WindowLength } from './ast.js';
import type { ShowListName } from './show-lists.js';

export interface ColumnSyntax {
  readonly name: Name;
  readonly type: TypeSyntax;
  readonly primaryKey: boolean;
  readonly encoding?: EncodingWords;
}

/** Table options in order of appearance, names in upper case, values as text. */
export interface TableOptions {
  readonly comment: string | undefined;
  readonly ttl: number | undefined;
  readonly other: readonly { readonly name: string; readonly text: string }[];
}

/** Name and text of a database option; strings without quotes. */
export interface DatabaseOption {
  readonly name: string;
  readonly values: readonly string[];
  readonly span: Span;
}

export interface ChildTable {
  readonly ifNotExists: boolean;
  readonly table: ObjectName;
  readonly superTable: ObjectName;
  readonly tagNames: readonly Name[] | undefined;
  readonly tagValues: readonly Expression[];
  readonly options: TableOptions;
}

/** A tag, and the literal it gets. */
export interface TagChange {
  readonly name: Name;
  readonly value: Expression;
}

export type AlterTableAction =
  | {
      readonly kind: 'add-column' | 'add-tag' | 'modify-column' | 'modify-tag';
      readonly name: Name;
      readonly type: TypeSyntax;
      /** Set when the column would be part of the key, which is not possible. */
      readonly isKey?: boolean;
      readonly encoding?: EncodingWords;
    }
  | { readonly kind: 'drop-column' | 'drop-tag'; readonly name: Name }
  | { readonly kind: 'encode-column'; readonly name: Name; readonly encoding: EncodingWords }
  | { readonly kind: 'rename-column' | 'rename-tag'; readonly from: Name; readonly to: Name }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'ttl'; readonly days: number }
  | { readonly kind: 'keep'; readonly text: string };

/** When a stream writes the windows that new rows have touched. */
export type StreamTrigger =
  | { readonly kind: 'at-once' | 'window-close' }
  | { readonly kind: 'max-delay'; readonly delay: Duration };

export interface StreamOptions {
  readonly trigger: StreamTrigger;
  /** How long a window waits for late rows behind its end. */
  readonly watermark: Duration | undefined;
  /** Rows of windows that are closed change nothing. */
  readonly ignoreExpired: boolean;
  /** Rows that are there when the stream is made count too. */
  readonly fillHistory: boolean;
}

/** A tag of a stream's table; without a type the table has it already. */
export interface StreamTag {
  readonly name: Name;
  readonly type: TypeSyntax | undefined;
}

/** The lists of SHOW; parameters where the statement has them. */
export type Show =
  | { readonly what: 'databases'; readonly which: 'all' | 'user' | 'system' }
  | {
      readonly what: 'tables';
      readonly which: 'all' | 'normal' | 'child';
      readonly database: Name | undefined;
      readonly like: string | undefined;
    }
  | { readonly what: 'stables' | 'vgroups'; readonly database: Name | undefined; readonly like: string | undefined }
  | { readonly what: 'create-database'; readonly database: Name }
  | { readonly what: 'create-table' | 'create-stable'; readonly table: ObjectName }
  | { readonly what: 'create-view'; readonly table: ObjectName }
  | { readonly what: 'tags'; readonly table: ObjectName }
  | {
      readonly what: 'table-tags';
      readonly table: ObjectName;
      readonly tags: readonly { readonly name: Name; readonly alias: Name | undefined }[];
    }
  | { readonly what: 'indexes' | 'table-distributed'; readonly table: ObjectName }
  | { readonly what: 'alive'; readonly database: Name | undefined }
  | {
      readonly what: 'list';
      readonly list: ShowListName;
      readonly like: string | undefined;
      /** The listed database; all of them when left out. */
      readonly ofDatabase?: Name;
      /** The node whose variables are listed. */
      readonly dnode?: number;
    };

/** Options of a statement about a token; undefined when left out. */
export interface TokenOptions {
  readonly enable: number | undefined;
  /** In days. */
  readonly ttl: number | undefined;
  readonly provider: string | undefined;
  readonly extraInfo: string | undefined;
}

/**
 * Source of a topic: the rows of a query or of a super table, or all of a database. `text` is the source it was read
 * from.
 */
export type TopicSourceSyntax =
  | { readonly kind: 'query'; readonly query: Query; readonly text: string }
  | {
      readonly kind: 'table';
      readonly table: ObjectName;
      readonly where: Expression | undefined;
      readonly text: string | undefined;
    }
  | { readonly kind: 'database'; readonly database: Name };

/** The options of EXPLAIN. */
export interface Explain {
  /** Runs the query and shows its cost. */
  readonly analyze: boolean;
  readonly verbose: boolean;
}

export type Statement =
  | { readonly kind: 'query'; readonly query: Query; readonly explain: Explain | undefined }
  /** The whole INSERT is read again by the INSERT scanner; `offset` is where its text begins. */
  | { readonly kind: 'insert'; readonly offset: number }
  | {
      readonly kind: 'insert-select';
      readonly table: ObjectName;
      readonly columns: readonly Name[] | undefined;
      readonly query: Query;
    }
  | { readonly kind: 'delete'; readonly table: ObjectName; readonly where: Expression | undefined }
  | {
      readonly kind: 'create-database';
      readonly name: Name;
      readonly ifNotExists: boolean;
      readonly options: readonly DatabaseOption[];
    }
  | { readonly kind: 'alter-database'; readonly name: Name; readonly options: readonly DatabaseOption[] }
  | { readonly kind: 'drop-database'; readonly name: Name; readonly ifExists: boolean }
  /** `text` is the source of the query. */
  | {
      readonly kind: 'create-view';
      readonly view: ObjectName;
      readonly orReplace: boolean;
      readonly query: Query;
      readonly text: string;
    }
  | { readonly kind: 'drop-view'; readonly view: ObjectName; readonly ifExists: boolean }
  | {
      readonly kind: 'create-topic';
      readonly name: Name;
      readonly ifNotExists: boolean;
      /** Definitions are delivered as well. */
      readonly meta: boolean;
      readonly source: TopicSourceSyntax;
    }
  /** `force`: also while consumers read it. */
  | { readonly kind: 'drop-topic'; readonly name: Name; readonly ifExists: boolean; readonly force: boolean }
  | {
      readonly kind: 'drop-consumer-group';
      readonly group: Name;
      readonly topic: Name;
      readonly ifExists: boolean;
      readonly force: boolean;
    }
  /** `text` is the source of the query. */
  | {
      readonly kind: 'create-stream';
      readonly name: Name;
      readonly ifNotExists: boolean;
      readonly options: StreamOptions;
      readonly target: ObjectName;
      readonly columns: readonly Name[] | undefined;
      readonly tags: readonly StreamTag[] | undefined;
      readonly subTable: Expression | undefined;
      readonly query: Query;
      readonly text: string;
    }
  | { readonly kind: 'drop-stream'; readonly name: Name; readonly ifExists: boolean }
  | { readonly kind: 'switch-stream'; readonly name: Name; readonly ifExists: boolean; readonly paused: boolean }
  /** `index` marks the older form, CREATE SMA INDEX. */
  | {
      readonly kind: 'create-tsma';
      readonly index: boolean;
      readonly tsma: ObjectName;
      readonly ifNotExists: boolean;
      readonly table: ObjectName;
      readonly functions: readonly Expression[];
      /** Source text of each of `functions`. */
      readonly functionTexts: readonly string[];
      readonly interval: WindowLength;
      readonly offset: WindowLength | undefined;
      readonly sliding: WindowLength | undefined;
      /** Stands on another TSMA, which `table` names. */
      readonly recursive: boolean;
    }
  | {
      readonly kind: 'create-index';
      readonly index: ObjectName;
      readonly table: ObjectName;
      readonly tag: Name;
      readonly ifNotExists: boolean;
    }
  /** `index` marks DROP INDEX, which also drops an index on a tag. */
  | { readonly kind: 'drop-tsma'; readonly index: boolean; readonly tsma: ObjectName; readonly ifExists: boolean }
  | { readonly kind: 'use'; readonly name: Name }
  | {
      readonly kind: 'create-table';
      readonly table: ObjectName;
      readonly ifNotExists: boolean;
      readonly columns: readonly ColumnSyntax[];
      /** Undefined for a normal table. */
      readonly tags: readonly ColumnSyntax[] | undefined;
      readonly options: TableOptions;
    }
  | { readonly kind: 'create-child-tables'; readonly tables: readonly ChildTable[] }
  | {
      readonly kind: 'drop-table';
      readonly stable: boolean;
      readonly tables: readonly { readonly table: ObjectName; readonly ifExists: boolean }[];
    }
  | {
      readonly kind: 'alter-table';
      readonly stable: boolean;
      readonly table: ObjectName;
      readonly action: AlterTableAction;
    }
  /** Tags of one or more sub-tables. */
  | {
      readonly kind: 'set-tags';
      readonly stable: boolean;
      readonly tables: readonly { readonly table: ObjectName; readonly tags: readonly TagChange[] }[];
    }
  /** Tags of all sub-tables of a super table that meet a condition. */
  | {
      readonly kind: 'set-tags-using';
      readonly table: ObjectName;
      readonly tags: readonly TagChange[];
      readonly where: Expression | undefined;
    }
  | {
      readonly kind: 'create-user';
      readonly name: Name;
      readonly ifNotExists: boolean;
      readonly password: string;
      readonly options: Readonly<Record<string, string>>;
    }
  /** Changes by their words: PASS, ENABLE, SYSINFO, CREATEDB, ADD HOST, DROP HOST. */
  | { readonly kind: 'alter-user'; readonly name: Name; readonly changes: Readonly<Record<string, string>> }
  | { readonly kind: 'drop-user'; readonly name: Name; readonly ifExists: boolean }
  /** `rights` in upper case, ALL among them; undefined names are the star. */
  | {
      readonly kind: 'grant' | 'revoke';
      readonly rights: readonly string[];
      readonly database: Name | undefined;
      readonly table: Name | undefined;
      /** Which sub-tables the right is for, by their tags. */
      readonly condition?: { readonly text: string; readonly value: Expression };
      readonly user: Name;
    }
  /** The one right on a topic: to consume it. */
  | { readonly kind: 'grant-topic' | 'revoke-topic'; readonly topic: Name; readonly user: Name }
  | {
      readonly kind: 'create-token';
      readonly name: Name;
      readonly ifNotExists: boolean;
      readonly user: Name;
      readonly options: TokenOptions;
    }
  | { readonly kind: 'alter-token'; readonly name: Name; readonly options: TokenOptions }
  | { readonly kind: 'drop-token'; readonly name: Name; readonly ifExists: boolean }
  | { readonly kind: 'show'; readonly show: Show }
  | { readonly kind: 'describe'; readonly table: ObjectName }
  /** `id` as SHOW QUERIES gives it. */
  | { readonly kind: 'kill-query'; readonly id: string }
  /** `id` as SHOW CONNECTIONS gives it. */
  | { readonly kind: 'kill-connection'; readonly id: number }
  /**
   * Recognised, validated in shape, and without effect here (FLUSH DATABASE, RESET QUERY CACHE, BALANCE VGROUP ...).
   */
  | {
      readonly kind: 'accepted';
      readonly words: string;
      readonly database: Name | undefined;
    }
  /** Recognised but not available: answered with "Operation not supported". */
  | { readonly kind: 'unsupported'; readonly words: string };

/** A word for each kind of statement. */
export type StatementKind = Statement['kind'];

/** The statements of a kind. */
export type StatementOf<K extends StatementKind> = Statement extends infer S
  ? S extends { readonly kind: infer V }
    ? K extends V
      ? S
      : never
    : never
  : never;
