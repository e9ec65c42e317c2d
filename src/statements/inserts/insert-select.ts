import { entryOffsets } from '../../bytes/pool-reader.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { Access } from '../../database/catalogue/rights.js';
import type { Engine } from '../../database/engine/engine.js';
import type { EngineColumn } from '../../database/engine/native-block.js';
import { decodeNativeStream, type StoredRows } from '../../database/engine/native-rows.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import { arrayBytes, type Column, type ColumnBlock } from '../../model/column-block.js';
import type { Delivery } from '../../model/delivery.js';
import { FaultError, missingDatabase } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { type DatabaseDef, dataType, type SubTable, sentName, type TagValue } from '../../model/schema.js';
import { insertSelectSettings } from '../../sql/engine/settings.js';
import { type InsertSelectPlan, problemType, type SelectedColumn } from '../../sql/plan/insert-select.js';
import { invalidIdentifier } from '../../sql/syntax/faults.js';
import { StatementNames } from '../names.js';
import { requireDelivered } from './insert-rows.js';

/** Source and target of an INSERT … SELECT. */
interface InsertSelectContext {
  readonly engine: Pick<Engine, 'result'>;
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  /** Rights of the user who writes the rows. */
  readonly access: Access;
  /** Writes blocks and resolves when they are acknowledged or rejected; `bytes` is their size in memory. */
  write(blocks: readonly ColumnBlock[], bytes: number): Promise<Delivery>;
  /** Cancels the statement. */
  readonly signal: AbortSignal;
}

/**
 * Runs an INSERT … SELECT: the engine's rows come as blocks, which are written one after the other, so that no more
 * than a few blocks are in memory. Gives the number of rows. What was written before an error stays.
 */
export async function insertSelected(plan: InsertSelectPlan, context: InsertSelectContext): Promise<number> {
  const { engine, catalogue, signal } = context;
  const database = catalogue.database(plan.database);
  if (database === undefined) throw new FaultError(missingDatabase(plan.database));
  const how = { signal, owner: context.access.user, mayPause: true };
  const stream = await engine.result(
    { statement: `${plan.sql} SETTINGS ${insertSelectSettings}`, format: 'Native' },
    how,
  );
  let written = 0;
  for await (const rows of decodeNativeStream(stream, plan.columns.map(engineColumn).concat(problemColumn))) {
    refuseProblems(plan, rows);
    const block = plan.target.kind === 'super' ? await namedBlock(plan, rows, database, context) : ownBlock(plan, rows);
    requireDelivered(await context.write([block], arrayBytes(block)));
    written += rows.rows;
  }
  return written;
}

const text = dataType('VARCHAR', 0);
const problemColumn: EngineColumn = { physical: '', name: 'problem', type: problemType };

/** Tags and names come as text. */
function engineColumn(selected: SelectedColumn): EngineColumn {
  if (selected.kind === 'column') return selected.column;
  return { physical: '', name: selected.kind === 'name' ? 'tbname' : selected.column.name, type: text };
}

function refuseProblems({ problems }: InsertSelectPlan, { columns }: StoredRows): void {
  const numbers = columns.at(-1)?.values;
  if (!(numbers instanceof Uint16Array)) throw new Error('The last column does not hold the problems of the rows.');
  const number = numbers.find((value) => value > 0);
  const problem = number === undefined ? undefined : problems[number - 1];
  if (problem !== undefined) throw new FaultError(problem);
}

function ownBlock(plan: InsertSelectPlan, { rows, ids, times, columns }: StoredRows): ColumnBlock {
  return blockOf(plan, { rows, ids, times, columns: columns.slice(0, -1), newSubTables: [] });
}

function blockOf(
  { database, target }: InsertSelectPlan,
  content: Pick<ColumnBlock, 'rows' | 'ids' | 'times' | 'columns' | 'newSubTables'>,
): ColumnBlock {
  return {
    kind: 'columns',
    database,
    table: target.table.name,
    nullMeaning: 'overwrite',
    style: undefined,
    ...content,
  };
}

