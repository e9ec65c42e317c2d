/** Words that end a list of PARTITION BY or GROUP BY. */
const endOfList =
  /^(?:INTERVAL|SESSION|STATE_WINDOW|EVENT_WINDOW|COUNT_WINDOW|EXTERNAL_WINDOW|ANOMALY_WINDOW|SLIDING|FILL|HAVING|ORDER|LIMIT|SLIMIT|UNION|WHERE|RANGE|EVERY)$/;

/**
 * The expressions that a statement parts its rows by, in PARTITION BY and GROUP BY, as {@link sameName} writes them.
 * @param {string} statement
 * @returns {Set<string>}
 */
export function groupedBy(statement) {
  const tokens =
    statement.match(/`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|--[^\n]*|[\w.]+|->|\S/g) ?? [];
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
