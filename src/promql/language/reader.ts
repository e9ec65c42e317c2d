import type { SyntaxNode } from '@lezer/common';
import type { LabelMatcher } from '../../model/series-query.js';
import { compilePattern } from '../pattern.js';
import { QueryError } from '../query-error.js';
import { functions } from './functions.js';
import { quotedText, readDurationMs, readNumber, readString } from './literals.js';
import { applyModifier } from './modifiers.js';
import { type Item, joinItems, type MatchingClause } from './precedence.js';
import type { Refuse } from './refuse.js';
import type {
  AggregateExpr,
  AggregateOperator,
  BinaryOperator,
  CallExpr,
  DurationExpr,
  DurationOperand,
  Expr,
  NumberExpr,
  Span,
  StringExpr,
  VectorSelector,
} from './tree.js';
import { childrenOf } from './tree.js';

/** Most levels of expressions in expressions. */
export const mostLevels = 500;

/** Nodes of the grammar that modify the expression before them. */
const postfixes: ReadonlySet<string> = new Set([
  'OffsetExpr',
  'StepInvariantExpr',
  'MatrixSelector',
  'SubqueryExpr',
  'AnchoredExpr',
  'SmoothedExpr',
]);

/** Aggregations with a parameter before the expression. */
const withParameter: ReadonlySet<string> = new Set([
  'topk',
  'bottomk',
  'quantile',
  'count_values',
  'limitk',
  'limit_ratio',
]);

/**
 * Turns the tree of the grammar into expressions. The grammar's own tree binds modifiers such as `offset` more loosely
 * than operators; what is not in parentheses is therefore read as a sequence and joined again by precedence.
 */
export class Reader {
  readonly #query: string;
  readonly #original: string;
  readonly #refuse: Refuse;
  readonly #levels = new WeakMap<Expr, number>();

  /** Takes the query as the grammar takes it, and as it is. */
  constructor(query: string, original: string, refuse: Refuse) {
    this.#query = query;
    this.#original = original;
    this.#refuse = refuse;
  }

  /** The expression of a node. */
  read(node: SyntaxNode): Expr {
    return joinItems(this.#items(node), this.#refuse, (expr) => this.#counted(expr));
  }

  #text({ from, to }: SyntaxNode): string {
    return this.#query.slice(from, to);
  }

  /** Refuses expressions that are nested so deeply that a walk through them could overflow the stack. */
  #counted(expr: Expr): Expr {
    const below = childrenOf(expr).map((child) => this.#levels.get(child) ?? 1);
    const levels = Math.max(0, ...below) + 1;
    if (levels > mostLevels) this.#refuse(expr.span, `expressions are nested more than ${mostLevels} levels deep`);
    this.#levels.set(expr, levels);
    return expr;
  }

