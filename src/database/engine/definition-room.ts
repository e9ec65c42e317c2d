import { expectedFault, FaultError } from '../../model/fault.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import type { Cell } from './engine.js';
import { diskFullFault } from './engine-faults.js';
import type { Effect } from './request.js';
import type { TableChange } from './table-change.js';

/**
 * Bytes that inserts and merges leave free on the disk of the engine. With less space it may leave the file of a
 * definition or of a DELETE empty without an error.
 */
export const reservedFreeBytes = 8 * 1024 * 1024;

/** An engine whose disk may be full. */
interface DefiningEngine {
  /** Free bytes on the disk of its definitions. */
  freeBytes(): Promise<number>;
  /** Text of the result of a query with one value. */
  value(query: string): Promise<string>;
}

/**
 * False if a statement would write a definition and there is no space for that. An engine whose disk is full reports
 * success and leaves an empty file: after its next start a table with rows is missing, and with an empty file of a
 * DELETE it does not start.
 */
export async function hasRoomFor({ needsRoom }: Effect, { freeBytes, value }: DefiningEngine): Promise<boolean> {
  if (needsRoom === undefined || (await freeBytes()) >= reservedFreeBytes) return true;
  return needsRoom.unless !== undefined && (await value(needsRoom.unless)) === '1';
}

/**
 * Throws a FaultError if a server has no space for the definition that a statement would write; `value` queries the
 * server.
 */
export async function requireRoom(
  url: string,
  effect: Effect,
  value: (query: string) => Promise<string>,
): Promise<void> {
  const freeBytes = async () =>
    Number(await value("SELECT toFloat64(free_space) FROM system.disks WHERE name = 'default'"));
  if (!(await hasRoomFor(effect, { freeBytes, value }))) throw new FaultError(diskFullFault(`the database at ${url}`));
}

/**
 * Waits for a change. Where a full disk refuses columns that are all there, nothing is to be changed; the engine must
 * not see the statement, because it writes the definition anew in any case. `rows` queries the engine.
 */
export async function unlessMade(
  change: TableChange,
  making: Promise<void>,
  rows: (query: string) => Promise<readonly (readonly Cell[])[]>,
): Promise<void> {
  try {
    await making;
  } catch (error) {
    if (change.change !== 'add-columns' || expectedFault(error).isDiskFull !== true) throw error;
    const [database = '', table = ''] = change.table.split('.');
    const place = `database = ${quoteString(database)} AND table = ${quoteString(table)}`;
    const names = (await rows(`SELECT name FROM system.columns WHERE ${place}`)).map(([name]) => String(name));
    const isThere = (column: string) =>
      names.some((name) => column.startsWith(`${name} `) || column.startsWith(`${quoteIdentifier(name)} `));
    if (!change.columns.every(isThere)) throw error;
  }
}
