import type { DataType } from '../../model/schema.js';
import { sqlName } from '../model/names.js';
import type { FieldPlan, SuperTablePlan } from '../model/scenario.js';
import { type InsertTarget, qualifiedName, type UsingTarget, usingClause } from './insert-sql.js';
import { refused } from './row-encoder.js';

type Names = Pick<InsertTarget, 'database' | 'quoted'>;

/** A statement, and how many tables it makes. */
interface CreateBatch {
  readonly sql: string;
  readonly tables: number;
}

/**
 * `CREATE TABLE IF NOT EXISTS db.d0 USING db.stb TAGS (…) [TTL n] IF NOT EXISTS db.d1 USING …` for tables from `from` on: as many
 * of `count` as fit into `maxBytes` (`batch_create_tbl_num`).
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