  /** Operands, operators and modifiers of a node in the order of the text. */
  #items(root: SyntaxNode): readonly Item[] {
    const items: Item[] = [];
    const pending: (SyntaxNode | Item)[] = [root];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if ('item' in next) items.push(next);
      else pending.push(...this.#parts(next).reverse());
    }
    return items;
  }

  #parts(node: SyntaxNode): (SyntaxNode | Item)[] {
    if (node.name === 'BinaryExpr') {
      const [left, right] = [node.firstChild!, node.lastChild!];
      return [left, this.#infix(node, left, right), right];
    }
    if (node.name === 'UnaryExpr') {
      const operator = node.firstChild!;
      return [this.#prefix(operator), node.lastChild!];
    }
    if (node.name === 'NumberDurationLiteral') return this.#signedNumber(node);
    if (postfixes.has(node.name)) {
      return [node.firstChild!, { item: 'postfix', apply: (expr) => this.#modified(node, expr) }];
    }
    return [{ item: 'operand', expr: this.#counted(this.#primary(node)) }];
  }

  #prefix({ from, to }: { readonly from: number; readonly to: number }): Item {
    const operator = this.#query.slice(from, to) === '-' ? '-' : '+';
    return { item: 'prefix', operator, span: { start: from, end: to } };
  }

  #signedNumber(node: SyntaxNode): Item[] {
    const isSigned = /^[-+]/.test(this.#text(node));
    const number = this.#number({ start: isSigned ? this.#digitsStart(node.from) : node.from, end: node.to });
    const operand: Item = { item: 'operand', expr: this.#counted(number) };
    return isSigned ? [this.#prefix({ from: node.from, to: node.from + 1 }), operand] : [operand];
  }

  #digitsStart(sign: number): number {
    let at = sign + 1;
    while (/\s/.test(this.#query[at] ?? '.')) at++;
    return at;
  }

  #infix(node: SyntaxNode, left: SyntaxNode, right: SyntaxNode): Item {
    const operator = left.nextSibling!;
    const modifiers: SyntaxNode[] = [];
    for (let next = operator.nextSibling; next !== null && next.from !== right.from; next = next.nextSibling)
      modifiers.push(next);
    const clause = modifiers.find(({ name }) => name === 'MatchingModifierClause');
    const fill = modifiers.find(({ name }) => name === 'FillModifier');
    return {
      item: 'infix',
      operator: this.#text(operator).toLowerCase() as BinaryOperator,
      returnsBool: modifiers.some(({ name }) => name === 'BoolModifier'),
      matching: this.#matching(clause, fill),
      span: { start: operator.from, end: (modifiers.at(-1) ?? operator).to },
      whole: { start: node.from, end: node.to },
    };
  }

  #matching(clause: SyntaxNode | undefined, fill: SyntaxNode | undefined): MatchingClause {
    const lists = clause?.getChildren('GroupingLabels') ?? [];
    const isLeft = clause?.getChild('GroupLeft') != null;
    const isRight = clause?.getChild('GroupRight') != null;
    const both = this.#fillValue(fill?.getChild('FillClause'));
    return {
      cardinality: isLeft ? 'many-to-one' : isRight ? 'one-to-many' : 'one-to-one',
      labels: this.#labels(lists[0]),
      isOn: clause?.getChild('On') != null,
      include: this.#labels(lists[1]),
      fillLeft: this.#fillValue(fill?.getChild('FillLeftClause')) ?? both,
      fillRight: this.#fillValue(fill?.getChild('FillRightClause')) ?? both,
    };
  }

  #fillValue(clause: SyntaxNode | null | undefined): number | undefined {
    const literal = clause?.getChild('NumberDurationLiteral');
    if (literal == null) return undefined;
    return this.#signed(literal);
  }

  /** The value of a number that may have a sign. */
  #signed(node: SyntaxNode): number {
    const text = this.#text(node);
    if (!/^[-+]/.test(text)) return this.#number({ start: node.from, end: node.to }).value;
    const { value } = this.#number({ start: this.#digitsStart(node.from), end: node.to });
    return text.startsWith('-') ? -value : value;
  }

  #labels(list: SyntaxNode | undefined): readonly string[] {
    const labels: string[] = [];
    for (let child = list?.firstChild ?? null; child !== null; child = child.nextSibling)
      labels.push(child.name === 'QuotedLabelName' ? this.#labelName(child) : this.#text(child));
    return labels;
  }

  #labelName(quoted: SyntaxNode): string {
    const name = this.#string(quoted.firstChild!).value;
    if (name === '')
      this.#refuse({ start: quoted.from, end: quoted.to }, `invalid label name for grouping: ${quotedText(name)}`);
    return name;
  }

  #primary(node: SyntaxNode): Expr {
    const span: Span = { start: node.from, end: node.to };
    switch (node.name) {
      case 'ParenExpr':
        return { kind: 'paren', expr: this.read(node.firstChild!), span };
      case 'StringLiteral':
        return this.#string(node);
      case 'VectorSelector':
        return this.#selector(node);
      case 'FunctionCall':
        return this.#call(node);
      case 'AggregateExpr':
        return this.#aggregation(node);
      default:
        return this.#refuse(span, `unexpected ${node.name}`);
    }
  }

  #string(node: SyntaxNode): StringExpr {
    const span = { start: node.from, end: node.to };
    const text = this.#text(node);
    const value = readString(text);
    if (value === undefined) this.#refuse(span, `error unquoting string ${quotedText(text)}: invalid syntax`);
    return { kind: 'string', value, span };
  }

  #number(span: Span): NumberExpr {
    const text = this.#query.slice(span.start, span.end);
    const value = readNumber(text);
    if (value !== undefined) return { kind: 'number', value, isDuration: false, span };
    const ms = readDurationMs(text);
    if (ms === undefined) this.#refuse(span, 'duration out of range');
    return { kind: 'number', value: ms / 1000, isDuration: true, span };
  }

  #selector(node: SyntaxNode): VectorSelector {
    const identifier = node.getChild('Identifier');
    const name = identifier === null ? '' : this.#text(identifier);
    const matchers: LabelMatcher[] = [];
    const list = node.getChild('LabelMatchers');
    for (let child = list?.firstChild ?? null; child !== null; child = child.nextSibling)
      matchers.push(this.#matcher(child));
    if (name !== '') matchers.push({ kind: 'equal', name: '__name__', value: name });
    const span = { start: node.from, end: node.to };
    return { kind: 'vector', name, matchers, offsetMs: 0, offsetExpr: undefined, at: undefined, span };
  }

  #matcher(node: SyntaxNode): LabelMatcher {
    if (node.name === 'QuotedLabelName') {
      return { kind: 'equal', name: '__name__', value: this.#string(node.firstChild!).value };
    }
    const first = node.firstChild!;
    const name = first.name === 'QuotedLabelName' ? this.#string(first.firstChild!).value : this.#text(first);
    const operator = this.#text(node.getChild('MatchOp')!);
    const { value } = this.#string(node.lastChild!);
    switch (operator) {
      case '=':
        return { kind: 'equal', name, value };
      case '!=':
        return { kind: 'not-equal', name, value };
      default:
        this.#requirePattern(value, { start: node.from, end: node.to });
        return { kind: operator === '=~' ? 'match' : 'not-match', name, value };
    }
  }

  #requirePattern(pattern: string, span: Span): void {
    try {
      compilePattern(pattern);
    } catch (error) {
      if (error instanceof QueryError) this.#refuse(span, error.message);
      throw error;
    }
  }

  #call(node: SyntaxNode): CallExpr {
    const span = { start: node.from, end: node.to };
    const { from, to } = node.getChild('FunctionIdentifier')!;
    const name = this.#original.slice(from, to);
    const signature = functions.get(name);
    if (signature === undefined) this.#refuse(span, `unknown function with name ${quotedText(name)}`);
    return { kind: 'call', signature, args: this.#args(node), span };
  }

  #args(node: SyntaxNode): readonly Expr[] {
    const args: Expr[] = [];
    const body = node.getChild('FunctionCallBody');
    for (let child = body?.firstChild ?? null; child !== null; child = child.nextSibling) args.push(this.read(child));
    return args;
  }

  #aggregation(node: SyntaxNode): AggregateExpr {
    const span = { start: node.from, end: node.to };
    const operator = this.#text(node.getChild('AggregateOp')!).toLowerCase() as AggregateOperator;
    const args = this.#args(node);
    const count = withParameter.has(operator) ? 2 : 1;
    if (args.length === 0) this.#refuse(span, 'no arguments for aggregate expression provided');
    const expr = args[count - 1];
    if (args.length !== count || expr === undefined) {
      const text = `wrong number of arguments for aggregate expression provided, expected ${count}, got ${args.length}`;
      return this.#refuse(span, text);
    }
    const modifier = node.getChild('AggregateModifier');
    return {
      kind: 'aggregate',
      operator,
      parameter: count === 2 ? args[0] : undefined,
      expr,
      labels: this.#labels(modifier?.getChild('GroupingLabels') ?? undefined),
      isWithout: modifier?.getChild('Without') != null,
      span,
    };
  }

  #modified(node: SyntaxNode, expr: Expr): Expr {
    const durations = node.getChildren('DurationExpr').map((child) => this.#duration(child));
    const offset = node.getChild('OffsetDurationExpr');
    const span = { start: expr.span.start, end: node.to };
    const bracket = expr.span.end;
    switch (node.name) {
      case 'OffsetExpr':
        return applyModifier(expr, { kind: 'offset', by: this.#duration(offset!) }, span, this.#refuse);
      case 'StepInvariantExpr':
        return applyModifier(expr, { kind: 'at', at: this.#pinned(node) }, span, this.#refuse);
      case 'MatrixSelector':
        return applyModifier(expr, { kind: 'range', range: durations[0]!, bracket }, span, this.#refuse);
      case 'SubqueryExpr':
        return applyModifier(expr, { kind: 'subquery', range: durations[0]!, step: durations[1] }, span, this.#refuse);
      default: {
        const word = node.name === 'AnchoredExpr' ? 'anchored' : 'smoothed';
        return this.#refuse(span, `${word} modifier is experimental and not enabled`);
      }
    }
  }

  /** What `@` says: seconds, or an end of the query. */
  #pinned(node: SyntaxNode): number | 'start' | 'end' {
    const end = node.getChild('AtModifierPreprocessors');
    if (end !== null) return end.firstChild?.name === 'AtStart' ? 'start' : 'end';
    return this.#signed(node.lastChild!);
  }

  #duration(node: SyntaxNode): DurationOperand {
    const span = { start: node.from, end: node.to };
    if (node.name === 'NumberDurationLiteralInDurationContext') return this.#number(span);
    const first = node.firstChild!;
    const second = first.nextSibling;
    const text = this.#text(first).toLowerCase();
    if (first.name === 'UnaryOp') {
      const operand = this.#duration(second!);
      if (text === '+') return { ...operand, span };
      if (operand.kind === 'number') return { ...operand, value: -operand.value, span };
      return { kind: 'duration', operator: '-', left: undefined, right: operand, isWrapped: false, span };
    }
    if (first.name === 'DurationStep' || first.name === 'DurationRange') {
      const operator = first.name === 'DurationStep' ? 'step' : 'range';
      return { kind: 'duration', operator, left: undefined, right: undefined, isWrapped: false, span };
    }
    if (first.name === 'DurationMinOf' || first.name === 'DurationMaxOf') {
      const [left, right] = node.getChildren('DurationExpr').map((child) => this.#duration(child));
      const operator = first.name === 'DurationMinOf' ? 'min_of' : 'max_of';
      return { kind: 'duration', operator, left, right, isWrapped: false, span };
    }
    if (second === null) return this.#wrapped(this.#duration(first), span);
    const operator = this.#text(second) as DurationExpr['operator'];
    const right = this.#duration(second.nextSibling!);
    if ((operator === '/' || operator === '%') && right.kind === 'number' && right.value === 0) {
      const place = { start: second.from, end: second.to };
      this.#refuse(place, operator === '/' ? 'division by zero' : 'modulo by zero');
    }
    return { kind: 'duration', operator, left: this.#duration(first), right, isWrapped: false, span };
  }

  /** A duration in parentheses. */
  #wrapped(inner: DurationOperand, span: Span): DurationOperand {
    if (this.#query[span.start] !== '(') return inner;
    if (inner.kind === 'duration') return { ...inner, isWrapped: true };
    return { kind: 'duration', operator: '+', left: undefined, right: inner, isWrapped: true, span };
  }
}
