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

/** A length of time as written: `10s`, `-1n`. */
export interface Duration {
  readonly count: number;
  readonly unit: DurationUnit;
}

/** A window length: a duration, or a bare number of ticks. */
export type WindowLength = Duration | { readonly ticks: bigint };

/** How long a window must last at least, how many rows it must have, or both or either of them. */
export type TrueFor =
  | WindowLength
  | { readonly rows: bigint }
  | { readonly operator: 'AND' | 'OR'; readonly left: TrueFor; readonly right: TrueFor };

/** Operators between two operands, as the dialect spells them. */
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

/** Operators that order two values. */
export type ComparisonOperator = Extract<BinaryOperator, '=' | '<>' | '<' | '<=' | '>' | '>='>;

/** An expression: anything with a value. Spans are places in the source text, for messages and result names. */
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
  /** A call over the rows of OVER. */
  | (OverWindow & {
      readonly kind: 'over';
      readonly call: Extract<Expression, { kind: 'call' }>;
      readonly span: Span;
    })
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
  /** `value operator ALL (query)`, or ANY instead of ALL. */
  | {
      readonly kind: 'quantified';
      readonly value: Expression;
      readonly operator: ComparisonOperator;
      readonly every: boolean;
      readonly query: Query;
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

/** Which rows a call with OVER looks at. */
export interface OverWindow {
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly frame: Frame | undefined;
}

/** The rows around the current one: counted, or in RANGE those whose value of ORDER BY is near enough. */
export interface Frame {
  readonly unit: 'ROWS' | 'RANGE';
  readonly from: FrameEnd;
  readonly to: FrameEnd;
}

/** An end of a frame in the words of SQL, or so many rows, or in RANGE so much, before or after the current row. */
export type FrameEnd =
  | 'CURRENT ROW'
  | 'UNBOUNDED PRECEDING'
  | 'UNBOUNDED FOLLOWING'
  | { readonly distance: WindowLength; readonly side: 'PRECEDING' | 'FOLLOWING' };

/** A type as written: `VARCHAR(20)`, `DECIMAL(10,2)`, `INT UNSIGNED`; `name` in upper case, BINARY given as VARCHAR. */
export interface TypeSyntax {
  readonly name: string;
  readonly length: number | undefined;
  readonly scale: number | undefined;
  readonly span: Span;
}

/** An entry of the SELECT list. */
export interface SelectItem {
  readonly value: Expression;
  readonly alias: Name | undefined;
  /** Source text of the expression, the base of the result name. */
  readonly text: string;
}

/** An item of FROM: a table, a bracketed query, or two of them joined. */
export type FromItem =
  | { readonly kind: 'table'; readonly table: ObjectName; readonly alias: Name | undefined }
  | { readonly kind: 'subquery'; readonly query: Query; readonly alias: Name | undefined }
  | InlineRows
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

/** `TEXT(name type, …) VALUES (…) …`: rows that are written in the query. */
export interface InlineRows {
  readonly kind: 'rows';
  readonly columns: readonly { readonly name: Name; readonly type: TypeSyntax }[];
  readonly rows: readonly (readonly Expression[])[];
  readonly alias: Name | undefined;
  readonly span: Span;
}

/** How two sides of FROM are joined; `comma` is a list between commas. */
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

/** How windows without rows get values; the `_F` forms also fill where no window has rows. */
export type FillMode = 'NONE' | 'NULL' | 'NULL_F' | 'PREV' | 'NEXT' | 'NEAR' | 'LINEAR' | 'VALUE' | 'VALUE_F';

/** FILL of a window or of INTERP. */
export interface Fill {
  readonly mode: FillMode;
  /** Literals of VALUE and VALUE_F, and of SURROUND. */
  readonly values: readonly Expression[];
  /** SURROUND: how far the neighbours of PREV, NEXT and NEAR may be. */
  readonly within?: Extract<Expression, { kind: 'duration' }>;
  readonly span: Span;
}

/** The window clause of a SELECT. */
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
      /** What makes up the state. */
      readonly values: readonly Expression[];
      readonly extend: Expression | undefined;
      /** The state that opens no window, value by value; any value counts where there is none. */
      readonly zeroth: readonly (Expression | undefined)[];
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
    }
  | {
      readonly kind: 'external';
      /** Lists the windows: their first instants, their last ones, and whatever else the outer query may name. */
      readonly query: Query;
      readonly alias: Name | undefined;
      readonly fill: Fill | undefined;
      readonly span: Span;
    };

/** An entry of PARTITION BY. */
export type PartitionItem = SelectItem;

/** An entry of ORDER BY. */
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

/** RANGE, EVERY and FILL of a SELECT with INTERP. */
export interface InterpRange {
  readonly from: Expression;
  readonly to: Expression | undefined;
  /** How far from a point a row may be that PREV, NEXT and NEAR take; behind it the values of FILL stand. */
  readonly within: Expression | undefined;
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
  /** SCALAR: every row of each window, although its columns are the same for all of them. */
  readonly scalar?: boolean;
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

/** Two queries one behind the other; ORDER BY and LIMIT are for both together. */
export interface Union {
  readonly kind: 'union';
  readonly all: boolean;
  readonly left: Query;
  readonly right: Query;
  readonly orderBy: readonly OrderItem[];
  readonly limit: Limit | undefined;
  readonly span: Span;
}

/** A SELECT statement, a subquery or a view. */
export type Query = Select | Union;
