import { type StoredRowsContext, storedRows } from '../database/rows/stored-rows.js';
import type { ColumnBlock } from '../model/column-block.js';
import type { TableDef } from '../model/schema.js';
import { mergeRows } from './merge-rows.js';

/**
 * The rows of blocks of one table, joined with what is stored under the keys of rows that leave columns out; undefined when
 * the table turned out to have changed.
 */
export async function wholeRows(
  context: StoredRowsContext,
  table: TableDef,
  blocks: readonly ColumnBlock[],
): Promise<readonly ColumnBlock[] | undefined> {
  const stored = await storedRows(
    context,
    table,
    blocks.filter((block) => !isWhole(block, table)),
  );
  return stored === 'outdated' ? undefined : [mergeRows(table, blocks, stored)];
}

/** True when blocks need no completion: every row says something about every column of the table. */
export function areWhole(table: TableDef, blocks: readonly ColumnBlock[]): boolean {
  return blocks.every((block) => isWhole(block, table));
}

function isWhole(block: ColumnBlock, table: TableDef): boolean {
  if (block.columns.length < table.columns.length) return false;
  for (const { name } of table.columns) {
    const column = block.columns.find((candidate) => candidate.name === name);
    if (column === undefined || !(column.full || block.nullMeaning === 'overwrite')) return false;
  }
  return true;
}
