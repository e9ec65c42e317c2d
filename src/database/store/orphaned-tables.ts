import type { DatabaseDef, TableDef } from '../../model/schema.js';
import { allOf } from '../../sql/engine/build.js';
import { printExpr } from '../../sql/engine/print.js';
import { quoteString } from '../../sql/engine/quote.js';
import { ofSeries, ofTable, ofTables } from '../../sql/engine/storage.js';
import { expr } from '../../sql/engine/template.js';
import { seriesId, sharedStoragePattern, sharedTagStorage, subTableKey } from '../catalogue/identity.js';
import type { DatabaseParts } from './parts.js';

/** Keys in one statement. */
const keysPerQuery = 5_000;

/** Engine names that the catalogue gives: databases, and the two tables of a super table, by the place in the log. */
const ownDatabase = /^d(\d+)_\d+$/;
const ownTable = /^[tg](\d+)_\d+$/;

/**
 * Removes what a crash between a drop's entry in the log and its work in the engine has left: storage that no
 * definition leads to, and dropped sub-tables that super tables still show. Meant to run once at every start, beside
 * the traffic; it may be repeated and may run in several processes at once.
 */
export async function removeOrphanedTables(context: DatabaseParts): Promise<void> {
  const { catalogue } = context;
  await removeStorage(context);
  for (const database of catalogue.databases()) {
    await removeShared(context, database);
    await finishRemovals(context, database, () => removeSubTables(context, database));
  }
}

/**
 * Runs what removes the rows of all sub-tables that are dropped now, and records then that no rows of them are left.
 */
async function finishRemovals(
  { catalogue }: DatabaseParts,
  { name: database }: DatabaseDef,
  remove: () => Promise<void>,
): Promise<void> {
  const open = catalogue
    .tables(database)
    .map(({ name }) => [name, [...catalogue.removals(database, name).keys()]] as const);
  await remove();
  const over = open.filter(([, removals]) => removals.length > 0);
  if (over.length === 0) return;
  await catalogue.submit(over.map(([name, removals]) => ({ op: 'rows-removed', database, name, removals }) as const));
}

/** Removes databases and tables of the engine that no definition leads to. */
async function removeStorage({ engine, catalogue }: DatabaseParts): Promise<void> {
  // The engine first, the log second: whatever is alive among what was listed is in the log by then.
  const databases = await engine.system.rows('SELECT name FROM system.databases');
  const tables = await engine.system.rows("SELECT database, name FROM system.tables WHERE match(database, '^d[0-9]')");
  await catalogue.sync();
  const live = new Set<string>();
  for (const database of catalogue.databases()) {
    live.add(database.id);
    for (const table of catalogue.tables(database.name)) live.add(table.storage).add(table.tagStorage ?? '');
  }
  // A place that this log has not reached is of another log, such as before a restore: not ours to remove.
  const isDead = (pattern: RegExp, name: string, place: string): boolean => {
    const position = pattern.exec(name)?.[1];
    return position !== undefined && Number(position) <= catalogue.position && !live.has(place);
  };
  for (const [name] of databases) {
    if (isDead(ownDatabase, String(name), String(name)))
      await engine.define({ change: 'drop-database', database: String(name) });
  }
  for (const [database, name] of tables) {
    const place = `${database}.${name}`;
    if (live.has(String(database)) && isDead(ownTable, String(name), place)) {
      await engine.define({ change: 'drop-table', table: place });
    }
  }
}

/** Removes what dropped tables have left among the rows and tags of others: those whose numbers no table has. */
async function removeShared({ engine, catalogue }: DatabaseParts, { id, name }: DatabaseDef): Promise<void> {
  const tagStorage = sharedTagStorage(id);
  const isMade = `SELECT 1 FROM system.tables WHERE concat(database, '.', name) = ${quoteString(tagStorage)}`;
  if ((await engine.system.rows(isMade)).length === 0) return;
  const numbers = await engine.rows(`SELECT DISTINCT t FROM ${tagStorage}`);
  // Those among them that are alive are in the log by now.
  await catalogue.sync();
  if (catalogue.database(name)?.id !== id) return;
  const live = new Set(catalogue.tables(name).map(({ number }) => number));
  // A number that this log has not given is of another log: not ours to remove.
  const isDead = (number: number): boolean => !live.has(number) && number < catalogue.nextNumber(name);
  const dead = numbers.map(([number]) => Number(number)).filter(isDead);
  if (dead.length === 0) return;
  const places = await engine.system.rows(
    `SELECT name FROM system.tables WHERE database = ${quoteString(id)} AND match(name, ${quoteString(sharedStoragePattern)})`,
  );
  // Tags last: a crash in between leaves what says that there is something to do.
  const where = printExpr(ofTables(dead));
  for (const place of [...places.map(([table]) => `${id}.${table}`), tagStorage]) {
    await engine.define({ change: 'delete-rows', table: place, where, isUnseen: true });
  }
}

/** Removes dropped sub-tables that super tables still show. */
async function removeSubTables(context: DatabaseParts, database: DatabaseDef): Promise<void> {
  const { engine, catalogue, storage } = context;
  const keys: bigint[] = [];
  for (const [name, generation] of catalogue.generations(database.name)) {
    for (let dropped = 0; dropped < generation; dropped++) keys.push(subTableKey(database.id, name, dropped));
  }
  for (let at = 0; at < keys.length; at += keysPerQuery) {
    const list = keys.slice(at, at + keysPerQuery).join(', ');
    const rows = await engine.rows(
      `SELECT parent, toString(id), lead FROM sluice.sub_tables FINAL
       WHERE database = ${quoteString(database.id)} AND id IN (${list})`,
    );
    const parents = new Map<string, Map<bigint, bigint>>();
    for (const [parent, text, lead] of rows) {
      const key = BigInt(String(text));
      const keysById = parents.get(String(parent)) ?? new Map<bigint, bigint>();
      parents.set(String(parent), keysById.set(seriesId(key, Number(lead)), key));
    }
    for (const [parent, keysById] of parents) {
      const table = catalogue.tableById(database.name, parent);
      if (table === undefined) continue;
      await storage.ensure(database, table);
      await removeFrom(context, database, table, keysById);
    }
  }
}

async function removeFrom(
  { engine, storage, subTables }: DatabaseParts,
  database: DatabaseDef,
  table: TableDef,
  keysById: ReadonlyMap<bigint, bigint>,
): Promise<void> {
  const condition = ofSeries([...keysById.keys()]);
  const live = printExpr(allOf([...ofTable(table), expr`dropped = 0`, condition]));
  const shown = await engine.rows(`SELECT toString(id), name FROM ${table.tagStorage} FINAL WHERE ${live}`);
  const present = shown.map(([text, name]) => {
    const id = BigInt(String(text));
    return { key: keysById.get(id) ?? id, id, name: String(name) };
  });
  if (present.length > 0) await subTables.markDropped(database, table, present);
  const where = printExpr(allOf([...ofTable(table), condition]));
  const rows = await engine.rows(`SELECT DISTINCT toString(id) FROM ${table.storage} WHERE ${where}`);
  if (rows.length > 0)
    await storage.dropSeries(
      table,
      rows.map(([id]) => BigInt(String(id))),
    );
}
