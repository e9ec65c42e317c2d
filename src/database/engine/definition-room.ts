import { expectedFault, FaultError } from '../../model/fault.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import type { Cell } from './engine.js';
import { diskFullFault } from './engine-faults.js';
import type { TableChange } from './table-change.js';

/**
 * Bytes that inserts and merges leave free on the disk of the engine. With less space it may leave the file of a
 * definition or of a DELETE empty without an error.
 */
export const reservedFreeBytes = 8 * 1024 * 1024;

/** Statement to the embedded host: releases the disk reserve before statements that free space, which need a little themselves. */
export const makeRoomStatement = 'SYSTEM MAKE ROOM';

/** Changes that drop something as a whole need no space. */
const needsNoRoom = /^(?:drop\s+part|detach|freeze)/i;
const changes = /^\s*(?:create|rename|exchange|attach|update|delete\s+from)\b/i;
const alters = /^\s*alter\s+table\s+\S+\s+/i;
const mayBeThere = /^\s*create\s+(database|table)\s+if\s+not\s+exists\s+([\w.`]+)/i;

function writesDefinition(statement: string): boolean {
  if (changes.test(statement)) return true;
  const altered = alters.exec(statement)?.[0];
  return (
    altered !== undefined &&
    /^\w/.test(statement.slice(altered.length)) &&
    !needsNoRoom.test(statement.slice(altered.length))
  );
}

/** An engine whose disk may be full. */
interface DefiningEngine {
  /** Free bytes on the disk of its definitions. */
  freeBytes(): Promise<number>;
  /** Result of a statement that begins with `EXISTS`. */
  exists(statement: string): Promise<boolean>;
}

/**
 * False if a statement would write a definition and there is no space for that. An engine whose disk is full reports
 * success and leaves an empty file: after its next start a table with rows is missing, and with an empty file of a DELETE
 * it does not start.
 */
export async function hasRoomFor(statement: string, { freeBytes, exists }: DefiningEngine): Promise<boolean> {
  if (!writesDefinition(statement) || (await freeBytes()) >= reservedFreeBytes) return true;
  const [, kind, name] = mayBeThere.exec(statement) ?? [];
  return name !== undefined && (await exists(`EXISTS ${kind} ${name}`));
}

/** Throws a FaultError if a server has no space for the definition that a statement would write; `rows` queries the server. */
export async function requireRoom(
  url: string,
  statement: string,
  rows: (query: string) => Promise<readonly (readonly Cell[])[]>,
): Promise<void> {
  const number = async (query: string): Promise<number> => Number((await rows(query))[0]?.[0]);
  const freeBytes = () => number("SELECT toFloat64(free_space) FROM system.disks WHERE name = 'default'");
  if (await hasRoomFor(statement, { freeBytes, exists: async (question) => (await number(question)) === 1 })) return;
  throw new FaultError(diskFullFault(`the database at ${url}`));
}

/**
 * Waits for a change. Where a full disk refuses columns that are all there, nothing is to be changed; the engine must not see the
 * statement, because it writes the definition anew in any case. `rows` queries the engine.
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
