import type { ColumnMeta } from '../../model/exchange.js';
import type { Precision } from '../../model/schema.js';

/** Ticks of a time as the rows print it; undefined when it is none. */
type ReadTicks = (text: string, precision: Precision) => bigint | undefined;

/**
 * Rows of a query as lines for a result file: the values parted by one blank, texts without quotes, times as ticks,
 * NULL as a word; a line break within a text is printed as `\n`, so that a row is always one line. Takes the rows as
 * JSON arrays, one a line, in chunks that are cut anywhere; numbers keep their digits.
 */
export class ResultRowsEncoder {
  /** Rows that were printed. */
  rows = 0;
  readonly #isTime: readonly boolean[];
  readonly #readTicks: ReadTicks;
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(meta: readonly ColumnMeta[], readTicks: ReadTicks) {
    this.#isTime = meta.map(({ type }) => type.name === 'TIMESTAMP');
    this.#readTicks = readTicks;
  }

  /** The lines that a chunk completes. */
  encode(chunk: Uint8Array): string {
    return this.#encode(this.#rest + this.#decoder.decode(chunk, { stream: true }));
  }

  /** The last line, where no line break ended it. */
  end(): string {
    const text = this.#rest + this.#decoder.decode();
    return text === '' ? '' : this.#encode(`${text}\n`);
  }

  #encode(text: string): string {
    let lines = '';
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      if (end > from) {
        lines += `${this.#line(text.slice(from, end))}\n`;
        this.rows++;
      }
      from = end + 1;
    }
    this.#rest = text.slice(from);
    return lines;
  }

  #line(row: string): string {
    let line = '';
    let column = 0;
    for (let at = 1; at < row.length - 1; column++) {
      const end = endOfValue(row, at);
      const value = this.#value(row.slice(at, end), column);
      line = column === 0 ? value : `${line} ${value}`;
      at = end + 1;
    }
    return line;
  }

  #value(text: string, column: number): string {
    if (text === 'null') return 'NULL';
    if (!text.startsWith('"')) return text;
    const parsed: unknown = JSON.parse(text);
    const value = String(parsed);
    const ticks = this.#isTime[column] === true ? this.#readTicks(value, precisionOf(value)) : undefined;
    return ticks === undefined ? value.replaceAll('\r', '\\r').replaceAll('\n', '\\n') : String(ticks);
  }
}

/** Times are printed with all digits that their precision has. */
function precisionOf(time: string): Precision {
  const digits = /\.(\d+)/.exec(time)?.[1]?.length ?? 3;
  if (digits <= 3) return 'ms';
  return digits <= 6 ? 'us' : 'ns';
}

/** Position of the comma or bracket after the value that begins at `at`. */
function endOfValue(row: string, at: number): number {
  let depth = 0;
  for (let end = at; end < row.length; end++) {
    const letter = row[end];
    if (letter === '"') end = endOfText(row, end);
    else if (letter === '[' || letter === '{') depth++;
    else if (letter === ',' && depth === 0) return end;
    else if ((letter === ']' || letter === '}') && depth-- === 0) return end;
  }
  return row.length;
}

function endOfText(row: string, at: number): number {
  let end = at + 1;
  while (end < row.length && row[end] !== '"') end += row[end] === '\\' ? 2 : 1;
  return end;
}
