import { allOf } from '../../sql/engine/select.js';
import { idColumn, nameColumn, ofTable, tagsSource } from '../../sql/engine/storage.js';
import type { InsertSelectPlan } from '../../sql/plan/insert-select.js';
import type { PreparedStream } from './prepared.js';

/** Results that are removed by one statement. */
const maxKeys = 10_000;

/**
 * Removes results that are none any more: rows of the target that meet conditions and are not among those of the plan,
 * which are `stored` rows and all that may be there under the conditions. Only in a table that was made for the stream and
 * that no other stream writes to.
 */
export async function removeStale(
  { def, context }: PreparedStream,
  plan: InsertSelectPlan,
  stored: number,
  where: readonly string[],
): Promise<void> {
  const { catalogue, engine, storage } = context;
  const { target } = def;
  const writers = catalogue.derivations.streams().filter((stream) => stream.target.id === target.id);
  if (!def.ownsTarget || writers.length !== 1) return;
  const { table } = plan.target;
  const rows = [...ofTable(table), ...where];
  const [row] = await engine.rows(`SELECT count() FROM ${table.storage} FINAL WHERE ${allOf(rows)}`);
  if (Number(row?.[0] ?? 0) <= stored) return;
  const named = `(${plan.sql}) AS r INNER JOIN ${tagsSource(table, 'g')} ON ${nameColumn('g')} = r.x1`;
  const stale = [...rows, `(id, ts) GLOBAL NOT IN (SELECT ${idColumn('g')}, r.x0 FROM ${named})`];
  const find = `SELECT toString(id), toString(ts) FROM ${table.storage} FINAL WHERE ${allOf(stale)} LIMIT ${maxKeys}`;
  for (let count = maxKeys; count === maxKeys; ) {
    // The keys are looked up first: the engine would run a query in the condition of DELETE for every part of the table.
    const keys = await engine.rows(find);
    count = keys.length;
    if (count === 0) return;
    const where = [...ofTable(table), `(id, ts) IN (${keys.map(([id, ts]) => `(${id}, ${ts})`).join(', ')})`];
    const change = { change: 'delete-rows', table: table.storage, where: allOf(where), isUnseen: false } as const;
    await storage.inTurn([table], () => engine.define(change));
  }
}
