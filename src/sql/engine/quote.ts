const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '`': '\\`',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
};

/** Text as a string literal of the engine; the only way user text enters a statement besides {@link quoteIdentifier}. */
export function quoteString(text: string): string {
  return `'${text.replace(/[\\'\n\r\t\0]/g, (letter) => escapes[letter] ?? letter)}'`;
}

/** Bytes as an expression of the engine that yields exactly them. */
export function quoteBytes(bytes: Uint8Array): string {
  return `unhex('${Buffer.from(bytes).toString('hex')}')`;
}

/** A name as an identifier of the engine. */
export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/[\\`\n\r\t\0]/g, (letter) => escapes[letter] ?? letter)}\``;
}

/** A 64-bit signed integer with exactly that type, whatever its size. */
export function int64(value: bigint): string {
  return `toInt64(${value < 0n ? `'${value}'` : value})`;
}

/** A binary64 number as a literal; what is not finite becomes NULL. */
export function float64(value: number): string {
  if (!Number.isFinite(value)) return 'NULL';
  return `toFloat64('${value}')`;
}
