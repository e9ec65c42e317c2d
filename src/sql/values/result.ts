import type { RowForm } from '../../model/exchange.js';
import { type DataType, dataType, type Precision, ticksPerSecond } from '../../model/schema.js';
import { column, fromQuery, nullWord } from '../engine/build.js';
import { type Expr, Named, type Query, type SelectColumn, type SelectQuery } from '../engine/nodes.js';
import { quoteIdentifier } from '../engine/quote.js';
import { castToEngine, fractionDigits, ticksToCalendar } from '../engine/storage.js';
import { expr } from '../engine/template.js';
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
  /** Ticks of times in the form of columns. */
  readonly precision: Precision;
  /** IANA zone of printed times. */
  readonly zone: string;
  readonly form: RowForm;
  /** Negative: no limit. */
  readonly rowLimit: number;
}

/** A block to print; `select` where it is one SELECT with these columns. */
export interface PrintedBlock {
  readonly query: Query;
  readonly columns: readonly BlockColumn[];
  /** The same as `query`, where that is one SELECT. */
  readonly select?: SelectQuery;
}

/** Makes a planned block the query whose output by the engine is what the client sees. */
export function printResult({ query: block, columns, select }: PrintedBlock, form: ResultForm): Query {
  const limit = form.rowLimit < 0 ? undefined : { count: BigInt(Math.floor(form.rowLimit)), offset: 0n };
  if (form.form !== 'objects') {
    const printed = select === undefined ? undefined : printedInPlace(select, columns, form);
    if (printed !== undefined) return printed;
    const items = columns.map((each): SelectColumn => [printedForm(column(undefined, each.alias), each, form), '']);
    return { columns: items, from: fromQuery(block), limit };
  }
  const names = uniqueNames(columns.map(({ name }) => name));
  const prefix = freePrefix(names);
  const inner = columns.map(({ alias }, at): SelectColumn => [column(undefined, alias), `${prefix}${at}`]);
  const items = columns.map((each, at): SelectColumn => {
    const printed = printedForm(column(undefined, `${prefix}${at}`), each, form);
    return [printed, quoteIdentifier(names[at] ?? '')];
  });
  return { columns: items, from: fromQuery({ columns: inner, from: fromQuery(block) }), limit };
}

/** The SELECT itself with columns as they print, where that saves the engine another SELECT around it. */
function printedInPlace(
  select: SelectQuery,
  columns: readonly BlockColumn[],
  form: ResultForm,
): SelectQuery | undefined {
  const { rowLimit } = form;
  if (select.distinct === true || !columns.every((each) => isPrintedSimply(each, form))) return undefined;
  const { orderBy = [], limit } = select;
  const shown = columns.map((each, at): SelectColumn => {
    const [own = nullWord, alias = ''] = select.columns[at] ?? [];
    const printed = printedForm(own, each, form);
    if (printed === own) return [own, alias];
    const isSortedBy = orderBy.some(({ by }) => by.kind === 'column' && by.table === undefined && by.name === alias);
    return [isSortedBy ? printedForm(new Named(own, alias), each, form) : printed, `p${at + 1}`];
  });
  if (rowLimit < 0) return { ...select, columns: shown };
  const most = BigInt(Math.floor(rowLimit));
  const count = limit === undefined || limit.count > most ? most : limit.count;
  return { ...select, columns: shown, limit: { count, offset: limit?.offset ?? 0n } };
}

/** True for what is next to no work to print, so that it may be done for rows which a LIMIT cuts off afterwards. */
function isPrintedSimply({ type }: BlockColumn, { form, zone }: ResultForm): boolean {
  if (form === 'columns') return true;
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

function printedForm(value: Expr, shown: BlockColumn, { form, zone, precision }: ResultForm): Expr {
  if (form === 'columns') return columnForm(value, shown, precision);
  switch (shown.type.name) {
    case 'TIMESTAMP':
      return printedTime(value, shown.precision, zone);
    case 'VARBINARY':
    case 'GEOMETRY':
    case 'BLOB':
      return expr`lower(hex(${value}))`;
    case 'JSON':
      return printedJson(value);
    case 'VARCHAR':
    case 'NCHAR':
      return value;
    default:
      return shown.exact === true ? value : castToEngine(value, shown.type);
  }
}

/** Digits of the decimals of columns, which take 8 or 16 bytes. */
const decimalDigits = { short: 18, long: 38 } as const;

/** A value in the form of columns, where times are ticks of `precision`. */
export function columnForm(value: Expr, { type, precision: own }: BlockColumn, precision: Precision): Expr {
  if (type.name === 'TIMESTAMP' && own !== precision) {
    const factor = BigInt(ticksPerSecond(precision) / ticksPerSecond(own));
    return castToEngine(expr`multiply(${castToEngine(value, type)}, ${factor})`, type);
  }
  if (type.name !== 'DECIMAL') return castToEngine(value, type);
  const digits = type.length <= decimalDigits.short ? decimalDigits.short : decimalDigits.long;
  return castToEngine(value, dataType('DECIMAL', digits, type.scale));
}

/** The finest ticks of the times of a result; those of its first column where it has none. */
export function resultPrecision(columns: readonly BlockColumn[]): Precision {
  const times = columns.filter(({ type }) => type.name === 'TIMESTAMP');
  const [first] = (times.length > 0 ? times : columns).toSorted(
    (a, b) => ticksPerSecond(b.precision) - ticksPerSecond(a.precision),
  );
  return first?.precision ?? 'ms';
}

/** UTC is what the engine prints by itself; other zones need their offset in force, with a colon. */
function printedTime(ticks: Expr, precision: Precision, zone: string): Expr {
  if (isPlainUtc(zone)) return ticksToCalendar(ticks, precision, 'UTC');
  const text = isoTime(ticks, precision, zone);
  const untilMinutes = 23 + fractionDigits(precision);
  return expr`concat(substring(${text}, 1, ${untilMinutes}), ':', substring(${text}, ${untilMinutes + 1}))`;
}

/**
 * A map of dynamic values prints as a bare object with its keys in their order and its nulls kept; the engine's own
 * JSON type drops nulls and splits keys at dots.
 */
function printedJson(value: Expr): Expr {
  const text = expr`assumeNotNull(${value})`;
  const object = expr`CAST(JSONExtract(${text}, 'Map(String, Dynamic)'), 'Dynamic')`;
  // A whole number beyond 64 bits is none of the engine's dynamic values.
  const scalar = expr`ifNull(JSONExtract(${text}, 'Dynamic'), CAST(toFloat64OrNull(${text}), 'Dynamic'))`;
  return expr`if(isNull(${value}), NULL, if(startsWith(${text}, '{'), ${object}, ${scalar}))`;
}
