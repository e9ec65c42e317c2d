const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '`': '\\`',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
};

/**
 * Text as a string literal of the engine; the only way user text enters a statement besides {@link quoteIdentifier}.
 */
export function quoteString(text: string): string {
  return `'${text.replace(/[\\'\n\r\t\0]/g, (letter) => escapes[letter] ?? letter)}'`;
}

/** A name as an identifier of the engine. */
export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/[\\`\n\r\t\0]/g, (letter) => escapes[letter] ?? letter)}\``;
}
