import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { type Catalogue, logOf } from '../catalogue/catalogue.js';
import { copyLog } from '../catalogue/copy-log.js';
import type { Engine } from '../engine/engine.js';
import { DocumentsStore } from './documents-store.js';
import type { DatabaseParts } from './parts.js';

/** Values that are in memory at a time. */
const valuesPerPiece = 2_000_000;
const greatestId = 2n ** 64n - 1n;

/** Called with the copied rows, and how many there are. */
export type RowProgress = (done: number, of: number) => void;

/** An engine table as it is copied. */
interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** Rows of a table that are copied at once. */
interface Piece {
  readonly where: string;
  readonly rows: number;
}

/** Series by their ids, and times; the ends belong to it. Without `times` all of them do. */
interface Range {
  readonly low: bigint;
  readonly high: bigint;
  readonly times?: { readonly first: bigint; readonly last: bigint };
}

/** How definitions are taken along. */
export interface MoveOptions {
  /**
   * Topics and streams are, too; else they are refused, because where they are in the history of rows means nothing
   * elsewhere.
   */
  readonly keepsFollowers: boolean;
}

/**
 * Makes the databases, tables, users and documents of one engine on another one, which is empty or has them from an earlier call.
 * A service may work on the other engine from then on. Gives the names of topics and streams.
 * @throws Error with one line when that engine has others, or when there is something that it cannot have.
 */
export async function moveDefinitions(
  from: Engine,
  known: Catalogue,
  to: DatabaseParts,
  { keepsFollowers }: MoveOptions,
): Promise<readonly string[]> {
  await known.sync();
  const followers = [...known.topics.all(), ...known.derivations.streams()].map(({ name }) => name);
  if (!keepsFollowers && followers.length > 0) {
    const why = 'Topics and streams do not know their places elsewhere';
    throw new Error(`${why}; drop these first, and make them anew there: ${followers.join(', ')}.`);
  }
  await copyLog(logOf(from), logOf(to.engine));
  const { catalogue, storage, subTables } = to;
  await catalogue.sync();
  await subTables.prepare();
  await new DocumentsStore(to.engine, catalogue).prepare();
  for (const database of catalogue.databases()) {
    for (const table of catalogue.tables(database.name)) await storage.ensure(database, table);
  }
  return followers;
}

/**
 * Copies all rows: those of sub-tables and tags first, so that what rows mean is there before them. Rows that a service
 * has written meanwhile under the same key stay; see {@link InsertOptions.isEarlier}. May be repeated. Gives how many
 * there were.
 */
export async function moveRows(
  from: Engine,
  { engine, catalogue }: DatabaseParts,
  progress: RowProgress,
): Promise<number> {
  const tables = catalogue.databases().flatMap(({ name }) => catalogue.tables(name));
  const tags = tables.flatMap(({ tagStorage }) => tagStorage ?? []);
  const places = new Set(['sluice.sub_tables', 'sluice.documents', ...tags, ...tables.map(({ storage }) => storage)]);
  const copied: CopiedTable[] = [];
  for (const name of places) copied.push(await copiedTable(from, engine, name));
  const all = copied.reduce((sum, { rows }) => sum + rows, 0);
  let done = 0;
  for (const table of copied) {
    const list = table.columns.map(quoteIdentifier).join(', ');
    for await (const { where, rows } of pieces(from, table, { low: 0n, high: greatestId })) {
      const statement = `SELECT ${list} FROM ${table.name} FINAL WHERE ${where}`;
      const data = await from.bytes({ statement, format: 'Native' });
      const settings = 'max_partitions_per_insert_block = 0';
      const insert = { table: table.name, columns: list, settings, format: 'Native' };
      await engine.insert(insert, data, { isEarlier: true });
      done += rows;
      progress(done, Math.max(done, all));
    }
  }
  return done;
}

/** Columns that both have: definitions that were dropped leave columns behind that the other engine was not given. */
async function copiedTable(from: Engine, to: Engine, name: string): Promise<CopiedTable> {
  const columns = `SELECT name FROM system.columns WHERE concat(database, '.', table) = ${quoteString(name)}`;
  // Copies on a cluster say in what order they came beside what they are copies of.
  const own = await from.system.rows(`${columns} AND name NOT IN ('version', 'received') ORDER BY position`);
  const theirs = new Set((await to.system.rows(columns)).map(([column]) => column));
  const [row] = own.length === 0 ? [] : await from.rows(`SELECT count() FROM ${name}`);
  const both = own.map(([column]) => String(column)).filter((column) => theirs.has(column));
  return { name, columns: both, rows: Number(row?.[0] ?? 0) };
}

/** Halves a range until its rows fit into memory: by the ids of series, which are hashes, and one series by time. */
async function* pieces(from: Engine, table: CopiedTable, range: Range): AsyncGenerator<Piece, void, void> {
  if (table.rows === 0) return;
  const where = conditionOf(range);
  const [row] = await from.rows(`SELECT count() FROM ${table.name} WHERE ${where}`);
  const rows = Number(row?.[0]);
  if (rows === 0) return;
  const halves = rows * table.columns.length <= valuesPerPiece ? undefined : await halvesOf(from, table, range);
  if (halves === undefined) yield { where, rows };
  else for (const half of halves) yield* pieces(from, table, half);
}

/** Undefined for what cannot be divided. */
async function halvesOf(from: Engine, table: CopiedTable, range: Range): Promise<readonly Range[] | undefined> {
  const { low, high, times } = range;
  if (low < high) {
    const middle = (low + high) / 2n;
    return [
      { low, high: middle },
      { low: middle + 1n, high },
    ];
  }
  if (!table.columns.includes('ts')) return undefined;
  const { first, last } = times ?? (await timesOf(from, table, range));
  if (first >= last) return undefined;
  // Towards the past, also before 1970.
  const middle = first + (last - first) / 2n;
  return [
    { low, high, times: { first, last: middle } },
    { low, high, times: { first: middle + 1n, last } },
  ];
}

async function timesOf(from: Engine, { name }: CopiedTable, range: Range): Promise<NonNullable<Range['times']>> {
  const [row] = await from.rows(`SELECT toString(min(ts)), toString(max(ts)) FROM ${name} WHERE ${conditionOf(range)}`);
  return { first: BigInt(String(row?.[0])), last: BigInt(String(row?.[1])) };
}

function conditionOf({ low, high, times }: Range): string {
  const ids = `id >= ${low} AND id <= ${high}`;
  return times === undefined ? ids : `${ids} AND ts >= ${times.first} AND ts <= ${times.last}`;
}
