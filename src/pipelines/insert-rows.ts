import type { Catalogue } from '../database/catalogue/catalogue.js';
import type { SubTables } from '../database/catalogue/sub-tables.js';
import { Access } from '../database/rights.js';
import type { Delivery } from '../model/delivery.js';
import type { SqlRequest } from '../model/exchange.js';
import { Codes, FaultError, fault } from '../model/fault.js';
import type { InsertContext } from '../sql/insert/context.js';
import { scanInsert } from '../sql/insert-scanner.js';
import { StatementNames } from './names.js';
import { storableTimes, type WritePipeline } from './writes.js';

/** What an INSERT of rows writes to. */
export interface InsertRowsContext {
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly writes: WritePipeline;
  /** Zone of times without one, where the request names none. */
  readonly connectionZone: string;
}

/** Runs an INSERT … VALUES as a user; `nowNs` is its NOW. Gives the number of rows; throws FaultErrors. */
export async function insertRows(
  { statement, database: currentDatabase, connectionZone }: SqlRequest,
  user: string,
  nowNs: bigint,
  { catalogue, subTables, writes, connectionZone: defaultZone }: InsertRowsContext,
): Promise<number> {
  const access = new Access(catalogue, user);
  const names = new StatementNames(catalogue, subTables, access, 'WRITE');
  const context: InsertContext = {
    currentDatabase,
    zone: connectionZone ?? defaultZone,
    nowNs,
    database: (name) => {
      access.requireSight(name);
      return catalogue.database(name);
    },
    resolve: (database, name) => names.resolve(database, name),
    timeRange: storableTimes,
    makeSubTable: (database, superTable, name, tags, ttl) => subTables.make(database, superTable.name, name, tags, ttl),
  };
  let plan = scanInsert(statement, context);
  while (plan.kind === 'lookup') {
    // Every name is known or absent after its look-up, so this ends as soon as nothing is dropped meanwhile.
    await names.lookUp(plan.names);
    plan = scanInsert(statement, context);
  }
  requireDelivered(await writes.insert(plan.blocks, user, statement.length));
  return plan.rows;
}

/** Throws a FaultError unless the rows of a statement were stored. */
export function requireDelivered(delivery: Delivery): void {
  if (delivery.outcome === 'delivered') return;
  if (delivery.outcome !== 'shed') throw new FaultError(delivery.fault);
  throw new FaultError(fault('resource', Codes.free, 'The service is shutting down'));
}
