import { Slice } from '../../async/slice.js';
import type { ColumnMeta } from '../../model/exchange.js';
import { quoteString } from '../../sql/engine/quote.js';
import { engineType } from '../../sql/engine/storage.js';

/** A value of an inline relation; times are ticks, BOOL is a boolean. */
type InlineValue = string | number | bigint | boolean | null;
/** A row of a system table that stands in the statement itself. */
export type InlineRow = readonly InlineValue[];

/** Lines that are written down at a time. */
const linesAtOnce = 1_024;

/** The engine's name of the column at a place, from 0. */
export function columnAlias(at: number): string {
  return `c${at + 1}`;
}

/**
 * Rows made in memory as a SELECT of the engine with the columns c1, c2 … The rows stand in the statement as one text
 * literal, which the engine parses a hundred times faster than as many expressions. They may be very many: the loop
 * yields to the event loop while they are read and written down.
 */
export async function inlineRows(columns: readonly ColumnMeta[], rows: Iterable<InlineRow>): Promise<string> {
  const types = columns.map(({ type }) => `Nullable(${engineType(type)})`);
  const text = await literalOf(rows);
  if (text === undefined) {
    return `SELECT ${types.map((type, at) => `CAST(NULL, '${type}') AS ${columnAlias(at)}`).join(', ')} WHERE 0`;
  }
  const structure = types.map((type, at) => `${columnAlias(at)} ${type}`).join(', ');
  return `SELECT * FROM format(JSONCompactEachRow, '${structure}', ${text})`;
}

/** Lines of JSON as a literal; undefined when there are no rows. */
async function literalOf(rows: Iterable<InlineRow>): Promise<string | undefined> {
  const parts: string[] = [];
  let lines: string[] = [];
  const write = (): void => {
    // Literals side by side are not one, so their quotes go.
    parts.push(quoteString(`${lines.join('\n')}\n`).slice(1, -1));
    lines = [];
  };
  const slice = new Slice();
  for (const row of rows) {
    lines.push(`[${row.map(printedValue).join(',')}]`);
    if (lines.length >= linesAtOnce) write();
    if (slice.isOver()) await slice.next();
  }
  if (lines.length > 0) write();
  return parts.length === 0 ? undefined : `'${parts.join('')}'`;
}

function printedValue(value: InlineValue): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
