import { insertEncoder, maxStatementBytes } from '../src/load/encode/insert-sql.js';
import { linesEncoder } from '../src/load/encode/lines.js';
import type { RowEncoder } from '../src/load/encode/row-encoder.js';
import type { SchemalessFormat, SuperTablePlan } from '../src/load/model/scenario.js';
import type { RowSource } from '../src/load/rows/source.js';
import { demoPlan, openDemo } from './support/load-plan.js';

const maxSeconds = 2;

/** Prints MB/s and rows/s of generated rows as text, the making of the rows included. */
export async function run(): Promise<void> {
  await measure('INSERT', {}, insert);
  await measure('INSERT, 10 rows a table and round', { interlaceRows: 10 }, insert);
  await measure('INSERT, values of their own for each table', { randomPerTable: true }, insert);
  for (const format of ['line', 'telnet', 'json'] as const) {
    await measure(format, { mode: 'sml' }, (source) => lines(source, format));
  }
}

function insert({ tables }: RowSource): RowEncoder {
  const nameOf = tables.nameOf;
  return insertEncoder({ database: 'test', quoted: false, nameOf, using: undefined, columns: undefined });
}

function lines({ tables, tags }: RowSource, format: SchemalessFormat): RowEncoder {
  const target = {
    format,
    superTable: 'meters',
    precision: 'ms',
    tags: demoPlan().tags,
    tagRows: tags.rows,
    nameOf: tables.nameOf,
    put: false,
  } as const;
  return linesEncoder(target, maxStatementBytes);
}

async function measure(
  name: string,
  changes: Partial<SuperTablePlan>,
  encoderOf: (source: RowSource) => RowEncoder,
): Promise<void> {
  const source = await openDemo(changes);
  const encoder = encoderOf(source);
  const begin = performance.now();
  let bytes = 0;
  let rows = 0;
  let seconds = 0;
  for (const request of source.requests(source.tables)) {
    for (let from = 0; from < request.block.rows; ) {
      const encoded = encoder.encode(request, from);
      from += encoded.rows;
      rows += encoded.rows;
      bytes += encoded.bytes.length;
    }
    seconds = (performance.now() - begin) / 1000;
    if (seconds > maxSeconds) break;
  }
  const megabytes = (bytes / seconds / 1e6).toFixed(0);
  console.log(`encoded rows, ${name}: ${megabytes} MB/s, ${(rows / seconds / 1e6).toFixed(1)} million rows/s`);
}
