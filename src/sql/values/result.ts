import type { DataType, Precision } from '../../model/schema.js';
import { quoteIdentifier } from '../engine/quote.js';
import { type EngineSelect, printSelect } from '../engine/select.js';
import { castToEngine, fractionDigits, ticksToCalendar } from '../engine/storage.js';
import { isoTime } from './local-time.js';
import type { Value } from './value.js';

/** A column of a planned block: the name its SELECT gives it and what is in it. */
export interface BlockColumn {
  readonly alias: string;
  /** Name by which the outside knows it. */
  readonly name: string;
  readonly type: DataType;
  readonly precision: Precision;
  readonly nullable: boolean;
  /** See {@link Value.exact}. */
  readonly exact?: boolean | undefined;
  /** The NULL literal, which takes any type in a union. */
  readonly role?: 'null' | undefined;
}

/** How the outermost SELECT prints. */
interface ResultForm {
  /** IANA zone of printed times. */
  readonly zone: string;
  readonly keyed: boolean;
  /** Negative: no limit. */
  readonly rowLimit: number;
}

/** A block to print; `select` where it is one SELECT with these columns. */
export interface PrintedBlock {
  readonly sql: string;
  readonly columns: readonly BlockColumn[];
  /** The same as `sql`, clause by clause. */
  readonly select?: EngineSelect;
}

/** Makes a planned block the statement whose JSON by the engine is the client's JSON. */
export function printResult({ sql: block, columns, select }: PrintedBlock, form: ResultForm): string {
  const limit = form.rowLimit < 0 ? '' : ` LIMIT ${Math.floor(form.rowLimit)}`;
  if (!form.keyed) {
    const printed = select === undefined ? undefined : printedInPlace(select, columns, form);
    if (printed !== undefined) return printSelect(printed);
    const items = columns.map((column) => printedForm(column.alias, column, form.zone));
    return `SELECT ${items.join(', ')} FROM (${block})${limit}`;
  }
  const names = uniqueNames(columns.map((column) => column.name));
  const prefix = freePrefix(names);
  const inner = columns.map((column, at) => `${column.alias} AS ${prefix}${at}`).join(', ');
  const items = columns.map(
    (column, at) => `${printedForm(`${prefix}${at}`, column, form.zone)} AS ${quoteIdentifier(names[at] ?? '')}`,
  );
  return `SELECT ${items.join(', ')} FROM (SELECT ${inner} FROM (${block}))${limit}`;
}

/** The SELECT itself with columns as they print, where that saves the engine another SELECT around it. */
function printedInPlace(
  select: EngineSelect,
  columns: readonly BlockColumn[],
  { zone, rowLimit }: ResultForm,
): EngineSelect | undefined {
  if (select.distinct === true || !columns.every((column) => isPrintedSimply(column, zone))) return undefined;
  const { orderBy = [], limit } = select;
  const shown = columns.map((column, at): [string, string] => {
    const [sql = '', alias = ''] = select.columns[at] ?? [];
    const printed = printedForm(sql, column, zone);
    if (printed === sql) return [sql, alias];
    const isSortedBy = orderBy.some((term) => term.startsWith(`${alias} `));
    return [isSortedBy ? printedForm(`(${sql} AS ${alias})`, column, zone) : printed, `p${at + 1}`];
  });
  if (rowLimit < 0) return { ...select, columns: shown };
  const most = BigInt(Math.floor(rowLimit));
  const count = limit === undefined || limit.count > most ? most : limit.count;
  return { ...select, columns: shown, limit: { count, offset: limit?.offset ?? 0n } };
}

/** True for what is next to no work to print, so that it may be done for rows which a LIMIT cuts off afterwards. */
function isPrintedSimply({ type }: BlockColumn, zone: string): boolean {
  switch (type.name) {
    case 'TIMESTAMP':
      return isPlainUtc(zone);
    case 'VARBINARY':
    case 'GEOMETRY':
    case 'BLOB':
    case 'JSON':
    case 'DECIMAL':
      return false;
    default:
      return true;
  }
}

function isPlainUtc(zone: string): boolean {
  return zone === 'UTC' || zone === 'Etc/UTC';
}

/** Names made distinct by `_2`, `_3` ... in order of appearance: an object cannot hold a key twice. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let copy = 2; seen.has(unique) || (unique !== name && taken.has(unique)); copy += 1)
      unique = `${name}_${copy}`;
    seen.add(unique);
    return unique;
  });
}

/** A prefix that no result name begins with, because the engine lets an alias shadow a column. */
function freePrefix(names: readonly string[]): string {
  let prefix = 'p';
  while (names.some((name) => name.startsWith(prefix))) prefix += '_';
  return prefix;
}

function printedForm(sql: string, column: BlockColumn, zone: string): string {
  switch (column.type.name) {
    case 'TIMESTAMP':
      return printedTime(sql, column.precision, zone);
    case 'VARBINARY':
    case 'GEOMETRY':
    case 'BLOB':
      return `lower(hex(${sql}))`;
    case 'JSON':
      return printedJson(sql);
    case 'VARCHAR':
    case 'NCHAR':
      return sql;
    default:
      return column.exact === true ? sql : castToEngine(sql, column.type);
  }
}

/** UTC is what the engine prints by itself; other zones need their offset in force, with a colon. */
function printedTime(sql: string, precision: Precision, zone: string): string {
  if (isPlainUtc(zone)) return ticksToCalendar(sql, precision, 'UTC');
  const text = isoTime(sql, precision, zone);
  const untilMinutes = 23 + fractionDigits(precision);
  return `concat(substring(${text}, 1, ${untilMinutes}), ':', substring(${text}, ${untilMinutes + 1}))`;
}

/**
 * A map of dynamic values prints as a bare object with its keys in their order and its nulls kept; the engine's own
 * JSON type drops nulls and splits keys at dots.
 */
function printedJson(sql: string): string {
  const text = `assumeNotNull(${sql})`;
  const object = `CAST(JSONExtract(${text}, 'Map(String, Dynamic)'), 'Dynamic')`;
  const scalar = `JSONExtract(${text}, 'Dynamic')`;
  return `if(isNull(${sql}), NULL, if(startsWith(${text}, '{'), ${object}, ${scalar}))`;
}
