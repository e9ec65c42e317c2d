/**
 * How large the program of a regular expression becomes, about: one for each character, class or group, times the
 * repeats around it. It takes any text.
 */
export function patternWeight(pattern: string): number {
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  for (let at = 0; at < pattern.length; ) {
    const character = pattern[at]!;
    const repeat = character === '{' ? repeatAt(pattern, at) : undefined;
    if (repeat !== undefined) {
      total += last * (repeat.count - 1);
      last *= repeat.count;
      at = repeat.end;
    } else if (character === '(') {
      outer.push(total);
      total = 0;
      at++;
    } else if (character === ')') {
      last = total + 2;
      total = (outer.pop() ?? 0) + last;
      at++;
    } else {
      last = 1;
      total++;
      at = atomEnd(pattern, at);
    }
  }
  return outer.reduce((sum, each) => sum + each, total);
}

/** The end of a character, an escape or a class. */
function atomEnd(pattern: string, at: number): number {
  if (pattern[at] === '\\') return at + 2;
  if (pattern[at] !== '[') return at + 1;
  let end = at + (pattern[at + 1] === '^' ? 2 : 1);
  // A bracket at the start of a class is one of its characters.
  if (pattern[end] === ']') end++;
  while (end < pattern.length && pattern[end] !== ']') end += pattern[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** `{2}`, `{2,}` or `{2,5}`: the most repeats that are written, and its end. */
function repeatAt(pattern: string, at: number): { readonly count: number; readonly end: number } | undefined {
  const end = pattern.indexOf('}', at);
  const bounds = end < 0 || end - at > 12 ? undefined : /^([0-9]+)(?:,([0-9]*))?$/.exec(pattern.slice(at + 1, end));
  if (bounds == null) return undefined;
  return { count: Math.max(1, Number(bounds[1]), Number(bounds[2] ?? 0)), end: end + 1 };
}
