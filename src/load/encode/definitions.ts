import type { DataType } from '../../model/schema.js';
import { quotedText } from '../../text/quoted-name.js';
import { sqlName, storedName } from '../model/names.js';
import type { DatabasePlan, FieldPlan, StreamPlan, SuperTablePlan, TsmaPlan } from '../model/scenario.js';
import { type InsertTarget, qualifiedName, type UsingTarget, usingClause } from './insert-sql.js';
import { refused } from './row-encoder.js';

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

type Names = Pick<InsertTarget, 'database' | 'quoted'>;

/** A statement, and how many tables it makes. */
interface CreateBatch {
  readonly sql: string;
  readonly tables: number;
}

/**
 * `CREATE TABLE IF NOT EXISTS db.d0 USING db.stb TAGS (…) [TTL n] IF NOT EXISTS db.d1 USING …` for tables from `from`
 * on: as many of `count` as fit into `maxBytes` (`batch_create_tbl_num`).
 */
export function encodeCreateTables(
  names: Names & Pick<InsertTarget, 'nameOf'>,
  using: UsingTarget,
  tables: { readonly from: number; readonly count: number; readonly ttl: number },
  maxBytes: number,
): CreateBatch {
  const { from, count, ttl } = tables;
  const rows = using.tagRows(from, count);
  const expiry = ttl > 0 ? ` TTL ${ttl}` : '';
  const parts: string[] = [];
  let bytes = 'CREATE TABLE'.length;
  for (let i = 0; i < count; i++) {
    const name = qualifiedName(names, names.nameOf(from + i));
    const part = ` IF NOT EXISTS ${name} ${usingClause(names, using, rows[i] ?? [])}${expiry}`;
    bytes += Buffer.byteLength(part);
    if (bytes > maxBytes) break;
    parts.push(part);
  }
  if (parts.length === 0 && count > 0) throw refused(`the tags of a table do not fit into ${maxBytes} bytes`);
  return { sql: `CREATE TABLE${parts.join('')}`, tables: parts.length };
}

/** `CREATE TABLE IF NOT EXISTS db.stb (ts TIMESTAMP,…) TAGS (…)` with the options of the plan. */
export function createSuperTable(names: Names, name: string, plan: SuperTablePlan): string {
  const text = `${createNormalTable(names, name, plan.columns)} TAGS (${plan.tags.map(definition).join(',')})`;
  return [text, ...plan.options].join(' ');
}

/** `CREATE TABLE IF NOT EXISTS db.d0 (ts TIMESTAMP,…)`. */
export function createNormalTable(names: Names, name: string, columns: readonly FieldPlan[]): string {
  const list = ['ts TIMESTAMP', ...columns.map(definition)];
  return `CREATE TABLE IF NOT EXISTS ${qualifiedName(names, name)} (${list.join(',')})`;
}

function definition({ name, type }: FieldPlan): string {
  return `${/^[A-Za-z_]\w*$/.test(name) ? name : sqlName(name, true)} ${typeDefinition(type)}`;
}

/** The type as definitions write it; only texts and bytes have a length. */
function typeDefinition({ name, length, scale }: DataType): string {
  if (name === 'DECIMAL') return `DECIMAL(${length},${scale ?? 0})`;
  return name === 'VARCHAR' || name === 'NCHAR' ? `${name}(${length})` : name;
}
