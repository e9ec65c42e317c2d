/** Words that end a list of SELECT, PARTITION BY or GROUP BY. */
const endOfList =
  /^(?:FROM|INTERVAL|SESSION|STATE_WINDOW|EVENT_WINDOW|COUNT_WINDOW|EXTERNAL_WINDOW|ANOMALY_WINDOW|SLIDING|FILL|HAVING|ORDER|LIMIT|SLIMIT|UNION|WHERE|RANGE|EVERY)$/;

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
    for (const item of itemsFrom(tokens, at + 2)) for (const form of formsOf(item)) found.add(form);
  }
  return found;
}

/**
 * What a statement selects, item by item, each with the forms that a name of it may have: the expression and its alias, as
 * {@link sameName} writes them. Undefined where it selects columns by `*`, or is no SELECT.
 * @param {string} statement
 * @returns {readonly ReadonlySet<string>[] | undefined}
 */
export function selectedItems(statement) {
  const tokens = tokensOf(statement).filter((token) => !token.startsWith('--'));
  const start = tokens.findIndex((token) => /^SELECT$/i.test(token));
  if (start < 0) return undefined;
  const items = itemsFrom(tokens, start + 1);
  if (items.some((item) => item.at(-1) === '*')) return undefined;
  return items.map((item) => {
    const forms = formsOf(item);
    // An alias may stand without AS.
    if (item.length > 1) forms.add(sameName(item.slice(0, -1).join('')));
    return forms;
  });
}

/**
 * The expressions of the outermost PARTITION BY of a statement that it does not select: nothing in the rows tells apart what
 * they part.
 * @param {string} statement
 * @param {readonly string[]} names of the columns of the result
 * @returns {string[]}
 */
export function unselectedPartitions(statement, names) {
  const tokens = tokensOf(statement);
  const selected = new Set(names.map(sameName));
  for (const forms of selectedItems(statement) ?? []) for (const form of forms) selected.add(form);
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (depth > 0 || !/^PARTITION$/i.test(token) || !/^BY$/i.test(tokens[at + 1] ?? '')) continue;
    return itemsFrom(tokens, at + 2)
      .filter((item) => [...formsOf(item)].every((form) => !selected.has(form)))
      .map((item) => item.join(''));
  }
  return [];
}

/**
 * An item of a list as {@link sameName} writes it: its expression, and its alias behind AS.
 * @param {readonly string[]} item
 * @returns {Set<string>}
 */
function formsOf(item) {
  const alias = item.findIndex((token) => /^AS$/i.test(token));
  const parts = alias < 0 ? [item] : [item.slice(0, alias), item.slice(alias + 1)];
  return new Set(parts.map((part) => sameName(part.join(''))));
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
