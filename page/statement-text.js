/**
 * The statements of a text, parted by semicolons outside of texts, names and comments, without empty ones.
 * @param {string} text
 * @returns {{ text: string; start: number }[]} with the place where each begins
 */
export function splitStatements(text) {
  const found = [];
  const tokens = /`(?:[^`]|``)*`|'(?:[^'\\]|''|\\[\s\S])*'|"(?:[^"\\]|""|\\[\s\S])*"|--[^\n]*|\/\*[\s\S]*?\*\/|;/g;
  let start = 0;
  for (const match of text.matchAll(tokens)) {
    if (match[0] !== ';') continue;
    found.push({ text: text.slice(start, match.index), start });
    start = match.index + 1;
  }
  found.push({ text: text.slice(start), start });
  return found.flatMap(({ text: raw, start: at }) => {
    const trimmed = raw.trim();
    return trimmed === '' ? [] : [{ text: trimmed, start: at + raw.indexOf(trimmed) }];
  });
}

/**
 * True when a text only reads, so that a link or a refresh may run it unasked.
 * @param {string} text
 */
export function onlyReads(text) {
  const statements = splitStatements(text);
  return (
    statements.length > 0 &&
    statements.every((statement) => /^(?:SELECT|SHOW|DESC|DESCRIBE|EXPLAIN|\()/i.test(statement.text))
  );
}

/**
 * The place of a mistake that a message of the service names.
 * @param {string} message
 * @param {string} statement that it is about
 * @returns {number | undefined} characters before it
 */
export function placeOf(message, statement) {
  const [, line, column] = /\bat line (\d+), column (\d+)/.exec(message) ?? [];
  if (line === undefined || column === undefined) return undefined;
  const before = statement.split('\n').slice(0, Number(line) - 1);
  const start = before.reduce((sum, text) => sum + text.length + 1, 0) + Number(column) - 1;
  return Math.min(start, statement.length);
}
