import { FaultError } from '../../model/fault.js';
import { parseCondition } from '../../sql/parser/condition.js';
import { planSubTables } from '../../sql/plan/delete.js';
import type { Name } from '../../sql/syntax/ast.js';
import type { QueryContext } from '../../sql/values/context.js';
import type { Access } from '../catalogue/rights.js';
import type { LiveTable } from './live-tables.js';

/**
 * A condition of the engine on rows of tags without an alias, for the sub-tables of a super table that the user may not read: those that meet none
 * of the conditions under which the user may. Undefined where nothing is hidden. `zone`: IANA zone of times in conditions.
 */
export function hiddenSubTables({ database, table }: LiveTable, access: Access, zone: string): string | undefined {
  if (table.kind !== 'super' || access.may('READ', database.name, table.name)) return undefined;
  const conditions = access.conditions(database.name, table.name);
  if (conditions.length === 0) return undefined;
  const readable = conditions.map((condition) => `(${condition})`).join(' OR ');
  const named = (text: string): Name => ({ text, quoted: true, span: { start: 0, end: 0 } });
  const context: QueryContext = {
    database: database.name,
    resolveTable: () => ({ kind: 'super', table }),
    systemTable: () => undefined,
    precisionOf: () => database.precision,
    nowNanos: () => BigInt(Date.now()) * 1_000_000n,
    connectionZone: zone,
    outputZone: zone,
    keyed: false,
    rowLimit: -1,
    user: access.user,
    serverVersion: '',
  };
  const name = { database: named(database.name), name: named(table.name) };
  const matching = (condition: string): string => planSubTables(name, parseCondition(condition), context);
  try {
    return matching(`CASE WHEN ${readable} THEN FALSE ELSE TRUE END`);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    // No sub-table meets a condition on a tag that is gone.
    return matching('TRUE');
  }
}
