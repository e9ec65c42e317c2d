import type { Batch } from '../../../src/model/batch.js';
import { BlockBuilder, type ColumnBlock, type NullMeaning, schemalessStyle } from '../../../src/model/column-block.js';
import type { Delivery } from '../../../src/model/delivery.js';
import { type DataType, dataType, type TableDef } from '../../../src/model/schema.js';

/** A cell of a test row: absent keeps or is NULL, by the block's meaning. */
export type TestCell = number | bigint | string | boolean | null | undefined;

/** Builds a block from rows of [id, time, cells by column name]; one whose NULLs keep is that of a schemaless write. */
export function blockOf(
  table: string,
  columns: Readonly<Record<string, DataType>>,
  rows: readonly (readonly [bigint, bigint, Readonly<Record<string, TestCell>>])[],
  nullMeaning: NullMeaning = 'overwrite',
): ColumnBlock {
  const builder = new BlockBuilder('db', table, nullMeaning === 'keep' ? schemalessStyle : nullMeaning);
  const builders = Object.entries(columns).map(([name, type]) => builder.addColumn(name, type));
  for (const [id, time, cells] of rows) {
    builder.setKey(id, time);
    for (const column of builders) {
      column.reserve(builder.rows);
      const cell = cells[column.name];
      if (cell === null || cell === undefined) continue;
      if (column.variable) {
        const bytes = Buffer.from(String(cell));
        column.putBytes(builder.rows, bytes, 0, bytes.length);
        continue;
      }
      const values = column.values!;
      if (values instanceof BigInt64Array || values instanceof BigUint64Array) values[builder.rows] = BigInt(cell);
      else values[builder.rows] = Number(cell);
      column.nulls[builder.rows] = 0;
      column.filled++;
    }
    builder.rows++;
  }
  return builder.finish();
}

/** A table definition with the given data columns, in physical order. */
export function tableOf(name: string, columns: Readonly<Record<string, DataType>>): TableDef {
  return {
    id: '1_0',
    database: 'db',
    name,
    kind: 'super',
    timeColumn: 'ts',
    columns: Object.entries(columns).map(([column, type], i) => ({ name: column, type, physical: `c${i + 1}` })),
    tags: [],
    storage: 'd1.t1',
    tagStorage: 'd1.g1',
    seriesId: undefined,
    comment: undefined,
    ttl: 0,
    created: 0,
    revision: 1,
  };
}

/** A batch of one block that records how it ended. */
export function recordedBatch(block: ColumnBlock): Batch<ColumnBlock> & { readonly endings: Delivery[] } {
  const endings: Delivery[] = [];
  return {
    origin: 'test',
    target: { database: 'db', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' },
    payload: block,
    rows: block.rows,
    bytes: block.rows * 10,
    settle: (delivery) => endings.push(delivery),
    endings,
  };
}

export const int = dataType('INT');
export const double = dataType('DOUBLE');
export const varchar = dataType('VARCHAR', 16);
