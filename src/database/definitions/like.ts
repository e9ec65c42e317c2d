/** One place of a pattern: a character, any one character, or any run of characters. */
type Place = string | typeof one | typeof run;

const one = Symbol('one');
const run = Symbol('run');

function placesOf(pattern: string): Place[] {
  const places: Place[] = [];
  let escaped = false;
  for (const char of pattern) {
    if (!escaped && char === '\\') {
      escaped = true;
      continue;
    }
    places.push(escaped ? char : char === '%' ? run : char === '_' ? one : char);
    escaped = false;
  }
  if (escaped) places.push('\\');
  return places;
}

/**
 * SQL LIKE, case-sensitive: `%` any run, `_` one character, both escaped by a backslash. Only the last run is ever widened,
 * so no pattern takes longer than its length times that of the text.
 */
export function isLike(text: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  const places = placesOf(pattern);
  const chars = [...text];
  let at = 0;
  let place = 0;
  let runPlace = -1;
  let runEnd = 0;
  while (at < chars.length) {
    const wanted = places[place];
    if (wanted === run) {
      runPlace = place++;
      runEnd = at;
    } else if (wanted === one || wanted === chars[at]) {
      place++;
      at++;
    } else if (runPlace >= 0) {
      place = runPlace + 1;
      at = ++runEnd;
    } else {
      return false;
    }
  }
  while (places[place] === run) place++;
  return place === places.length;
}
