import type { Fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { DatabaseDef } from '../../model/schema.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import { isAsMade } from '../catalogue/identity.js';
import type { Operation } from '../catalogue/operations.js';
import type { SubTables } from './sub-tables.js';

type Creation = Extract<Operation, { op: 'create-table' | 'extend-table' }>;

/**
 * Submits the creation of a table, whose name no sub-table may have. The registry of sub-tables is not part of the log,
 * so it is checked before and after: of a table and a sub-table that are created at once, at least one is refused, and
 * never both stay.
 * @returns the fault with which the creation was refused.
 */
export async function createNamed(
  catalogue: Catalogue,
  subTables: SubTables,
  database: DatabaseDef,
  creation: Creation,
): Promise<Fault | undefined> {
  const { name } = creation;
  const isTaken = async (): Promise<boolean> => (await subTables.lookUp(database, [name])).has(name);
  if (catalogue.table(database.name, name) === undefined && (await isTaken())) return taken;
  const [refused] = await catalogue.submit([creation]);
  const table = catalogue.table(database.name, name);
  if (refused !== undefined || table === undefined || !isAsMade(table) || !(await isTaken())) return refused;
  await catalogue.submit([{ op: 'drop-table', database: database.name, name, id: table.id }]);
  return taken;
}

const taken = refusals.tableAlreadyExists;
