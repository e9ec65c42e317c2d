import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { parse } from 'csv-parse';
import { BlockBuilder, type ColumnBuilder } from '../../model/column-block.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { type DataType, type IntegerRange, integerRanges, type TypeName } from '../../model/schema.js';
import type { RowPool } from '../model/row-request.js';

/** Bytes at a file's beginning that show which quotes it uses. */
const lookAheadBytes = 65536;
/** Longest line: a row has at most 64 KiB, of which every character may be doubled and quoted. */
const maxLineBytes = 1024 * 1024;
/** Longest piece of the reason why a file cannot be read: it may repeat the file. */
const maxReasonLength = 200;

/** A field of a line. */
export interface CsvField {
  readonly name: string;
  readonly type: DataType;
}

/** How the lines of a file become rows. */
interface CsvOptions {
  /** The fields of a line, in order. */
  readonly fields: readonly CsvField[];
  /** How many more fields a line may have, all or none of them, which are not read; none when left out. */
  readonly spareFields?: number;
  /** The first field of a line is the row's time. */
  readonly withTimes: boolean;
  /** Lines after these are not read. */
  readonly maxRows: number;
  /** Ticks of a time written as text; undefined when it is no time. */
  readonly readTime: (text: string) => bigint | undefined;
}

/** The lines of a file as typed columns; `times` is set for files with times. */
export interface CsvRows extends RowPool {
  readonly times: BigInt64Array | undefined;
}

/**
 * Reads a CSV file without a header: a field of a line for each of the fields, NULL without quotes for none, texts in
 * double quotes or, as statements write them, in single ones, doubled inside. Blank lines are skipped. Throws a
 * FaultError that names file and line when it cannot be read, has no lines, or holds what its column cannot
 * (`sample_file`, `tags_file`).
 */
export async function readCsvFile(file: string, options: CsvOptions): Promise<CsvRows> {
  const quote = await quoteOf(file);
  const builder = new BlockBuilder('', '', 'overwrite');
  const columns = options.fields.map(({ name, type }) => builder.addColumn(name, type));
  const input = createReadStream(file);
  const parser = parse({
    quote,
    escape: quote,
    bom: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: maxLineBytes,
    record_delimiter: ['\r\n', '\n'],
    cast: (text, { quoting }) => (!quoting && /^null$/i.test(text) ? null : text),
  });
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  try {
    for await (const record of parser) {
      const cells: unknown = record;
      const problem = Array.isArray(cells) ? putRow(builder, columns, cells, options) : undefined;
      if (problem !== undefined) throw refused(`"${file}", row ${builder.rows + 1}${problem}`);
      if (++builder.rows >= options.maxRows) break;
    }
  } catch (error) {
    throw error instanceof FaultError ? error : refused(`"${file}" cannot be read`, error);
  } finally {
    input.destroy();
  }
  if (builder.rows === 0) throw refused(`"${file}" has no rows`);
  const { rows, columns: read, times } = builder.finish();
  return { rows, columns: read, times: options.withTimes ? times : undefined };
}

/** The quotes of a file: single ones when its first quoted field has them. */
async function quoteOf(file: string): Promise<string> {
  try {
    if (!(await stat(file)).isFile()) throw new Error('it is no regular file');
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(lookAheadBytes), 0, lookAheadBytes, 0);
      return /(?:^|,)[ \t]*(['"])/m.exec(buffer.toString('utf8', 0, bytesRead))?.[1] ?? '"';
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw refused(`"${file}" cannot be read`, error);
  }
}

/** Writes the cells of a line; returns why they are no row, if so. */
function putRow(
  builder: BlockBuilder,
  columns: readonly ColumnBuilder[],
  cells: readonly unknown[],
  { fields, spareFields = 0, withTimes, readTime }: CsvOptions,
): string | undefined {
  const row = builder.rows;
  const skipped = withTimes ? 1 : 0;
  const expected = fields.length + skipped;
  if (cells.length !== expected && cells.length !== expected + spareFields) {
    return `: ${cells.length} fields, expected ${expected}`;
  }
  const time = withTimes ? ticksOf(String(cells[0]), readTime) : 0n;
  if (time === undefined) return `: "${cells[0]}" is not a time`;
  builder.setKey(0n, time);
  for (const [i, column] of columns.entries()) {
    column.reserve(row);
    const cell = cells[i + skipped];
    const problem = typeof cell === 'string' ? putCell(column, row, cell, readTime) : undefined;
    if (problem !== undefined) return `, column "${column.name}": ${problem}`;
  }
  return undefined;
}

/** Writes a cell into a column; returns why it does not fit, if so. */
function putCell(
  column: ColumnBuilder,
  row: number,
  text: string,
  readTime: CsvOptions['readTime'],
): string | undefined {
  const { name, length } = column.type;
  if (column.variable) {
    const bytes = Buffer.from(text);
    const size = name === 'NCHAR' ? Array.from(text).length : bytes.length;
    if (size > length) return `"${text}" is longer than ${name}(${length}) holds`;
    column.putBytes(row, bytes, 0, bytes.length);
  } else if (text !== '') {
    const value = cellOf(text, name, readTime);
    if (value === undefined) return `"${text}" is not a value of type ${name}`;
    column.putNumber(row, value);
  }
  return undefined;
}

function cellOf(text: string, name: TypeName, readTime: CsvOptions['readTime']): number | bigint | undefined {
  switch (name) {
    case 'BOOL':
      return boolOf(text);
    case 'TIMESTAMP':
      return ticksOf(text, readTime);
    case 'FLOAT':
    case 'DOUBLE': {
      const value = Number(text);
      return Number.isFinite(name === 'FLOAT' ? Math.fround(value) : value) ? value : undefined;
    }
    default:
      return wholeOf(text, integerRanges[name]);
  }
}

function boolOf(text: string): number | undefined {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true' ? 1 : 0;
  const number = Number(text);
  return Number.isNaN(number) ? undefined : Number(number !== 0);
}

/** A whole number in range; decimals are rounded half away from zero, as in statements. */
function wholeOf(text: string, range: IntegerRange | undefined): bigint | undefined {
  let value: bigint;
  if (/^[+-]?\d+$/.test(text)) {
    value = BigInt(text.replace('+', ''));
  } else {
    const number = Number(text);
    if (!Number.isFinite(number)) return undefined;
    value = BigInt(Math.sign(number) * Math.round(Math.abs(number)));
  }
  return range !== undefined && value >= range.min && value <= range.max ? value : undefined;
}

function ticksOf(text: string, readTime: CsvOptions['readTime']): bigint | undefined {
  return /^-?\d+$/.test(text) ? wholeOf(text, integerRanges.BIGINT) : readTime(text);
}

function refused(message: string, cause?: unknown): FaultError {
  const said = cause instanceof Error ? cause.message.replace(/\p{C}/gu, ' ') : '';
  const reason = said === '' ? '' : `: ${said.slice(0, maxReasonLength)}${said.length > maxReasonLength ? '…' : ''}`;
  return new FaultError(fault('parameter', Codes.invalidParameters, `${message}${reason}`, cause));
}
