import { number } from './build.js';
import {
  ArrayOf,
  Between,
  Binary,
  Call,
  Column,
  Digits,
  Element,
  type Expr,
  Lambda,
  Member,
  type Operator,
  precedences,
  Text,
  Tuple,
  Unary,
  Word,
} from './nodes.js';
import { Transformer } from './transform.js';

/** What may stand in a template: an expression, a number, or the expressions of a list. */
type Hole = Expr | bigint | number | readonly Expr[];

/** One template of the program's source, read once. */
interface Template {
  readonly tree: Expr;
  /** The node that stands for each hole. */
  readonly holes: ReadonlyMap<Expr, number>;
}

const templates = new WeakMap<TemplateStringsArray, Template>();

/**
 * An expression of the engine, written as the engine reads it: expr`if(isFinite(${x}), ${x}, NULL)`. The source text
 * becomes a tree once; each use puts its values in place of the holes. A hole is a whole expression, so brackets around
 * it are never needed. A list fills as many places of a call, an array or a tuple as it has expressions. Texts of users
 * enter only by `text()` and `quoted()`: strings are no holes.
 */
export function expr(strings: TemplateStringsArray, ...values: readonly Hole[]): Expr {
  let template = templates.get(strings);
  if (template === undefined) {
    template = new TemplateReader(strings).read();
    templates.set(strings, template);
  }
  if (template.holes.size === 0) return template.tree;
  const { holes } = template;
  const root = holes.get(template.tree);
  if (root !== undefined) return exprOf(values[root]);
  return new Filling(holes, values).expr(template.tree);
}

/** Puts values in place of the holes of a template. */
class Filling extends Transformer {
  readonly #holes: ReadonlyMap<Expr, number>;
  readonly #values: readonly Hole[];

  constructor(holes: ReadonlyMap<Expr, number>, values: readonly Hole[]) {
    super((node) => {
      const at = holes.get(node);
      return at === undefined ? undefined : exprOf(values[at]);
    });
    this.#holes = holes;
    this.#values = values;
  }

  /** A hole in a list may stand for several expressions. */
  override list<T extends readonly Expr[] | undefined>(nodes: T): T {
    if (nodes === undefined || !nodes.some((node) => isList(this.#valueOf(node)))) return super.list(nodes);
    const filled = nodes.flatMap((node): readonly Expr[] => {
      const value = this.#valueOf(node);
      return isList(value) ? value : [this.expr(node)];
    });
    return filled as readonly Expr[] as T;
  }

  #valueOf(node: Expr): Hole | undefined {
    const at = this.#holes.get(node);
    return at === undefined ? undefined : this.#values[at];
  }
}

function isList(value: Hole | undefined): value is readonly Expr[] {
  return Array.isArray(value);
}

function exprOf(value: Hole | undefined): Expr {
  if (value === undefined || isList(value)) throw new TypeError('A list stands in no list of a template of engine SQL');
  return typeof value === 'bigint' || typeof value === 'number' ? number(value) : value;
}

/** A hole stands in the source text as `$1$`. */
const token =
  /\s*(?:\$(\d+)\$|'((?:[^'\\]|\\.)*)'|`([^`\\]+)`|(\d+(?:\.\d*)?(?:e\d+)?)|([A-Za-z_]\w*)|(->|<=|>=|!=|<>|[-+*/%=<>()[\],.]))/sy;

const comparisonWords = new Set(['=', '!=', '<', '<=', '>', '>=', 'IN', 'LIKE']);

type TokenKind = 'hole' | 'text' | 'quoted' | 'digits' | 'name' | 'sign' | 'end';

/** Reads the source text of a template. A mistake in it is one of the program. */
class TemplateReader {
  readonly #source: string;
  readonly #holes = new Map<Expr, number>();
  #at = 0;
  #kind: TokenKind = 'end';
  #value = '';

  constructor(strings: TemplateStringsArray) {
    this.#source = strings.reduce((all, piece, at) => `${all}$${at - 1}$${piece}`);
    this.#next();
  }

