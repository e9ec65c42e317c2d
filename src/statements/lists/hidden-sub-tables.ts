import type { Access } from '../../database/catalogue/rights.js';
import { FaultError } from '../../model/fault.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { parseCondition } from '../../sql/parser/condition.js';
import { planSubTables } from '../../sql/plan/delete.js';
import type { Name } from '../../sql/syntax/ast.js';
import type { QueryContext } from '../../sql/values/context.js';
import { quotedText } from '../../text/quoted-name.js';
import type { LiveTable } from './live-tables.js';

/**
 * The sub-tables of a super table that a user may not read: all, none, or those that meet a condition of the engine.
 */
type HiddenSubTables = 'all' | 'none' | { readonly where: Expr };

/**
 * The sub-tables of a super table whose tags the user may not read: those that no GRANT names and that meet none of the
 * conditions under which the user may read. `where` is a condition on rows of tags without an alias. `zone`: IANA zone
 * of times in conditions.
 */
export function hiddenSubTables({ database, table }: LiveTable, access: Access, zone: string): HiddenSubTables {
  if (table.kind !== 'super' || access.may('READ', database.name, table.name)) return 'none';
  const conditions = access.conditions(database.name, table.name).map((condition) => `(${condition})`);
  const granted = access
    .readTables(database.name)
    .map((each) => quotedText(each))
    .join(', ');
  const names = granted === '' ? [] : [`tbname IN (${granted})`];
  const named = (text: string): Name => ({ text, quoted: true, span: { start: 0, end: 0 } });
  const context: QueryContext = {
    database: database.name,
    resolveTable: () => ({ kind: 'super', table }),
    systemTable: () => undefined,
    precisionOf: () => database.precision,
    nowNanos: () => BigInt(Date.now()) * 1_000_000n,
    connectionZone: zone,
    outputZone: zone,
    form: 'arrays',
    rowLimit: -1,
    user: access.user,
    serverVersion: '',
  };
  const name = { database: named(database.name), name: named(table.name) };
  const except = (readable: readonly string[]): HiddenSubTables => {
    if (readable.length === 0) return 'all';
    const condition = parseCondition(`CASE WHEN ${readable.join(' OR ')} THEN FALSE ELSE TRUE END`);
    return { where: planSubTables(name, condition, context) };
  };
  try {
    return except([...conditions, ...names]);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    // No sub-table meets a condition on a tag that is gone.
    return except(names);
  }
}
