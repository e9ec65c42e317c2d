import type { ColumnBlock } from '../../model/column-block.js';
import type { TableDef } from '../../model/schema.js';
import { allOf } from '../../sql/engine/build.js';
import { printExpr } from '../../sql/engine/print.js';
import { ofTable } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Engine } from '../engine/engine.js';
import { setOfKeys } from '../engine/key-sets.js';
import { countEntries } from '../engine/log-table.js';
import { decodeNative, type StoredRows } from '../engine/native-rows.js';

/** Context in which stored rows are read. */
export interface StoredRowsContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
}

/** Keys in one statement. */
const keysPerQuery = 10_000;

/**
 * Stored rows under the keys of blocks of one table; undefined when their time range is empty, of which nothing is
 * read. A column that another process added and filled would be lost with a row that does not know it, so the catalogue
 * must be current: if it was not, and the table has changed, nothing is read.
 */
export async function storedRows(
  { engine, catalogue }: StoredRowsContext,
  table: TableDef,
  blocks: readonly ColumnBlock[],
): Promise<StoredRows | undefined | 'outdated'> {
  const [from, to] = timeRange(blocks);
  const range = printExpr(allOf([...ofTable(table), expr`ts BETWEEN ${from} AND ${to}`]));
  const [row] = await engine.log.rows(
    `SELECT count(), (${countEntries}) FROM (SELECT 1 FROM ${table.storage} WHERE ${range} LIMIT 1)`,
  );
  if (Number(row?.[1] ?? 0) > catalogue.entries) {
    await catalogue.sync();
    if (catalogue.table(table.database, table.name) !== table) return 'outdated';
  }
  if (Number(row?.[0] ?? 0) === 0) return undefined;
  const ids = blocks.flatMap((block) => [...block.ids]);
  const times = blocks.flatMap((block) => [...block.times]);
  const columns = ['id', 'ts', ...table.columns.map(({ physical }) => physical)].join(', ');
  const pieces: Buffer[] = [];
  for (let at = 0; at < ids.length; at += keysPerQuery) {
    const keys = setOfKeys(ids.slice(at, at + keysPerQuery), times.slice(at, at + keysPerQuery));
    // Keys alone decide, so they may do so before rows are merged.
    const select = `SELECT ${columns} FROM ${table.storage} FINAL PREWHERE ${range} AND (id, ts) IN ${keys}`;
    pieces.push(await engine.bytes({ statement: `${select} SETTINGS max_threads = 1`, format: 'Native' }));
  }
  return decodeNative(Buffer.concat(pieces), table.columns);
}

function timeRange(blocks: readonly ColumnBlock[]): readonly [bigint, bigint] {
  let from = blocks[0]!.times[0]!;
  let to = from;
  for (const block of blocks) {
    for (const time of block.times) {
      if (time < from) from = time;
      if (time > to) to = time;
    }
  }
  return [from, to];
}
