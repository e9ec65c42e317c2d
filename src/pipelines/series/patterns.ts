import type { Engine } from '../../database/engine/engine.js';
import { engineCodeOf } from '../../database/engine/engine-faults.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { LabelMatcher } from '../../model/series-query.js';
import { checkPattern } from '../../sql/plan/labelled-series.js';
import { patternProblem } from '../../sql/syntax/pattern-problem.js';

/** CANNOT_COMPILE_REGEXP and BAD_ARGUMENTS in the engine's list of errors. */
const badPatternCodes: ReadonlySet<number | undefined> = new Set([427, 36]);
/** Distinct regular expressions of one request, and their characters. */
const mostPatterns = 1_000;
const mostPatternCharacters = 256 * 1024;

/** Refuses texts that are not regular expressions before anything is read. */
export async function requirePatterns(
  matchers: readonly LabelMatcher[],
  engine: Engine,
  aborted: AbortSignal,
): Promise<void> {
  const patterns = [...new Set(matchers.filter(isPattern).map(({ value }) => value))];
  for (const pattern of patterns) {
    const problem = patternProblem(pattern);
    if (problem !== undefined)
      throw badPattern(`the regular expression ${JSON.stringify(pattern.slice(0, 50))} ${problem}`);
  }
  const characters = patterns.reduce((sum, { length }) => sum + length, 0);
  if (patterns.length > mostPatterns) throw badPattern(`a request has at most ${mostPatterns} regular expressions`);
  if (characters > mostPatternCharacters) {
    throw badPattern(`the regular expressions of a request have at most ${mostPatternCharacters} characters`);
  }
  if (patterns.length === 0) return;
  const wrong = await wrongPattern(patterns, engine, aborted);
  if (wrong !== undefined) throw badPattern(`${JSON.stringify(wrong.slice(0, 200))} is not a regular expression`);
}

/**
 * The first text that the engine does not take; of several texts it does not say which, so that halves of them are
 * tried.
 */
async function wrongPattern(
  patterns: readonly string[],
  engine: Engine,
  aborted: AbortSignal,
): Promise<string | undefined> {
  aborted.throwIfAborted();
  try {
    await engine.system.rows(patterns.map(checkPattern).join(' UNION ALL '));
    return undefined;
  } catch (error) {
    if (!badPatternCodes.has(engineCodeOf(error))) throw error;
  }
  if (patterns.length === 1) return patterns[0];
  const half = Math.floor(patterns.length / 2);
  const first = await wrongPattern(patterns.slice(0, half), engine, aborted);
  return first ?? wrongPattern(patterns.slice(half), engine, aborted);
}

function badPattern(text: string): FaultError {
  return new FaultError(fault('parameter', Codes.invalidParameters, text));
}

/** True for a matcher with a regular expression. */
function isPattern({ kind }: LabelMatcher): boolean {
  return kind === 'match' || kind === 'not-match';
}
