import { quotedText } from '../../text/quoted-name.js';
import { sqlName, storedName } from '../model/names.js';
import type { DatabasePlan, StreamPlan, SuperTablePlan, TsmaPlan } from '../model/scenario.js';

type NamedTable = Pick<SuperTablePlan, 'name' | 'escapeNames'>;

/** Database name in statements. */
function databaseText({ name, escapeNames }: Pick<DatabasePlan, 'name' | 'escapeNames'>): string {
  return sqlName(storedName(name, escapeNames), escapeNames);
}

/** Name of a super table with its database. */
export function superTableText(database: DatabasePlan, { name, escapeNames }: NamedTable): string {
  return `${databaseText(database)}.${sqlName(storedName(name, escapeNames), escapeNames)}`;
}

export function dropDatabaseText(plan: DatabasePlan): string {
  return `DROP DATABASE IF EXISTS ${databaseText(plan)}`;
}

export function createDatabaseText(plan: DatabasePlan): string {
  return ['CREATE DATABASE IF NOT EXISTS', databaseText(plan), ...plan.options].join(' ');
}

/** Names of the sub-tables of a super table that begin with its prefix, as the server has them. */
export function childNamesText(
  database: DatabasePlan,
  plan: NamedTable & Pick<SuperTablePlan, 'childPrefix' | 'childLimit' | 'childOffset'>,
): string {
  const prefix = storedName(plan.childPrefix, plan.escapeNames);
  const pattern = quotedText(`${prefix.replace(/[\\_%]/g, '\\$&')}%`);
  const where = prefix === '' ? '' : ` WHERE tbname LIKE ${pattern}`;
  const names = `SELECT DISTINCT tbname FROM ${superTableText(database, plan)}${where}`;
  return `${names} ORDER BY tbname LIMIT ${plan.childLimit} OFFSET ${plan.childOffset}`;
}

export function dropStreamText({ name }: StreamPlan): string {
  return `DROP STREAM IF EXISTS ${name}`;
}

export function createTsmaText(database: DatabasePlan, plan: NamedTable, tsma: TsmaPlan): string {
  const windows = `FUNCTION(${tsma.function}) INTERVAL(${tsma.interval}) SLIDING(${tsma.sliding})`;
  return `CREATE SMA INDEX ${tsma.name} ON ${superTableText(database, plan)} ${windows} ${tsma.custom}`.trimEnd();
}
