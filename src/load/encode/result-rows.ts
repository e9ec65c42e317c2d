import { lineFeed } from '../../bytes/ascii.js';
import type { ColumnMeta } from '../../model/exchange.js';
import type { Precision } from '../../model/schema.js';
import { endOfElement } from '../../transforms/wire/json-elements.js';

/** Ticks of a time as the rows print it; undefined when it is none. */
type ReadTicks = (text: string, precision: Precision) => bigint | undefined;

/**
 * Rows of a query as lines for a result file: the values separated by one blank, texts without quotes, times as ticks,
 * NULL as a word; a line break within a text is printed as `\n`, so that a row is always one line. Takes the rows as
 * JSON arrays, one per line, in chunks that are cut anywhere; numbers keep their digits.
 */
export class ResultRowsEncoder {
  /** Rows that were printed. */
  rows = 0;
  readonly #isTime: readonly boolean[];
  readonly #readTicks: ReadTicks;
  /** The beginning of a row whose end has not come yet. */
  #rest = Buffer.alloc(0);

  constructor(meta: readonly ColumnMeta[], readTicks: ReadTicks) {
    this.#isTime = meta.map(({ type }) => type.name === 'TIMESTAMP');
    this.#readTicks = readTicks;
  }

  /** The lines that a chunk completes. */
  encode(chunk: Uint8Array): string {
    const bytes = Buffer.concat([this.#rest, chunk]);
    let lines = '';
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      if (end > from) {
        lines += `${this.#line(bytes, from, end)}\n`;
        this.rows++;
      }
      from = end + 1;
    }
    this.#rest = bytes.subarray(from);
    return lines;
  }

  /** The last line, where no line break ended it. */
  end(): string {
    return this.#rest.length === 0 ? '' : this.encode(Buffer.of(lineFeed));
  }

  #line(bytes: Buffer, from: number, end: number): string {
    const values: string[] = [];
    for (let at = from + 1; at < end - 1; ) {
      const valueEnd = endOfElement(bytes, at, end);
      values.push(this.#value(bytes.toString('utf8', at, valueEnd), values.length));
      at = valueEnd + 1;
    }
    return values.join(' ');
  }

  #value(text: string, column: number): string {
    if (text === 'null') return 'NULL';
    if (!text.startsWith('"')) return text;
    const value = String(JSON.parse(text));
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
