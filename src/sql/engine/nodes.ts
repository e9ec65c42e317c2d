/**
 * The syntax tree of the engine's SQL. Expressions are immutable, so statements share them. `print.ts`
 * turns them into text once. Code that inspects or changes a statement visits or transforms its nodes (`transform.ts`).
 */
abstract class Node {
  #printed: string | undefined;

  /** Its text, when `print.ts` has printed it before. */
  get printed(): string | undefined {
    return this.#printed;
  }

  /** Takes its text, which never changes. */
  setPrinted(text: string): void {
    this.#printed = text;
  }

  /** A node has no text of its own, so that it never gets into one by accident. */
  toString(): never {
    throw new TypeError('A node of engine SQL must be printed');
  }
}

/** `name(args)`, with the parameters of a parametric aggregate `name(parameters)(args)`. */
export class Call extends Node {
  readonly kind = 'call';
  readonly name: string;
  readonly args: readonly Expr[];
  readonly parameters: readonly Expr[];

  constructor(name: string, args: readonly Expr[], parameters: readonly Expr[] = []) {
    super();
    this.name = name;
    this.args = args;
    this.parameters = parameters;
  }
}

/** A text, as a literal. */
export class Text extends Node {
  readonly kind = 'text';
  readonly value: string;

  constructor(value: string) {
    super();
    this.value = value;
  }
}

/** A number without a sign, in digits as they are written. */
export class Digits extends Node {
  readonly kind = 'digits';
  readonly digits: string;

  constructor(digits: string) {
    super();
    this.digits = digits;
  }
}

/**
 * A column, or another name that stands for a value; `table` is the alias of its FROM item. A quoted name may hold
 * anything.
 */
export class Column extends Node {
  readonly kind = 'column';
  readonly table: string | undefined;
  readonly name: string;
  readonly isQuoted: boolean;

  constructor(table: string | undefined, name: string, isQuoted = false) {
    super();
    this.table = table;
    this.name = name;
    this.isQuoted = isQuoted;
  }
}

/** A word with a meaning of its own: NULL, `*`. */
export class Word extends Node {
  readonly kind = 'word';
  readonly word: 'NULL' | 'true' | 'false' | '*';

  constructor(word: 'NULL' | 'true' | 'false' | '*') {
    super();
    this.word = word;
  }
}

/** `x -> body` */
export class Lambda extends Node {
  readonly kind = 'lambda';
  readonly parameters: readonly string[];
  readonly body: Expr;

  constructor(parameters: readonly string[], body: Expr) {
    super();
    this.parameters = parameters;
    this.body = body;
  }
}

/** `[items]` */
export class ArrayOf extends Node {
  readonly kind = 'array';
  readonly items: readonly Expr[];

  constructor(items: readonly Expr[]) {
    super();
    this.items = items;
  }
}

/** `(items)`; a single one is the set of an IN. */
export class Tuple extends Node {
  readonly kind = 'tuple';
  readonly items: readonly Expr[];

  constructor(items: readonly Expr[]) {
    super();
    this.items = items;
  }
}

/** Operators between two operands, by how tightly they bind. */
export const precedences = {
  OR: 1,
  AND: 2,
  '=': 4,
  '!=': 4,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  IN: 4,
  'NOT IN': 4,
  'GLOBAL IN': 4,
  'GLOBAL NOT IN': 4,
  LIKE: 4,
  'IS DISTINCT FROM': 4,
  'IS NOT DISTINCT FROM': 4,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
} as const;

export type Operator = keyof typeof precedences;

/** `left operator right` */
export class Binary extends Node {
  readonly kind = 'binary';
  readonly operator: Operator;
  readonly left: Expr;
  readonly right: Expr;

  constructor(operator: Operator, left: Expr, right: Expr) {
    super();
    this.operator = operator;
    this.left = left;
    this.right = right;
  }
}

/** `-x`, `NOT x` */
export class Unary extends Node {
  readonly kind = 'unary';
  readonly operator: '-' | 'NOT';
  readonly operand: Expr;

  constructor(operator: '-' | 'NOT', operand: Expr) {
    super();
    this.operator = operator;
    this.operand = operand;
  }
}

/** `value BETWEEN low AND high` */
export class Between extends Node {
  readonly kind = 'between';
  readonly value: Expr;
  readonly low: Expr;
  readonly high: Expr;

  constructor(value: Expr, low: Expr, high: Expr) {
    super();
    this.value = value;
    this.low = low;
    this.high = high;
  }
}

/** `base[index]` of an array. */
export class Element extends Node {
  readonly kind = 'element';
  readonly base: Expr;
  readonly index: Expr;

  constructor(base: Expr, index: Expr) {
    super();
    this.base = base;
    this.index = index;
  }
}

