/**
 * True when the text has a match of each pattern behind that of the pattern before it. Each is searched for once, so
 * the time is linear, where one pattern with gaps between its parts would take quadratic time.
 */
export function hasInOrder(text: string, ...patterns: readonly RegExp[]): boolean {
  let rest = text;
  for (const pattern of patterns) {
    const match = pattern.exec(rest);
    if (match === null) return false;
    rest = rest.slice(match.index + match[0].length);
  }
  return true;
}
