import type { TableDef } from '../../model/schema.js';
import { allOf } from '../../sql/engine/build.js';
import { printExpr, printQuery } from '../../sql/engine/print.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import type { DeletePlan } from '../../sql/plan/delete.js';
import type { Engine } from '../engine/engine.js';
import type { Storage } from './storage.js';

/** Series in one statement. */
const idsPerStatement = 10_000;

/**
 * Removes the rows of a DELETE and gives how many there were, an overwritten row counted once. The engine marks rows by
 * their keys, so every stored version of a row goes and a row written later under the same key is seen again. Writes of
 * this process to the table wait meanwhile.
 */
export function deleteRows(plan: DeletePlan, engine: Engine, storage: Storage): Promise<number> {
  const { table } = plan.target;
  return storage.withTablesLocked([table], async () => {
    let removed = 0;
    for (const where of await conditionsOf(plan, engine)) removed += await removeWhere(table, where, engine);
    return removed;
  });
}

async function removeWhere({ storage }: TableDef, where: string, engine: Engine): Promise<number> {
  const [row] = await engine.rows(`SELECT count() FROM ${storage} FINAL WHERE ${where}`);
  const rows = Number(row?.[0] ?? 0);
  if (rows > 0) await engine.define({ change: 'delete-rows', table: storage, where, isUnseen: false });
  return rows;
}

/** One condition per statement; many series are taken in several. */
async function conditionsOf({ target, time, series }: DeletePlan, engine: Engine): Promise<string[]> {
  const own = ofTable(target.table);
  if (series === 'all') return [printExpr(allOf([...own, ...time]))];
  const ids =
    'ids' in series ? series.ids : (await engine.rows(printQuery(series.query))).map(([id]) => BigInt(String(id)));
  const conditions: string[] = [];
  for (let at = 0; at < ids.length; at += idsPerStatement) {
    conditions.push(printExpr(allOf([...own, ofSeries(ids.slice(at, at + idsPerStatement)), ...time])));
  }
  return conditions;
}
