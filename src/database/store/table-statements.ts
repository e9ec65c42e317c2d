import type { ColumnDef, DatabaseDef, TableDef } from '../../model/schema.js';
import { daysInTicks, keyColumn } from '../../model/schema.js';
import { quoteIdentifier } from '../../sql/engine/quote.js';
import { engineType } from '../../sql/engine/storage.js';
import type { TableChange } from '../engine/table-change.js';
import { type Compression, codecOf, codecSettings, packedColumn } from './compression.js';

/** Days a partition spans at least, and how many partitions a database's retention is cut into at most. */
const minPartitionDays = 10;
const maxPartitions = 100;

/** Ticks that one partition of a database's tables spans: partition number p holds p × span up to (p + 1) × span. */
export function partitionSpan(database: DatabaseDef): bigint {
  const days = Math.max(minPartitionDays, Math.ceil(database.keepDays / maxPartitions));
  return daysInTicks(days, database.precision);
}

function typed({ type }: ColumnDef): string {
  return `Nullable(${engineType(type)})`;
}

/** A tag: there is one of each series, so they are kept as they are read quickest. */
function tagDefinition(tag: ColumnDef): string {
  return `${quoteIdentifier(tag.physical)} ${typed(tag)}`;
}

function definition(column: ColumnDef, compression: Compression): string {
  return `${quoteIdentifier(column.physical)} ${packed(typed(column), compression)}`;
}

function packed(type: string, compression: Compression): string {
  return `${type} CODEC(${codecOf(type, compression)})`;
}

/**
 * How data tables are kept. What the engine works out for each part, small ones too, is left out where no query uses
 * it: column statistics, the share of default values, and the expiry of rows (see `dropOldRows`), which alone took a
 * third of a small insert. A base of 30 merges more parts at a time, which takes a third off what an insert and its
 * merges cost, and leaves FINAL as fast; many small parts may wait before inserts are slowed.
 * `bench/engine-native.bench.ts` measures the difference.
 */
const dataSettings = [
  "auto_statistics_types = ''",
  'ratio_of_defaults_for_sparse_serialization = 1',
  'merge_selector_base = 30',
  'parts_to_delay_insert = 3000',
  'parts_to_throw_insert = 10000',
];

/** Makes the engine table of a table's rows, with columns that may be more than the table's own. */
export function dataTable(
  database: DatabaseDef,
  { storage, number }: TableDef,
  columns: readonly ColumnDef[],
  compression: Compression,
): TableChange {
  const { own, key } = numbering(number);
  const keys = [...own, 'id UInt64', 'ts Int64'].map((column) => {
    const [name = '', type = ''] = column.split(' ');
    return `${name} ${packed(type, compression)}`;
  });
  const stored = [...keys, ...columns.map((column) => definition(column, compression))];
  const partition = `intDiv(ts, ${partitionSpan(database)})`;
  const second = keyColumn({ columns });
  // Every column is stored as one that may be NULL; a key that is NULL is refused before.
  const tableSettings = second === undefined ? dataSettings : [...dataSettings, 'allow_nullable_key = 1'];
  const kept = { tableSettings, settings: codecSettings, deduplicates: true };
  const order = `${key}id, ts${second === undefined ? '' : `, ${quoteIdentifier(second.physical)}`}`;
  const kind = { order, partition, ...kept };
  return { change: 'make-table', table: storage, columns: stored, kind };
}

/** Tables that are distinguished by their numbers are ranges of the key. */
function numbering(number: number | undefined): { readonly own: readonly string[]; readonly key: string } {
  return number === undefined ? { own: [], key: '' } : { own: ['t UInt32'], key: 't, ' };
}

/** Makes the engine table of a super table's tags; see {@link dataTable}. */
export function tagTable(tagStorage: string, { number }: TableDef, tags: readonly ColumnDef[]): TableChange {
  const { own, key } = numbering(number);
  const times = packedColumn('ts', 'Int64');
  const fixed = ['id UInt64', times, packedColumn('name', 'String'), 'dropped UInt8', 'revision UInt64'];
  const columns = [...own, ...fixed, ...tags.map(tagDefinition)];
  return { change: 'make-table', table: tagStorage, columns, kind: { order: `${key}id`, version: 'revision' } };
}

/** Adds columns to an engine table of rows, those that it lacks. */
export function addMissingColumns(
  storage: string,
  columns: readonly ColumnDef[],
  compression: Compression,
): TableChange {
  const definitions = columns.map((column) => definition(column, compression));
  return { change: 'add-columns', table: storage, columns: definitions, settings: codecSettings };
}

/** Adds tags to an engine table of tags, those that it lacks. */
export function addMissingTags(tagStorage: string, tags: readonly ColumnDef[]): TableChange {
  return { change: 'add-columns', table: tagStorage, columns: tags.map(tagDefinition) };
}
