import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { QueryError } from '../query-error.js';
import { check } from './checks.js';
import { positionText } from './literals.js';
import { Reader } from './reader.js';
import type { Refuse } from './refuse.js';
import { scanQuery } from './scan.js';
import { syntaxProblem } from './syntax-problem.js';
import type { Expr, VectorSelector } from './tree.js';

/** Longest text of a query, in characters. */
const mostQueryCharacters = 64 * 1024;

/**
 * Parses and checks a query. Throws a QueryError of kind `bad_data` that says where the mistake is, in the words of Prometheus.
 */
export function parseQuery(query: string): Expr {
  if (query.length > mostQueryCharacters)
    throw new QueryError('bad_data', `a query has at most ${mostQueryCharacters} characters`);
  const refuse: Refuse = (span, message) => {
    throw new QueryError('bad_data', `${positionText(query, span.start)}: parse error: ${message}`);
  };
  const { text, mistake } = scanQuery(query);
  const { topNode } = parser.parse(text);
  const offGrammar = firstMistake(topNode);
  const problem = offGrammar === undefined ? undefined : syntaxProblem(text, offGrammar);
  const first = mistake !== undefined && (problem === undefined || problem.at >= mistake.at - 1) ? mistake : problem;
  if (first !== undefined) refuse({ start: first.at, end: first.at }, first.message);
  const root = topNode.firstChild;
  if (root === null || root.nextSibling !== null) return refuse({ start: 0, end: 0 }, 'no expression in input');
  const expr = new Reader(text, refuse).read(root);
  check(expr, query, refuse);
  return expr;
}

/** Parses `name{matchers}` alone, as it selects series. Throws as {@link parseQuery}. */
export function parseSelector(query: string): VectorSelector {
  const expr = parseQuery(query);
  if (expr.kind === 'vector' && expr.at === undefined && expr.offsetMs === 0 && expr.offsetExpr === undefined)
    return expr;
  throw new QueryError('bad_data', `1:1: parse error: ${JSON.stringify(query.slice(0, 200))} is not a series selector`);
}

/** The first place where the text does not follow the grammar. */
function firstMistake(top: SyntaxNode): SyntaxNode | undefined {
  let first: SyntaxNode | undefined;
  top.cursor().iterate((node) => {
    if (node.type.isError && (first === undefined || node.from < first.from)) first = node.node;
  });
  return first;
}
