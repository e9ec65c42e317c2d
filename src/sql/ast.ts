/** Half-open byte range of the statement a node was read from; errors quote the text from `start` on. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A name as stored: folded to lower case when bare, verbatim when it was back-quoted. */
export interface Name {
  readonly text: string;
  readonly quoted: boolean;
  readonly span: Span;
}

/** `[db.]name` */
export interface ObjectName {
  readonly database: Name | undefined;
  readonly name: Name;
}

/** Duration units: b ns, u us, a ms, s, m, h, d, w, n calendar month, y calendar year. */
export type DurationUnit = 'b' | 'u' | 'a' | 's' | 'm' | 'h' | 'd' | 'w' | 'n' | 'y';

export interface Duration {
  readonly count: number;
  readonly unit: DurationUnit;
}

/** A window length: a duration, or a bare number of ticks. */
export type WindowLength = Duration | { readonly ticks: bigint };

/** How long a window must last at least, or how many rows it must have. */
export type TrueFor = WindowLength | { readonly rows: bigint };

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '&'
  | '|'
  | '->'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'AND'
  | 'OR'
  | 'LIKE'
  | 'NOT LIKE'
  | 'MATCH'
  | 'NMATCH'
  | 'REGEXP'
  | 'NOT REGEXP'
  | 'CONTAINS';

export type Expression =
  | { readonly kind: 'integer'; readonly value: bigint; readonly span: Span }
  | { readonly kind: 'number'; readonly text: string; readonly span: Span }
  | { readonly kind: 'string'; readonly value: string; readonly span: Span }
  | { readonly kind: 'bool'; readonly value: boolean; readonly span: Span }
  | { readonly kind: 'null'; readonly span: Span }
  | { readonly kind: 'duration'; readonly value: Duration; readonly span: Span }
  | { readonly kind: 'timestamp'; readonly text: string; readonly span: Span }
  /** A column, tag, alias or pseudo column (`_wstart`, `tbname`, `_c0` ...), with its optional table qualifier. */
  | { readonly kind: 'column'; readonly table: Name | undefined; readonly name: Name; readonly span: Span }
  | { readonly kind: 'star'; readonly table: Name | undefined; readonly span: Span }
  /** `name` in upper case. NOW, TODAY, TIMEZONE without brackets arrive as calls with `bare` set. */
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly bare: boolean;
      readonly span: Span;
    }
  | { readonly kind: 'cast'; readonly value: Expression; readonly type: TypeSyntax; readonly span: Span }
  | { readonly kind: 'negate'; readonly value: Expression; readonly span: Span }
  | { readonly kind: 'not'; readonly value: Expression; readonly span: Span }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly span: Span;
    }
  | {
      readonly kind: 'between';
      readonly value: Expression;
      readonly low: Expression;
      readonly high: Expression;
      readonly negated: boolean;
      readonly span: Span;
    }
  | {
      readonly kind: 'in';
      readonly value: Expression;
      readonly list: readonly Expression[];
      readonly negated: boolean;
      readonly span: Span;
    }
  /** A query whose one value stands for itself; `value IN (query)`; whether a query has rows. */
  | { readonly kind: 'scalar-query' | 'exists'; readonly query: Query; readonly span: Span }
  | {
      readonly kind: 'in-query';
      readonly value: Expression;
      readonly query: Query;
      readonly negated: boolean;
      readonly span: Span;
    }
  | { readonly kind: 'is-null'; readonly value: Expression; readonly negated: boolean; readonly span: Span }
  | {
      readonly kind: 'case';
      readonly operand: Expression | undefined;
      readonly branches: readonly { readonly when: Expression; readonly then: Expression }[];
      readonly otherwise: Expression | undefined;
      readonly span: Span;
    };

/** A type as written: `VARCHAR(20)`, `DECIMAL(10,2)`, `INT UNSIGNED`; `name` in upper case, BINARY given as VARCHAR. */
export interface TypeSyntax {
  readonly name: string;
  readonly length: number | undefined;
  readonly scale: number | undefined;
  readonly span: Span;
}

export interface SelectItem {
  readonly value: Expression;
  readonly alias: Name | undefined;
  /** Source text of the expression, the base of the result name. */
  readonly text: string;
}

export type FromItem =
  | { readonly kind: 'table'; readonly table: ObjectName; readonly alias: Name | undefined }
  | { readonly kind: 'subquery'; readonly query: Query; readonly alias: Name | undefined }
  | {
      readonly kind: 'join';
      readonly join: JoinKind;
      readonly left: FromItem;
      readonly right: FromItem;
      readonly on: Expression | undefined;
      readonly windowOffset: readonly [Duration, Duration] | undefined;
      readonly jlimit: number | undefined;
      readonly span: Span;
    };

export type JoinKind =
  | 'comma'
  | 'inner'
  | 'left'
  | 'right'
  | 'full'
  | 'left-semi'
  | 'right-semi'
  | 'left-anti'
  | 'right-anti'
  | 'left-asof'
  | 'right-asof'
  | 'left-window'
  | 'right-window';

export type FillMode = 'NONE' | 'NULL' | 'NULL_F' | 'PREV' | 'NEXT' | 'NEAR' | 'LINEAR' | 'VALUE' | 'VALUE_F';

