import { RE2JS } from 're2js';
import { patternWeight } from './pattern-weight.js';
import { QueryError } from './query-error.js';

/** Longest regular expression, in characters. */
const mostPatternCharacters = 16 * 1024;
/** Largest regular expression, see {@link patternWeight}. */
const mostPatternWeight = 20_000;

/** Patterns of earlier queries, the last used ones last. */
const cache = new Map<string, RE2JS>();
const mostCached = 256;
/** Larger ones are compiled anew each time, so that the cache stays small. */
const mostCachedWeight = 1_000;

/**
 * A regular expression in RE2's syntax that must fit a whole text, in which a dot is any character; it takes linear
 * time for every text. Throws a QueryError of kind `bad_data` when it is none.
 */
export function compilePattern(pattern: string): RE2JS {
  const cached = cache.get(pattern);
  if (cached !== undefined) {
    cache.delete(pattern);
    cache.set(pattern, cached);
    return cached;
  }
  if (pattern.length > mostPatternCharacters)
    throw new QueryError('bad_data', `a regular expression has at most ${mostPatternCharacters} characters`);
  const weight = patternWeight(pattern);
  if (weight > mostPatternWeight)
    throw new QueryError(
      'bad_data',
      `a regular expression is too large with its repeats: its size is about ${weight} of ${mostPatternWeight}`,
    );
  const compiled = compile(pattern);
  if (weight > mostCachedWeight) return compiled;
  cache.set(pattern, compiled);
  const [oldest] = cache.keys();
  if (cache.size > mostCached && oldest !== undefined) cache.delete(oldest);
  return compiled;
}

function compile(pattern: string): RE2JS {
  try {
    // By itself first, so that it cannot close the group around it, and so that its mistake is told without it.
    RE2JS.compile(pattern);
    return RE2JS.compile(`^(?s:${pattern})$`);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new QueryError('bad_data', text);
  }
}
