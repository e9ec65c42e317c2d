import type { BoundTable } from '../../model/bound-rows.js';
import type { SqlRequest } from '../../model/exchange.js';
import { type Fault, FaultError, isTransient } from '../../model/fault.js';
import type { RefusedRows } from '../../model/refused-rows.js';
import { readBoundTables } from '../../transforms/bound/bound-form.js';
import type { DividedRows } from '../inserts/insert-division.js';
import {
  type InsertRowsContext,
  namesOf,
  partScanner,
  type RowsContext,
  requireDelivered,
  scanRows,
  type WrittenStatement,
} from '../inserts/insert-rows.js';
import { type KnownTable, unquotedName, writtenRows } from './statement.js';
import { type InsertTemplate, readTemplate } from './template.js';

/** Bytes in front of the statement in a logged text. */
const lengthBytes = 4;

/** Writes the rows that a client has bound to the parameters of an INSERT. Gives their number; throws FaultErrors. */
export async function insertBound(
  request: SqlRequest,
  user: string,
  nowNs: bigint,
  context: InsertRowsContext,
): Promise<number> {
  const { statement, database, connectionZone, ack, bound } = request;
  if (bound === undefined) throw new Error('Nothing is bound.');
  const { writes } = context;
  const zone = connectionZone ?? context.connectionZone;
  const known = knownTables({ database, user }, context);
  const { text, rows: boundRows } = await writtenRows(insertTemplate(statement), bound.tables, known);
  const written: WrittenStatement = { bytes: text, boundRows, database, zone, nowNs, user };
  const { rows, blocks } = await scanRows(written, context, (tables) => writes.visible(tables));
  const bytes = loggedText(statement, bound.bytes);
  const logged = { format: 'bound-rows', bytes, database: database ?? '', zone, nowNs } as const;
  requireDelivered(await writes.insert({ blocks, user, bytes: bytes.length, statement: logged, ack }));
  return rows;
}

function insertTemplate(statement: Buffer): InsertTemplate {
  const template = readTemplate(statement.toString('utf8'));
  if (template.kind !== 'insert') throw new Error('The statement is no INSERT.');
  return template;
}

/** A statement and its bound rows as one text. */
function loggedText(statement: Buffer, bound: Uint8Array): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32LE(statement.length);
  return Buffer.concat([length, statement, bound]);
}

/**
 * The bound rows of an acknowledged statement, read with the current catalogue: those that can be written, and the
 * tables that are refused. Rejects with a FaultError; one of kind `network` or `resource` is transient.
 */
export async function scanAnsweredBound(
  { bytes, ...written }: Omit<WrittenStatement, 'boundRows'>,
  context: RowsContext,
): Promise<DividedRows> {
  const end = lengthBytes + bytes.readUInt32LE(0);
  const template = insertTemplate(bytes.subarray(lengthBytes, end));
  const tables = readBoundTables(bytes.subarray(end));
  const known = knownTables(written, context);
  const scan = partScanner(written, context);
  const scanTables = async (some: readonly BoundTable[]) => {
    const { text, rows } = await writtenRows(template, some, known);
    return scan(text, rows);
  };
  const whole = await refusalOf(scanTables(tables));
  if (whole.kind === 'read') return { blocks: whole.result, refused: [] };
  const blocks: DividedRows['blocks'][number][] = [];
  const refused: RefusedRows[] = [];
  for (const table of tables) {
    const own = await refusalOf(scanTables([table]));
    if (own.kind === 'read') blocks.push(...own.result);
    else {
      const name = table.name === undefined ? {} : { table: table.name };
      refused.push({ ...name, rows: table.columns[0]?.rows ?? 0, fault: own.fault });
    }
  }
  return { blocks, refused };
}

type Read<T> = { readonly kind: 'read'; readonly result: T } | { readonly kind: 'refused'; readonly fault: Fault };

async function refusalOf<T>(work: Promise<T>): Promise<Read<T>> {
  try {
    return { kind: 'read', result: await work };
  } catch (error) {
    if (!(error instanceof FaultError) || isTransient(error.fault)) throw error;
    return { kind: 'refused', fault: error.fault };
  }
}

/** Finds the tables that a statement names, for a user who may write to them. */
export function knownTables(
  { database: current, user }: Pick<WrittenStatement, 'database' | 'user'>,
  context: RowsContext,
): KnownTable {
  const names = namesOf({ user }, context);
  return async (written) => {
    const { database = current, name } = unquotedName(written);
    if (database === undefined) return undefined;
    let meaning = names.resolve(database, name);
    if (meaning === 'unknown') {
      await names.lookUp([{ database, name }]);
      meaning = names.resolve(database, name);
    }
    if (typeof meaning === 'string') return undefined;
    return { table: meaning.table, precision: context.catalogue.database(database)?.precision ?? 'ms' };
  };
}
