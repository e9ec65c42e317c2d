import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import { QueryError } from '../query-error.js';
import { check } from './checks.js';
import { positionText } from './literals.js';
import { mostLevels, Reader } from './reader.js';
import type { Refuse } from './refuse.js';
import { type Mistake, scanQuery } from './scan.js';
import { syntaxProblem } from './syntax-problem.js';
import type { Expr, VectorSelector } from './tree.js';

/** Longest text of a query, in characters. */
const mostQueryCharacters = 64 * 1024;

/**
 * Parses and checks a query. Throws a QueryError of kind `bad_data` that says where the mistake is, in the words of
 * Prometheus.
 */
export function parseQuery(query: string): Expr {
  if (query.length > mostQueryCharacters)
    throw new QueryError('bad_data', `a query has at most ${mostQueryCharacters} characters`);
  const refuse: Refuse = (span, message) => {
    throw new QueryError('bad_data', `${positionText(query, span.start)}: parse error: ${message}`);
  };
  const { text, mistake } = scanQuery(query);
  const { topNode, failedAt } = treeOf(text);
  const problem = failedAt === undefined ? undefined : problemOf(text, topNode, failedAt);
  const first = mistake !== undefined && (problem === undefined || problem.at >= mistake.at - 1) ? mistake : problem;
  if (first !== undefined) refuse({ start: first.at, end: first.at }, first.message);
  const root = topNode.firstChild;
  if (root === null || root.nextSibling !== null) return refuse({ start: 0, end: 0 }, 'no expression in input');
  const expr = new Reader(text, query, refuse).read(root);
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

const strictParser = parser.configure({ strict: true });

/** Characters behind a mistake that the parser looks at to tell what it is. */
const charactersBehind = 64;

/**
 * The tree of the grammar, and where the parser gave up. Behind that place the text is left out: the parser would try
 * long to make sense of it.
 */
function treeOf(text: string): { readonly topNode: SyntaxNode; readonly failedAt: number | undefined } {
  try {
    return { topNode: strictParser.parse(text).topNode, failedAt: undefined };
  } catch (error) {
    // The message ends with the place.
    const failedAt = error instanceof SyntaxError ? Number(error.message.split(' ').at(-1)) : Number.NaN;
    if (!Number.isInteger(failedAt)) throw error;
    return { topNode: parser.parse(text.slice(0, failedAt + charactersBehind)).topNode, failedAt };
  }
}

/** Levels of the tree from which on the parser may have given up because of them. */
const deepLevels = 200;

/** Says what is wrong where the parser gave up: it also does so where operators or parentheses are nested deeply. */
function problemOf(text: string, top: SyntaxNode, failedAt: number): Mistake {
  const { mistake, levels } = firstMistake(top);
  const limit = `expressions are nested at most ${mostLevels} levels deep`;
  if (mistake === undefined) return { at: failedAt, message: limit };
  const problem = syntaxProblem(text, mistake);
  return levels < deepLevels ? problem : { at: problem.at, message: `${problem.message}; ${limit}` };
}

/** The first place where the text does not follow the grammar, and how many levels the tree has. */
function firstMistake(top: SyntaxNode): { readonly mistake: SyntaxNode | undefined; readonly levels: number } {
  let mistake: SyntaxNode | undefined;
  let level = 0;
  let levels = 0;
  top.cursor().iterate(
    (node) => {
      levels = Math.max(levels, ++level);
      if (node.type.isError && (mistake === undefined || node.from < mistake.from)) mistake = node.node;
    },
    () => {
      level--;
    },
  );
  return { mistake, levels };
}
