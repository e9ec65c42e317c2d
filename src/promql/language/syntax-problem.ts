import type { SyntaxNode } from '@lezer/common';
import { functions } from './functions.js';
import { quotedText } from './literals.js';
import { type Mistake, singleQuoted } from './scan.js';

/** Says what is wrong where the parser went off the grammar. */
export function syntaxProblem(query: string, mistake: SyntaxNode): Mistake {
  const call = unknownFunction(query, mistake);
  if (call !== undefined) return call;
  const at = skipBlanks(query, mistake.from);
  if (query.trim() === '') return { at: 0, message: 'no expression found in input' };
  if (at >= query.length) return { at: query.length, message: `unexpected end of input${contextOf(mistake)}` };
  return { at, message: `unexpected ${described(query, at)}${contextOf(mistake)}` };
}

/** A name before an opening parenthesis that is no function: the parser takes it for a metric. */
function unknownFunction(query: string, mistake: SyntaxNode): Mistake | undefined {
  const selector = mistake.parent?.name === 'VectorSelector' ? mistake.parent : mistake.prevSibling;
  const name = selector?.name === 'VectorSelector' ? selector.firstChild : null;
  if (name?.name !== 'Identifier' || query[skipBlanks(query, name.to)] !== '(') return undefined;
  const text = query.slice(name.from, name.to);
  return functions.has(text) ? undefined : { at: name.from, message: `unknown function with name ${quotedText(text)}` };
}

const contexts: ReadonlyMap<string, string> = new Map([
  ['AggregateExpr', 'aggregation'],
  ['GroupingLabels', 'grouping opts, expected label'],
  ['LabelMatchers', 'label matching, expected identifier or "}"'],
  ['UnquotedLabelMatcher', 'label matching, expected string'],
  ['QuotedLabelMatcher', 'label matching, expected string'],
  ['OffsetExpr', 'offset, expected number, duration, step(), or range()'],
  ['StepInvariantExpr', '@, expected timestamp'],
  ['MatrixSelector', 'subquery or range, expected ":" or "]"'],
  ['SubqueryExpr', 'subquery selector, expected "]"'],
]);

function contextOf({ parent }: SyntaxNode): string {
  const context = parent === null ? undefined : contexts.get(parent.name);
  return context === undefined ? '' : ` in ${context}`;
}

function skipBlanks(query: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(query[at] ?? '.')) at++;
  return at;
}

/** The token at a place: its kind and its text. */
function described(query: string, at: number): string {
  const first = query[at] ?? '';
  if (/[a-zA-Z_:]/.test(first)) return `identifier ${quotedText(wordAt(query, at))}`;
  if (/[0-9]/.test(first)) return `number ${quotedText(wordAt(query, at))}`;
  if (/["'`]/.test(first)) return 'string';
  if (/[-+*/%^=!<>@,(){}[\]]/.test(first)) return quotedText(first);
  return `character: ${singleQuoted(String.fromCodePoint(query.codePointAt(at) ?? 0))}`;
}

function wordAt(query: string, at: number): string {
  let end = at;
  while (/[a-zA-Z0-9_:.]/.test(query[end] ?? '')) end++;
  return query.slice(at, end);
}
