import type { ColumnDef, DatabaseDef, TableDef } from '../../model/schema.js';
import { daysInTicks } from '../../model/schema.js';
import { engineType } from '../../sql/plan/storage.js';
import { quoteIdentifier } from '../../sql/print/quote.js';

/** Days a partition spans at least, and how many partitions a database's retention is cut into at most. */
const minPartitionDays = 10;
const maxPartitions = 100;

/** Ticks that one partition of a database's tables spans: partition number p holds p × span up to (p + 1) × span. */
export function partitionSpan(database: DatabaseDef): bigint {
  const days = Math.max(minPartitionDays, Math.ceil(database.keepDays / maxPartitions));
  return daysInTicks(days, database.precision);
}

function definition(column: ColumnDef): string {
  return `${quoteIdentifier(column.physical)} Nullable(${engineType(column.type)})`;
}

/**
 * How data tables are kept. What the engine works out for each part, small ones too, is left out where no query uses it:
 * column statistics, the share of default values, and the expiry of rows (see `dropOldRows`), which alone took a
 * third of a small insert. A base of 30 merges more parts at a time, which takes a third off what an insert and its
 * merges cost, and leaves FINAL as fast; many small parts may
 * wait before inserts are slowed. `bench/engine-native.bench.ts` measures the difference.
 */
const dataSettings = [
  "auto_statistics_types = ''",
  'ratio_of_defaults_for_sparse_serialization = 1',
  'merge_selector_base = 30',
  'parts_to_delay_insert = 3000',
  'parts_to_throw_insert = 10000',
].join(', ');

/** Makes the engine table of a table's rows, with columns that may be more than the table's own. */
export function dataTable(database: DatabaseDef, { storage, number }: TableDef, columns: readonly ColumnDef[]): string {
  const { own, key } = numbering(number);
  const stored = [...own, 'id UInt64', 'ts Int64 CODEC(DoubleDelta, LZ4)', ...columns.map(definition)];
  return `CREATE TABLE IF NOT EXISTS ${storage} (${stored.join(', ')})
    ENGINE = ReplacingMergeTree PARTITION BY intDiv(ts, ${partitionSpan(database)}) ORDER BY (${key}id, ts)
    SETTINGS ${dataSettings}`;
}

/** Tables that are told apart by their numbers are ranges of the key. */
function numbering(number: number | undefined): { readonly own: readonly string[]; readonly key: string } {
  return number === undefined ? { own: [], key: '' } : { own: ['t UInt32'], key: 't, ' };
}

/** Makes the engine table of a super table's tags; see {@link dataTable}. */
export function tagTable({ tagStorage, number }: TableDef, tags: readonly ColumnDef[]): string {
  const { own, key } = numbering(number);
  const fixed = ['id UInt64', 'ts Int64', 'name String', 'dropped UInt8', 'revision UInt64'];
  return `CREATE TABLE IF NOT EXISTS ${tagStorage} (${[...own, ...fixed, ...tags.map(definition)].join(', ')})
    ENGINE = ReplacingMergeTree(revision) ORDER BY (${key}id)`;
}

/** Adds columns to an engine table, those that it lacks. */
export function addMissing(storage: string, columns: readonly ColumnDef[]): string {
  const adds = columns.map((column) => `ADD COLUMN IF NOT EXISTS ${definition(column)}`);
  return `ALTER TABLE ${storage} ${adds.join(', ')}`;
}
