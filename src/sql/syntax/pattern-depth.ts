/** Deepest groups of a regular expression, and the longest text of one: compiling takes the engine a time that grows with both. */
const maxPatternDepth = 64;
const maxPatternCharacters = 65_536;

/** Why the engine is not given a regular expression, if so: `((((…)*)*)*)*` of 15 KB keeps it busy for half a minute. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > maxPatternCharacters) return `has more than ${maxPatternCharacters} characters`;
  let depth = 0;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '(' && ++depth > maxPatternDepth) return `has groups nested deeper than ${maxPatternDepth}`;
    else if (character === ')') depth--;
  }
  return undefined;
}
