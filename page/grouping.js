/** Words that end a list of PARTITION BY or GROUP BY. */
const endOfList =
  /^(?:INTERVAL|SESSION|STATE_WINDOW|EVENT_WINDOW|COUNT_WINDOW|EXTERNAL_WINDOW|ANOMALY_WINDOW|SLIDING|FILL|HAVING|ORDER|LIMIT|SLIMIT|UNION|WHERE|RANGE|EVERY)$/;

/**
 * The expressions that a statement parts its rows by, in PARTITION BY and GROUP BY, as {@link sameName} writes them.
 * @param {string} statement
 * @returns {Set<string>}
 */
export function groupedBy(statement) {
  const tokens = tokensOf(statement);
  const found = new Set();
  for (let at = 0; at + 1 < tokens.length; at++) {
    if (!/^(?:PARTITION|GROUP)$/i.test(tokens[at] ?? '') || !/^BY$/i.test(tokens[at + 1] ?? '')) continue;
    for (const item of itemsFrom(tokens, at + 2)) {
      const alias = item.findIndex((token) => /^AS$/i.test(token));
      for (const part of alias < 0 ? [item] : [item.slice(0, alias), item.slice(alias + 1)]) {
        found.add(sameName(part.join('')));
      }
    }
  }
  return found;
}

/** Seconds of a unit of a duration, where calendars differ the longest: months of 31 days, years of 366. */
const unitSeconds = new Map(
  Object.entries({
    b: 1e-9,
    u: 1e-6,
    a: 1e-3,
    s: 1,
    m: 60,
    h: 3600,
    d: 86_400,
    w: 604_800,
    n: 2_678_400,
    y: 31_622_400,
  }),
);

/**
 * The seconds from one window of a statement to the next: what INTERVAL says, or SLIDING after it. Of several, as subqueries
 * have them, the longest. Undefined for a statement without such windows.
 * @param {string} statement
 * @returns {number | undefined}
 */
export function windowStep(statement) {
  const tokens = tokensOf(statement);
  /** @type {number | undefined} */
  let longest;
  for (const [at, token] of tokens.entries()) {
    if (!/^INTERVAL$/i.test(token) || tokens[at + 1] !== '(') continue;
    const end = tokens.indexOf(')', at);
    const isSliding = /^SLIDING$/i.test(tokens[end + 1] ?? '') && tokens[end + 2] === '(';
    const step = secondsOf(tokens[isSliding ? end + 3 : at + 2] ?? '');
    if (step !== undefined && step > (longest ?? 0)) longest = step;
  }
  return longest;
}

/**
 * A duration such as `10m` in seconds.
 * @param {string} duration may stand in quotes
 */
function secondsOf(duration) {
  const [, amount, unit = ''] = /^['"]?(\d+)([a-z])['"]?$/i.exec(duration) ?? [];
  const seconds = unitSeconds.get(unit.toLowerCase());
  return seconds === undefined ? undefined : Number(amount) * seconds;
}

/**
 * The words, names, texts and signs of a statement.
 * @param {string} statement
 * @returns {readonly string[]}
 */
function tokensOf(statement) {
  return statement.match(/`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|--[^\n]*|[\w.]+|->|\S/g) ?? [];
}

/**
 * The items of a list that begins at a token: each as its tokens.
 * @param {readonly string[]} tokens
 * @param {number} start
 * @returns {string[][]}
 */
function itemsFrom(tokens, start) {
  /** @type {string[][]} */
  const items = [[]];
  let depth = 0;
  for (const token of tokens.slice(start)) {
    if (depth === 0 && (token === ')' || token === ';' || endOfList.test(token.toUpperCase()))) break;
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth === 0 && token === ',') items.push([]);
    else items.at(-1)?.push(token);
  }
  return items;
}

/**
 * One spelling for what a column of a result is called and what a statement calls it: without the name of its table, without
 * back-quotes and blanks, in lower case.
 * @param {string} name
 */
export function sameName(name) {
  return name
    .replace(/^(?:`(?:[^`]|``)*`|\w+)\.(?=[\w`])/, '')
    .replaceAll('`', '')
    .replace(/\s+/g, '')
    .toLowerCase();
}
