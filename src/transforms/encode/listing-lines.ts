import type { ColumnMeta } from '../../model/exchange.js';

/** Rows made in memory as JSON lines, arrays or objects by column name: the form of {@link SqlAnswer}. */
export function encodeLines(
  meta: readonly ColumnMeta[],
  rows: readonly (readonly (string | number | null)[])[],
  form: 'arrays' | 'objects',
): Buffer {
  const lines = rows.map((row) => {
    if (form === 'arrays') return JSON.stringify(row);
    return JSON.stringify(Object.fromEntries(meta.map(({ name }, i) => [name, row[i] ?? null])));
  });
  return Buffer.from(lines.map((line) => `${line}\n`).join(''));
}