  read(): Template {
    const tree = this.#expression();
    if (this.#kind !== 'end') throw this.#mistake();
    return { tree, holes: this.#holes };
  }

  #next(): void {
    token.lastIndex = this.#at;
    const match = token.exec(this.#source);
    if (match === null) {
      if (this.#source.slice(this.#at).trim() !== '') throw this.#mistake();
      this.#kind = 'end';
      this.#value = '';
      return;
    }
    this.#at = token.lastIndex;
    const kinds = ['hole', 'text', 'quoted', 'digits', 'name', 'sign'] as const;
    const group = match.slice(1).findIndex((value) => value !== undefined);
    this.#kind = kinds[group] ?? 'end';
    this.#value = match[group + 1] ?? '';
  }

  #mistake(): Error {
    return new Error(`No template of engine SQL, near ${JSON.stringify(this.#value)}: ${this.#source}`);
  }

  #is(value: string): boolean {
    return (this.#kind === 'sign' || this.#kind === 'name') && this.#value === value;
  }

  #takes(value: string): boolean {
    if (!this.#is(value)) return false;
    this.#next();
    return true;
  }

  #expect(value: string): void {
    if (!this.#takes(value)) throw this.#mistake();
  }

  /** Operands of operators that bind at least so tightly. */
  #expression(least = 0): Expr {
    let left = this.#prefix();
    for (;;) {
      const operator = this.#operator(least);
      if (operator === undefined) return left;
      if (operator === 'BETWEEN') {
        const low = this.#expression(precedences['+']);
        this.#expect('AND');
        left = new Between(left, low, this.#expression(precedences['+']));
      } else left = new Binary(operator, left, this.#expression(precedences[operator] + 1));
    }
  }

  /** The operator that stands here, taken where it binds tightly enough. */
  #operator(least: number): Operator | 'BETWEEN' | undefined {
    if (this.#kind !== 'sign' && this.#kind !== 'name') return undefined;
    const value = this.#value;
    if (comparisonWords.has(value) || ['NOT', 'IS', 'BETWEEN', 'GLOBAL'].includes(value)) {
      if (least > precedences['=']) return undefined;
      this.#next();
      if (value === 'BETWEEN' || value === 'LIKE' || value === 'IN') return value;
      if (value === 'NOT') {
        this.#expect('IN');
        return 'NOT IN';
      }
      if (value === 'GLOBAL') {
        const isNegated = this.#takes('NOT');
        this.#expect('IN');
        return isNegated ? 'GLOBAL NOT IN' : 'GLOBAL IN';
      }
      if (value === 'IS') {
        const isNegated = this.#takes('NOT');
        this.#expect('DISTINCT');
        this.#expect('FROM');
        return isNegated ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM';
      }
      return value as Operator;
    }
    if (!(value in precedences)) return undefined;
    const operator = value as Operator;
    if (precedences[operator] < least) return undefined;
    this.#next();
    return operator;
  }

  #prefix(): Expr {
    if (this.#takes('-')) return new Unary('-', this.#prefix());
    if (this.#takes('NOT')) return new Unary('NOT', this.#expression(precedences['=']));
    let node = this.#primary();
    for (;;) {
      if (this.#takes('[')) {
        node = new Element(node, this.#expression());
        this.#expect(']');
      } else if (this.#takes('.')) {
        if (this.#kind !== 'digits') throw this.#mistake();
        node = new Member(node, Number(this.#value));
        this.#next();
      } else return node;
    }
  }

  #primary(): Expr {
    const [kind, value] = [this.#kind, this.#value];
    if (kind === 'end') throw this.#mistake();
    this.#next();
    switch (kind) {
      case 'hole': {
        const hole = new Column(undefined, `hole ${value}`);
        this.#holes.set(hole, Number(value));
        return hole;
      }
      case 'text':
        // A hole is an expression, and never a part of a text.
        if (/\$\d+\$/.test(value)) throw this.#mistake();
        return new Text(value.replace(/\\(.)/gs, (_, letter: string) => escaped[letter] ?? letter));
      case 'quoted':
        return new Column(undefined, value, true);
      case 'digits':
        return new Digits(value);
      case 'name':
        return this.#named(value);
      default:
        if (value === '(') return this.#bracketed();
        if (value === '[') return new ArrayOf(this.#list(']'));
        if (value === '*') return new Word('*');
        throw this.#mistake();
    }
  }

  #named(name: string): Expr {
    if (name === 'NULL' || name === 'true' || name === 'false') return new Word(name);
    if (this.#takes('->')) return new Lambda([name], this.#expression());
    if (this.#takes('(')) {
      const first = this.#list(')');
      return this.#takes('(') ? new Call(name, this.#list(')'), first) : new Call(name, first);
    }
    if (this.#is('.') && /[A-Za-z_]/.test(this.#source[this.#at] ?? '')) {
      this.#next();
      const column = new Column(name, this.#value);
      this.#next();
      return column;
    }
    return new Column(undefined, name);
  }

  /** An expression in brackets, a tuple, or the names of a lambda. */
  #bracketed(): Expr {
    const items = this.#list(')');
    if (this.#takes('->')) {
      const names = items.map((item) => (item.kind === 'column' ? item.name : ''));
      return new Lambda(names, this.#expression());
    }
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : new Tuple(items);
  }

  #list(end: string): readonly Expr[] {
    const items: Expr[] = [];
    if (this.#takes(end)) return items;
    do items.push(this.#expression());
    while (this.#takes(','));
    this.#expect(end);
    return items;
  }
}

const escaped: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' };