export interface Fill {
  readonly mode: FillMode;
  /** Literals of VALUE and VALUE_F. */
  readonly values: readonly Expression[];
  readonly span: Span;
}

export type WindowClause =
  | {
      readonly kind: 'interval';
      readonly length: WindowLength;
      readonly offset: WindowLength | 'AUTO' | undefined;
      readonly sliding: WindowLength | undefined;
      readonly fill: Fill | undefined;
      readonly span: Span;
    }
  | { readonly kind: 'session'; readonly column: Expression; readonly gap: WindowLength; readonly span: Span }
  | {
      readonly kind: 'state';
      readonly value: Expression;
      readonly extend: Expression | undefined;
      /** The state that opens no window. */
      readonly zeroth: Expression | undefined;
      readonly trueFor: TrueFor | undefined;
      readonly span: Span;
    }
  | {
      readonly kind: 'event';
      readonly start: Expression;
      readonly end: Expression;
      readonly trueFor: TrueFor | undefined;
      readonly span: Span;
    }
  | {
      readonly kind: 'count';
      readonly size: bigint;
      readonly sliding: bigint | undefined;
      readonly columns: readonly Name[];
      readonly span: Span;
    };

export interface PartitionItem {
  readonly value: Expression;
  readonly alias: Name | undefined;
  readonly text: string;
}

export interface OrderItem {
  readonly value: Expression;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | undefined;
}

/** LIMIT / SLIMIT with its offset, both as written (may be negative: refused by the resolver). */
export interface Limit {
  readonly count: bigint;
  readonly offset: bigint;
  readonly span: Span;
}

export interface InterpRange {
  readonly from: Expression;
  readonly to: Expression | undefined;
  readonly every: WindowLength | undefined;
  readonly fill: Fill | undefined;
  readonly span: Span;
}

/** One SELECT block. ORDER BY and LIMIT of a single block are here; of a union, in {@link Query}. */
export interface Select {
  readonly kind: 'select';
  readonly distinct: boolean;
  /** SELECT TAGS */
  readonly tags: boolean;
  readonly items: readonly SelectItem[];
  readonly from: FromItem | undefined;
  readonly where: Expression | undefined;
  readonly partitionBy: readonly PartitionItem[];
  readonly range: InterpRange | undefined;
  readonly window: WindowClause | undefined;
  readonly groupBy: readonly PartitionItem[];
  readonly having: Expression | undefined;
  readonly orderBy: readonly OrderItem[];
  readonly slimit: Limit | undefined;
  readonly limit: Limit | undefined;
  readonly span: Span;
}

export interface Union {
  readonly kind: 'union';
  readonly all: boolean;
  readonly left: Query;
  readonly right: Query;
  readonly orderBy: readonly OrderItem[];
  readonly limit: Limit | undefined;
  readonly span: Span;
}

export type Query = Select | Union;

export interface ColumnSyntax {
  readonly name: Name;
  readonly type: TypeSyntax;
  readonly primaryKey: boolean;
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

export type AlterTableAction =
  | {
      readonly kind: 'add-column' | 'add-tag' | 'modify-column' | 'modify-tag';
      readonly name: Name;
      readonly type: TypeSyntax;
    }
  | { readonly kind: 'drop-column' | 'drop-tag'; readonly name: Name }
  /** Changes nothing but the encoding, which has no effect here. */
  | { readonly kind: 'encode-column'; readonly name: Name }
  | { readonly kind: 'rename-column' | 'rename-tag'; readonly from: Name; readonly to: Name }
  | { readonly kind: 'set-tag'; readonly tags: readonly { readonly name: Name; readonly value: Expression }[] }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'ttl'; readonly days: number }
  | { readonly kind: 'keep'; readonly text: string };

/** What SHOW lists; parameters where the statement has them. */
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
  /** Any other list, by its upper-case words joined with one blank: `USERS`, `CLUSTER VARIABLES`, `TOKENS` ... */
  | { readonly what: 'list'; readonly list: string; readonly like: string | undefined };

/** What a statement says about a token; undefined is not said. */
export interface TokenOptions {
  readonly enable: number | undefined;
  /** In days. */
  readonly ttl: number | undefined;
  readonly provider: string | undefined;
  readonly extraInfo: string | undefined;
}

export type Statement =
  | { readonly kind: 'query'; readonly query: Query; readonly explain: boolean }
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
  | {
      readonly kind: 'create-user';
      readonly name: Name;
      readonly password: string;
      readonly options: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'alter-user'; readonly name: Name; readonly change: string; readonly value: string }
  | { readonly kind: 'drop-user'; readonly name: Name; readonly ifExists: boolean }
  /** `rights` in upper case, ALL among them; undefined names are the star. */
  | {
      readonly kind: 'grant' | 'revoke';
      readonly rights: readonly string[];
      readonly database: Name | undefined;
      readonly table: Name | undefined;
      readonly user: Name;
    }
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
  /** Recognised, validated in shape, and without effect here (FLUSH DATABASE, RESET QUERY CACHE, BALANCE VGROUP ...). */
  | {
      readonly kind: 'accepted';
      readonly words: string;
      readonly database: Name | undefined;
      /** A super table that must exist. */
      readonly superTable?: ObjectName;
    }
  /** Recognised but not available: answered with "Operation not supported". */
  | { readonly kind: 'unsupported'; readonly words: string };
