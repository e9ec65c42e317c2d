/**
 * Deepest groups of a regular expression, and the longest text of one: compiling takes the engine a time that grows
 * with both.
 */
const maxPatternDepth = 64;
const maxPatternCharacters = 65_536;
/**
 * How many characters and groups counted repetitions may add: `a{0,1000}` counts for 999 more. The time to compile
 * grows with the square of their number, so that 2 KB of them took a minute.
 */
const maxRepeated = 2_000;

/** `{2}`, `{2,}` or `{2,5}` at some place of a pattern; other braces stand for themselves. */
const repetition = /\{(\d+)(?:,(\d*))?\}/y;

/**
 * Why the engine is not given a regular expression, if so: `((((…)*)*)*)*` of 15 KB keeps it busy for half a minute.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > maxPatternCharacters) return `has more than ${maxPatternCharacters} characters`;
  // Characters with those that are repeated, of each open group before the group in it.
  const outside: number[] = [];
  let size = 0;
  let last = 1;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '(') {
      outside.push(size);
      size = 0;
      if (outside.length > maxPatternDepth) return `has groups nested deeper than ${maxPatternDepth}`;
      continue;
    }
    if (character === ')') {
      last = Math.max(1, size);
      size += outside.pop() ?? 0;
      continue;
    }
    const times = character === '{' ? timesAt(pattern, at) : undefined;
    if (times !== undefined) {
      size += last * (times - 1);
      last *= times;
      if (size > pattern.length + maxRepeated)
        return `repeats more than ${maxRepeated} characters by numbers in braces`;
      continue;
    }
    if (character === '\\') at++;
    else if (character === '[') at = endOfClass(pattern, at);
    else if (character === '?' || character === '*' || character === '+') continue;
    last = 1;
    size++;
  }
  return undefined;
}

/**
 * How often the repetition at a place repeats at most, or at least where it has no end; undefined where there is none.
 */
function timesAt(pattern: string, at: number): number | undefined {
  repetition.lastIndex = at;
  const [, least, most] = repetition.exec(pattern) ?? [];
  return least === undefined
    ? undefined
    : Math.min(Math.max(1, Number(least), Number(most ?? 0)), maxPatternCharacters);
}

/**
 * Where the class of characters that begins at a place ends; its first character may be the bracket that would close
 * it.
 */
function endOfClass(pattern: string, start: number): number {
  let at = pattern[start + 1] === '^' ? start + 2 : start + 1;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) if (pattern[at] === '\\') at++;
  return at;
}