/** A block whose rows name their sub-tables; those that do not exist are made with the tags of their first row. */
async function namedBlock(
  plan: InsertSelectPlan,
  { rows, times, columns }: StoredRows,
  database: DatabaseDef,
  context: InsertSelectContext,
): Promise<ColumnBlock> {
  const kinds = plan.columns.map(({ kind }) => kind);
  const names = textsOf(columns[kinds.indexOf('name')]);
  const subTables = await findSubTables(plan, names, columns, database, context);
  const ids = new BigUint64Array(rows);
  for (let row = 0; row < rows; row++) ids[row] = subTables.get(names[row] ?? '')?.id ?? 0n;
  const data = columns.filter((_, at) => kinds[at] === 'column');
  const newSubTables = [...subTables.values()].filter(({ registered }) => !registered);
  return blockOf(plan, { rows, ids, times, columns: data, newSubTables });
}

/** Texts of the rows; neighbours that are equal share one string. */
function textsOf(column: Column | undefined): (string | undefined)[] {
  if (column?.pool === undefined) throw new Error('A column of text has no pool.');
  const { pool, nulls } = column;
  const offsets = entryOffsets(pool, nulls.length);
  const bytes = Buffer.from(pool.buffer, pool.byteOffset, pool.byteLength);
  const texts: (string | undefined)[] = [];
  let start = 0;
  let end = 0;
  let last = '';
  for (let row = 0; row < nulls.length; row++) {
    const [from, to] = [offsets[row]!, offsets[row + 1]!];
    if (row === 0 || bytes.compare(bytes, start, end, from, to) !== 0) last = entryText(bytes, from, to);
    start = from;
    end = to;
    texts.push(nulls[row] === 1 ? undefined : last);
  }
  return texts;
}

/** The text behind its length, which has seven bits a byte. */
function entryText(bytes: Buffer, from: number, to: number): string {
  let start = from;
  while (bytes[start]! >= 0x80) start++;
  return bytes.toString('utf8', start + 1, to);
}

async function findSubTables(
  plan: InsertSelectPlan,
  rowNames: readonly (string | undefined)[],
  columns: readonly Column[],
  database: DatabaseDef,
  context: InsertSelectContext,
): Promise<ReadonlyMap<string, SubTable>> {
  const { catalogue, subTables } = context;
  const firstRows = new Map<string, number>();
  rowNames.forEach((name = '', row) => {
    if (!firstRows.has(name)) firstRows.set(name, row);
  });
  const names = new StatementNames(catalogue, subTables, context.access, 'WRITE');
  const targets = [...firstRows.keys()].map((name) => ({ database: database.name, name: checkedName(name) }));
  const unknown = () => targets.filter(({ name }) => names.resolve(database.name, name) === 'unknown');
  for (let missing = unknown(); missing.length > 0; missing = unknown()) await names.lookUp(missing);
  const tags = plan.columns.flatMap((selected, at) =>
    selected.kind === 'tag' ? [{ name: sentName(selected.column), texts: textsOf(columns[at]) }] : [],
  );
  const byName = new Map<string, SubTable>();
  for (const [name, row] of firstRows) {
    const meaning = names.resolve(database.name, name);
    if (meaning === 'absent' || meaning === 'unknown') {
      const values = new Map<string, TagValue>(plan.target.table.tags.map((tag) => [sentName(tag), undefined]));
      for (const tag of tags) values.set(tag.name, tag.texts[row]);
      byName.set(name, subTables.make(database, plan.target.table.name, name, values, 0));
    } else if (meaning.kind === 'sub' && meaning.table.id === plan.target.table.id) byName.set(name, meaning.subTable);
    else throw new FaultError(refusals.tableInOtherStable);
  }
  return byName;
}

function checkedName(name: string): string {
  if (name === '' || Buffer.byteLength(name) > 192 || name.includes('.')) throw invalidIdentifier(name);
  return name;
}
