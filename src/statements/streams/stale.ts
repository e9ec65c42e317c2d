import { allOf, column, fromQuery, join, subquery } from '../../sql/engine/build.js';
import { Binary, type Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { idColumn, nameColumn, ofTable, tagsSource } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import type { InsertSelectPlan } from '../../sql/plan/insert-select.js';
import type { PreparedStream } from './prepared.js';

/** Results that are removed by one statement. */
const maxKeys = 10_000;

/**
 * Removes results that are none any more: rows of the target that meet conditions and are not among those of the plan,
 * which are `stored` rows and all that may be there under the conditions. Only in a table that was made for the stream
 * and that no other stream writes to.
 */
export async function removeStale(
  { def, context }: PreparedStream,
  plan: InsertSelectPlan,
  stored: number,
  where: readonly Expr[],
): Promise<void> {
  const { catalogue, engine, storage } = context;
  const { target } = def;
  const writers = catalogue.derivations.streams().filter((stream) => stream.target.id === target.id);
  if (!def.ownsTarget || writers.length !== 1) return;
  const { table } = plan.target;
  const rows = [...ofTable(table), ...where];
  const [row] = await engine.rows(`SELECT count() FROM ${table.storage} FINAL WHERE ${printExpr(allOf(rows))}`);
  if (Number(row?.[0] ?? 0) <= stored) return;
  const planned = subquery({
    columns: [
      [idColumn('g'), ''],
      [column('r', 'x0'), ''],
    ],
    from: join('INNER', fromQuery({ raw: plan.sql }, 'r'), tagsSource(table, 'g'), [expr`${nameColumn('g')} = r.x1`]),
  });
  const stale = printExpr(allOf([...rows, new Binary('GLOBAL NOT IN', expr`(id, ts)`, planned)]));
  const find = `SELECT toString(id), toString(ts) FROM ${table.storage} FINAL WHERE ${stale} LIMIT ${maxKeys}`;
  for (let count = maxKeys; count === maxKeys; ) {
    // The keys are looked up first: the engine would run a query in the condition of DELETE for every part of the
    // table.
    const keys = await engine.rows(find);
    count = keys.length;
    if (count === 0) return;
    const isStale = `(id, ts) IN (${keys.map(([id, ts]) => `(${id}, ${ts})`).join(', ')})`;
    const condition = [...ofTable(table).map(printExpr), isStale].join(' AND ');
    const change = { change: 'delete-rows', table: table.storage, where: condition, isUnseen: false } as const;
    await storage.withTablesLocked([table], () => engine.define(change));
  }
}
