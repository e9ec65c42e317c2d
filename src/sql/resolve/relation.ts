import type { Precision } from '../../model/schema.js';
import { dataType } from '../../model/schema.js';
import { dataColumn, nameColumn, tagOfSeries, timeColumn } from '../plan/storage.js';
import { quoteString } from '../print/quote.js';
import type { BlockColumn } from '../print/result.js';
import type { TableTarget } from './context.js';
import { timestampType, Uses, type Value } from './value.js';

/** Length of TBNAME: the longest table name. */
const tbnameType = dataType('VARCHAR', 192);

/** A column as an expression may name it. */
export interface RelationColumn {
  readonly name: string;
  readonly value: Value;
  readonly tag: boolean;
}

/** The FROM of a block. `aliases` are the engine's names for it: of its rows, and of its tags when it has any. */
export interface Relation {
  /** The name that may stand before a column; undefined when there is none. */
  readonly qualifier: string | undefined;
  readonly columns: readonly RelationColumn[];
  /** By name; undefined where the name is ambiguous. */
  readonly byName: ReadonlyMap<string, RelationColumn | undefined>;
  readonly time: Value | undefined;
  readonly tbname: Value | undefined;
  readonly precision: Precision;
  readonly rowAlias: string;
  readonly tagAlias: string;
  readonly source:
    | { readonly kind: 'stored'; readonly target: TableTarget }
    | { readonly kind: 'block'; readonly sql: string };
}

/** The relation of a stored table. `serial` makes its aliases unique in the statement. */
export function storedRelation(target: TableTarget, precision: Precision, qualifier: string, serial: number): Relation {
  const { table } = target;
  const rowAlias = `t${serial}`;
  const tagAlias = `g${serial}`;
  const time: Value = {
    sql: timeColumn(rowAlias),
    type: timestampType,
    precision,
    nullable: false,
    uses: Uses.row,
    role: 'time',
  };
  const columns: RelationColumn[] = [{ name: table.timeColumn, value: time, tag: false }];
  for (const { name, type, physical } of table.columns) {
    const sql = dataColumn(rowAlias, physical);
    columns.push({ name, value: { sql, type, precision, nullable: true, uses: Uses.row }, tag: false });
  }
  for (const { name, type, physical } of table.tags) {
    const shared = target.kind === 'sub';
    const sql = shared ? tagOfSeries(table.tagStorage ?? '', physical, target.id) : dataColumn(tagAlias, physical);
    const uses = shared ? Uses.nothing : Uses.tags;
    columns.push({ name, value: { sql, type, precision, nullable: true, uses }, tag: true });
  }
  const source = { kind: 'stored', target } as const;
  const tbname = tbnameValue(target, precision, tagAlias);
  return { qualifier, columns, byName: index(columns), time, tbname, precision, rowAlias, tagAlias, source };
}

function tbnameValue(target: TableTarget, precision: Precision, tagAlias: string): Value {
  const base = { type: tbnameType, precision, nullable: false, role: 'tbname' } as const;
  if (target.kind === 'super') return { ...base, sql: nameColumn(tagAlias), uses: Uses.tags };
  const name = target.kind === 'sub' ? target.name : target.table.name;
  return { ...base, sql: quoteString(name), uses: Uses.nothing, constant: name };
}

/** The relation of a subquery: its result columns; the first timestamp among them is its time. */
export function blockRelation(
  sql: string,
  columns: readonly BlockColumn[],
  qualifier: string | undefined,
  serial: number,
): Relation {
  const rowAlias = `t${serial}`;
  let time: Value | undefined;
  const list = columns.map((column): RelationColumn => {
    const { type, precision, nullable } = column;
    const isTime = time === undefined && type.name === 'TIMESTAMP';
    const role = isTime ? 'time' : undefined;
    const value: Value = { sql: `${rowAlias}.${column.alias}`, type, precision, nullable, uses: Uses.row, role };
    if (isTime) time = value;
    return { name: column.name, value, tag: false };
  });
  return {
    qualifier,
    columns: list,
    byName: index(list),
    time,
    tbname: undefined,
    precision: columns.find((column) => column.type.name === 'TIMESTAMP')?.precision ?? columns[0]?.precision ?? 'ms',
    rowAlias,
    tagAlias: rowAlias,
    source: { kind: 'block', sql },
  };
}

function index(columns: readonly RelationColumn[]): Map<string, RelationColumn | undefined> {
  const byName = new Map<string, RelationColumn | undefined>();
  for (const column of columns) byName.set(column.name, byName.has(column.name) ? undefined : column);
  return byName;
}