/** `base.n` of a tuple; members count from 1. */
export class Member extends Node {
  readonly kind = 'member';
  readonly base: Expr;
  readonly number: number;

  constructor(base: Expr, number: number) {
    super();
    this.base = base;
    this.number = number;
  }
}

/** `(expression AS name)` within an expression. */
export class Named extends Node {
  readonly kind = 'named';
  readonly expression: Expr;
  readonly name: string;

  constructor(expression: Expr, name: string) {
    super();
    this.expression = expression;
    this.name = name;
  }
}

/** A query as a value or as a set. */
export class Subquery extends Node {
  readonly kind = 'subquery';
  readonly query: Query;

  constructor(query: Query) {
    super();
    this.query = query;
  }
}

/** Treatment of NULL by a function over a window. */
export type NullTreatment = 'IGNORE NULLS' | 'RESPECT NULLS';

/** `call OVER (PARTITION BY … ORDER BY … frame)` */
export class Over extends Node {
  readonly kind = 'over';
  readonly call: Expr;
  readonly window: Window;
  readonly nulls: NullTreatment | undefined;

  constructor(call: Expr, window: Window, nulls?: NullTreatment | undefined) {
    super();
    this.call = call;
    this.window = window;
    this.nulls = nulls;
  }
}

/** The rows that a function over a window looks at. */
export interface Window {
  readonly partitionBy?: readonly Expr[];
  readonly orderBy?: readonly SortTerm[];
  /** `ROWS BETWEEN … AND …` */
  readonly frame?: string | undefined;
}

/**
 * The assumption that an engine table, known under `alias`, has no rows of later inserts than `insert`. As a condition
 * it holds for each row; the engine ends the statement where the assumption is wrong.
 */
export class Assumption extends Node {
  readonly kind = 'assumption';
  readonly storage: string;
  readonly alias: string;
  readonly insert: number;

  constructor(storage: string, alias: string, insert: number) {
    super();
    this.storage = storage;
    this.alias = alias;
    this.insert = insert;
  }
}

/** An expression of the engine. */
export type Expr =
  | Call
  | Text
  | Digits
  | Column
  | Word
  | Lambda
  | ArrayOf
  | Tuple
  | Binary
  | Unary
  | Between
  | Element
  | Member
  | Named
  | Subquery
  | Over
  | Assumption;

/** A term of ORDER BY. */
export interface SortTerm {
  readonly by: Expr;
  readonly descending?: boolean;
  readonly nulls?: 'first' | 'last' | undefined;
  /** Adds rows for missing whole numbers, from the first up to but without the last. */
  readonly fill?: { readonly from: bigint; readonly to: bigint } | undefined;
}

/** An expression and the name that it gets. */
export type SelectColumn = readonly [expression: Expr, alias: string];

/** The rows of LIMIT: `count` after `offset`. */
export interface RowRange {
  readonly count: bigint;
  readonly offset: bigint;
}

/** One SELECT, clause by clause. */
export interface SelectQuery {
  readonly columns: readonly SelectColumn[];
  /** Puts all columns before them: those of the FROM item of this name, or of all for `*`. */
  readonly star?: string;
  readonly distinct?: boolean;
  readonly from: FromItem | undefined;
  readonly where?: readonly Expr[];
  /** How many of the leading columns are grouping keys, or the keys themselves. */
  readonly groupBy?: number | readonly Expr[];
  readonly having?: readonly Expr[];
  /** True for aggregates without keys. */
  readonly isOneGroup?: boolean;
  /** Of a SELECT of aggregates without keys: over no rows it gives none either. */
  readonly hidesEmpty?: boolean;
  readonly qualify?: Expr | undefined;
  readonly orderBy?: readonly SortTerm[];
  readonly limitBy?: (RowRange & { readonly keys: readonly Expr[] }) | undefined;
  readonly limit?: RowRange | undefined;
}

/** Queries whose rows follow each other. */
interface UnionQuery {
  readonly union: readonly Query[];
  /** UNION instead of UNION ALL. */
  readonly distinct?: boolean;
}

/** The text of a query that has no tree: the statement of a system table. */
interface RawQuery {
  readonly raw: string;
}

export type Query = SelectQuery | UnionQuery | RawQuery;

/** Where rows come from. */
export type FromItem =
  | { readonly kind: 'table'; readonly table: string; readonly alias?: string | undefined; readonly final?: boolean }
  | { readonly kind: 'query'; readonly query: Query; readonly alias?: string | undefined }
  | { readonly kind: 'function'; readonly call: Call; readonly alias?: string | undefined }
  | {
      readonly kind: 'join';
      /** `INNER`, `ASOF LEFT`, `CROSS`. */
      readonly join: string;
      readonly left: FromItem;
      readonly right: FromItem;
      /** Conditions; none of a CROSS JOIN. */
      readonly on: readonly Expr[];
    };
