import { stat } from 'node:fs/promises';
import type { SamplePlan, SuperTablePlan } from '../model/scenario.js';
import { type CsvField, type CsvRows, readCsvFile } from './csv-file.js';
import { PooledColumns } from './pool.js';
import type { TableSet } from './tables.js';

/** Rows out of a file, ready to be taken. */
export interface SampleRows {
  readonly columns: PooledColumns;
  /** Time of each row, where the file says so. */
  readonly times: BigInt64Array | undefined;
}

/** The sample files of a super table: one for all tables, and those that single tables have of their own. */
export interface Samples {
  readonly all: SampleRows;
  readonly own: ReadonlyMap<number, SampleRows>;
}

/**
 * Reads the sample files of a super table. Without times no more than `prepared_rand` lines are used; with times every
 * line is a row (`sample_file`, `use_sample_ts`).
 */
export async function readSamples(
  sample: SamplePlan,
  plan: Pick<SuperTablePlan, 'preparedRows' | 'columns'>,
  fields: readonly CsvField[],
  tables: TableSet,
  readTime: (text: string) => bigint | undefined,
): Promise<Samples> {
  const maxRows = sample.useTimes ? Number.POSITIVE_INFINITY : plan.preparedRows;
  const read = async (file: string): Promise<SampleRows> => {
    // A file has all columns of the table, or only those that are written.
    const spareFields = plan.columns.length - fields.length;
    const options = { fields, spareFields, withTimes: sample.useTimes, maxRows, readTime };
    const rows: CsvRows = await readCsvFile(file, options);
    return { columns: new PooledColumns(rows), times: rows.times };
  };
  const own = new Map<number, SampleRows>();
  if (sample.fileOfTable !== undefined) {
    for (let table = tables.from; table < tables.to; table++) {
      const file = sample.fileOfTable.replaceAll('XXXX', tables.nameOf(table));
      if (await exists(file)) own.set(table, await read(file));
    }
  }
  return { all: await read(sample.file), own };
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    (entry) => entry.isFile(),
    () => false,
  );
}
