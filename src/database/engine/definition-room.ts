import { FaultError } from '../../model/fault.js';
import type { Cell } from './engine.js';
import { diskFullFault } from './engine-faults.js';

/**
 * Bytes that inserts and merges leave free on the disk of the engine. With less room it may leave the file of a definition empty, or
 * of a DELETE, and say nothing.
 */
export const keptFreeBytes = 8 * 1024 * 1024;

/** Statement to the engine's host: what frees room comes next, and needs a little room itself. */
export const makeRoomStatement = 'SYSTEM MAKE ROOM';

/** What drops something as a whole needs no room. */
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
  /** Room on the disk of its definitions. */
  freeBytes(): Promise<number>;
  /** Answer to a statement that begins with `EXISTS`. */
  exists(statement: string): Promise<boolean>;
}

/**
 * False where a statement would write a definition and there is no room for that. An engine whose disk is full answers such a statement as one
 * that went well and empties the file: a table with rows is not there any more after its next start, and with an empty file of a DELETE there is no next start.
 */
export async function hasRoomFor(statement: string, { freeBytes, exists }: DefiningEngine): Promise<boolean> {
  if (!writesDefinition(statement) || (await freeBytes()) >= keptFreeBytes) return true;
  const [, kind, name] = mayBeThere.exec(statement) ?? [];
  return name !== undefined && (await exists(`EXISTS ${kind} ${name}`));
}

/** Throws a FaultError where a server has no room for the definition that a statement would write; `rows` asks it. */
export async function requireRoom(
  url: string,
  statement: string,
  rows: (question: string) => Promise<readonly (readonly Cell[])[]>,
): Promise<void> {
  const number = async (question: string): Promise<number> => Number((await rows(question))[0]?.[0]);
  const freeBytes = () => number("SELECT toFloat64(free_space) FROM system.disks WHERE name = 'default'");
  if (await hasRoomFor(statement, { freeBytes, exists: async (question) => (await number(question)) === 1 })) return;
  throw new FaultError(diskFullFault(`the database at ${url}`));
}
