import { Codes, type Fault, FaultError, fault, missingDatabase } from '../../model/fault.js';
import { noTable, refusals } from '../../model/refusals.js';
import { type ColumnDef, type DataType, dataType, keyColumn } from '../../model/schema.js';
import { call, column as engineColumn, fromQuery, int64, nullWord, number, text, zero } from '../engine/build.js';
import type { Expr, FromItem, SelectColumn } from '../engine/nodes.js';
import { printQuery } from '../engine/print.js';
import { castTo, castToEngine, engineType } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import type { Name } from '../syntax/ast.js';
import type { StatementOf } from '../syntax/ast-statement.js';
import {
  decimalOverflow,
  invalidColumnName,
  keyIsMissing,
  keyIsNull,
  primaryTimeNull,
  timestampOutOfRange,
  valueTooLong,
} from '../syntax/faults.js';
import { type QueryContext, refuse, type TableTarget } from '../values/context.js';
import {
  binaryOf,
  castValue,
  type Environment,
  numberOf,
  textOf,
  ticksOf,
  truthOf,
  wrongType,
} from '../values/convert.js';
import type { BlockColumn } from '../values/result.js';
import { bigintType, isBinary, isInteger, isNumeric, isText, Uses, type Value } from '../values/value.js';
import { Planner } from './query.js';

/** INSERT … SELECT as parsed. */
type InsertSelect = StatementOf<'insert-select'>;

/** A column of the rows to be written. */
export type SelectedColumn =
  | { readonly kind: 'column' | 'tag'; readonly column: ColumnDef }
  | { readonly kind: 'name' };

/** An INSERT … SELECT whose SELECT gives rows as they are stored. */
export interface InsertSelectPlan {
  readonly target: TableTarget;
  readonly database: string;
  /**
   * Engine SELECT: series id (0 when rows name their sub-table), time, `columns` as nullable values of their types,
   * tags and names as text, and last the number of what is wrong with the row in `problems`, counted from 1; 0 when
   * nothing is.
   */
  readonly sql: string;
  readonly columns: readonly SelectedColumn[];
  readonly problems: readonly Fault[];
}

/** First and last tick that a row may have. */
export interface TimeRange {
  readonly min: bigint;
  readonly max: bigint;
}

/**
 * Plans INSERT … SELECT: columns of the SELECT belong to those of the table by position and are
 * converted as CAST does, except that text too long and numbers out of range are refused, as in INSERT … VALUES.
 */
export function planInsertSelect(
  statement: InsertSelect,
  context: QueryContext,
  timeRange: (database: string) => TimeRange,
): InsertSelectPlan {
  const database = statement.table.database?.text ?? context.database;
  if (database === undefined) throw refuse(Codes.databaseNotSpecified, 'Database not specified');
  const precision = context.precisionOf(database);
  if (precision === undefined) throw new FaultError(missingDatabase(database));
  const target = context.resolveTable(database, statement.table.name.text);
  if (target === undefined) throw new FaultError(noTable(statement.table.name.text));
  const targets = wantedColumns(statement, target);
  const block = new Planner(context).plan(statement.query);
  if (block.columns.length !== targets.length) throw new FaultError(refusals.illegalColumnCount);
  const values = targets.map((column, at) => [column, blockValue(block.columns[at])] as const);
  const env = { context, precision } as const;
  return storableRows(
    { target, database, values, from: fromQuery(block.query, 'b'), where: [] },
    env,
    timeRange(database),
  );
}

/** Source of a column of a stored row. */
export type Wanted = SelectedColumn | { readonly kind: 'time' };

/** Rows of a block, called `b`, and what each of their values is for. */
interface RowsToStore {
  readonly target: TableTarget;
  readonly database: string;
  readonly values: readonly (readonly [target: Wanted, value: Value])[];
  readonly from: FromItem;
  readonly where: readonly Expr[];
}

/** The plan that gives rows as they are stored; the precision of `env` is that of the target. */
export function storableRows(
  { target, database, values, from, where }: RowsToStore,
  env: Environment,
  range: TimeRange,
): InsertSelectPlan {
  const rows = new RowShape(env, range);
  for (const [column, value] of values) rows.add(column, value);
  const id = target.kind === 'super' ? 0n : target.kind === 'sub' ? target.id : (target.table.seriesId ?? 0n);
  const sql = printQuery({ columns: [[expr`toUInt64(${id})`, 'id'], ...rows.items()], from, where });
  return { target, database, sql, columns: rows.columns, problems: rows.problems };
}

function wantedColumns({ columns, table }: InsertSelect, target: TableTarget): Wanted[] {
  const { table: def } = target;
  if (columns === undefined) {
    if (target.kind === 'super') throw insertSyntax(table.name, 'tbname value expected');
    return [{ kind: 'time' }, ...def.columns.map((column) => ({ kind: 'column', column }) as const)];
  }
  const targets = columns.map((name) => wantedColumn(name, target));
  const seen = new Set<string>();
  for (const name of columns) {
    if (seen.has(name.text)) throw insertSyntax(name, 'duplicated column name');
    seen.add(name.text);
  }
  if (target.kind === 'super' && !targets.some(({ kind }) => kind === 'name')) {
    throw insertSyntax(table.name, 'tbname value expected');
  }
  if (!targets.some(({ kind }) => kind === 'time')) throw primaryTimeNull();
  const key = keyColumn(def);
  if (key !== undefined && !columns.some(({ text }) => text === key.name)) throw keyIsMissing(key.name);
  return targets;
}

function wantedColumn({ text: written }: Name, { kind, table }: TableTarget): Wanted {
  if (written === table.timeColumn) return { kind: 'time' };
  const column = table.columns.find(({ name }) => name === written);
  if (column !== undefined) return { kind: 'column', column };
  const tag = kind === 'super' ? table.tags.find(({ name }) => name === written) : undefined;
  if (tag !== undefined) return { kind: 'tag', column: tag };
  if (kind === 'super' && written === 'tbname') return { kind: 'name' };
  throw invalidColumnName(written);
}

function insertSyntax({ text: written }: Name, reason: string): Error {
  return refuse(Codes.insertSyntax, `syntax error near '${written.slice(0, 63)}' (${reason})`);
}

/** A column of the block `b` as a value. */
export function blockValue(column: BlockColumn | undefined): Value {
  const { alias, type = bigintType, precision = 'ms', nullable = true, role } = column ?? {};
  const sql = alias === undefined ? nullWord : engineColumn('b', alias);
  return { sql, type, precision, nullable, uses: Uses.row, role };
}

/** Collects the select list of the rows and what may be wrong with them. */
class RowShape {
  readonly columns: SelectedColumn[] = [];
  readonly problems: Fault[] = [];
  readonly #env: Environment;
  readonly #range: TimeRange;
  readonly #items: Expr[] = [];
  readonly #tests: Expr[] = [];
  #time: Expr = nullWord;

  constructor(env: Environment, range: TimeRange) {
    this.#env = env;
    this.#range = range;
  }

  add(column: Wanted, value: Value): void {
    if (column.kind === 'time') {
      this.#addTime(value);
      return;
    }
    this.columns.push(column);
    if (column.kind === 'name') this.#addName(value);
    else if (column.kind === 'tag')
      this.#items.push(tagText(this.#converted(value, column.column), column.column.type));
    else this.#items.push(this.#notNullKey(this.#converted(value, column.column), column.column));
  }

  /** Everything behind the id. */
  items(): SelectColumn[] {
    const tests = this.#tests.flatMap((test, at) => [test, number(at + 1)]);
    const problem = tests.length === 0 ? zero : call('multiIf', ...tests, zero);
    const items = [this.#time, ...this.#items, castToEngine(problem, problemType)];
    return items.map((sql, at) => [sql, `x${at}`]);
  }

  #addTime(value: Value): void {
    if (value.role === 'null') throw primaryTimeNull();
    if (value.type.name !== 'TIMESTAMP' && !isText(value.type)) throw wrongType(value.type);
    const { sql } = ticksOf(value, this.#env.precision, this.#env);
    const { min, max } = this.#range;
    this.#refuse(expr`isNull(${sql})`, primaryTimeNull().fault);
    this.#refuse(expr`or(${sql} < ${int64(min)}, ${sql} > ${int64(max)})`, timestampOutOfRange().fault);
    this.#time = expr`assumeNotNull(${sql})`;
  }

  #addName(value: Value): void {
    if (!isText(value.type)) throw wrongType(value.type);
    this.#refuse(expr`isNull(${value.sql})`, fault('syntax', Codes.invalidOperation, 'tbname column can not be null'));
    this.#items.push(castToEngine(value.sql, value.type));
  }

  /** A value of a column; NULL is a problem where the column is part of the key. */
  #notNullKey(sql: Expr, { name, isKey }: ColumnDef): Expr {
    if (isKey) this.#refuse(expr`isNull(${sql})`, keyIsNull(name).fault);
    return sql;
  }

  /** A value as a nullable one of the column's type; one that does not fit makes the row a problem. */
  #converted(value: Value, { name, type }: ColumnDef): Expr {
    if (value.role === 'null') return castToEngine(nullWord, type);
    if (type.name === 'TIMESTAMP') return castToEngine(ticksOf(value, this.#env.precision, this.#env).sql, type);
    if (type.name === 'BOOL') return castToEngine(truthOf(value).sql, type);
    if (type.name === 'FLOAT' || type.name === 'DOUBLE') return castToEngine(numberOf(value).sql, type);
    if (isNumeric(type)) return this.#number(value, name, type);
    if (type.name === 'JSON') {
      if (value.type.name !== 'JSON' || value.member !== undefined) throw wrongType(value.type);
      return castToEngine(value.sql, type);
    }
    return this.#bytes(value, name, type);
  }

  #number(value: Value, name: string, type: DataType): Expr {
    const whole = isInteger(type);
    const source = isText(value.type) && whole ? castValue(value, bigintType, this.#env) : value;
    if (
      !isNumeric(source.type) &&
      !isText(source.type) &&
      source.type.name !== 'BOOL' &&
      source.type.name !== 'TIMESTAMP'
    ) {
      throw wrongType(value.type);
    }
    const exact = isInteger(source.type) || source.type.name === 'BOOL' || source.type.name === 'TIMESTAMP';
    if (!whole) {
      const { sql } = castValue(source, type, this.#env);
      this.#refuse(expr`and(isNull(${sql}), isNotNull(${source.sql}))`, decimalOverflow().fault);
      return sql;
    }
    const number = exact || source.type.name === 'DECIMAL' ? source.sql : numberOf(source).sql;
    const sql = call('accurateCastOrNull', exact ? number : expr`trunc(${number})`, text(engineType(type)));
    const overflow = fault('syntax', Codes.valueOutOfRange, `Value out of range: ${name}`);
    this.#refuse(expr`and(isNull(${sql}), isNotNull(${number}))`, overflow);
    return castToEngine(sql, type);
  }

  #bytes(value: Value, name: string, type: DataType): Expr {
    if (isBinary(type)) {
      if (!isBinary(value.type) && !(isText(value.type) && type.name !== 'GEOMETRY')) throw wrongType(value.type);
    } else if (isBinary(value.type) || value.type.name === 'JSON') throw wrongType(value.type);
    const sql = isBinary(type) ? binaryOf(value, type) : textOf(value);
    const length = type.name === 'NCHAR' ? expr`lengthUTF8(${sql})` : expr`length(${sql})`;
    this.#refuse(expr`ifNull(${length} > ${type.length}, 0)`, valueTooLong(name).fault);
    return castToEngine(sql, type);
  }

  #refuse(test: Expr, problem: Fault): void {
    this.#tests.push(test);
    this.problems.push(problem);
  }
}

/** Type of the last column. */
export const problemType = dataType('SMALLINT UNSIGNED');

/** A tag's value as the text its type prints, see `TagValue`; `sql` is of the engine's type. */
function tagText(sql: Expr, type: DataType): Expr {
  return castTo(tagLetters(sql, type), 'Nullable(String)');
}

function tagLetters(sql: Expr, type: DataType): Expr {
  if (isBinary(type)) return expr`lower(hex(${sql}))`;
  if (type.name === 'FLOAT' || type.name === 'DOUBLE') return expr`if(isFinite(${sql}), toString(${sql}), NULL)`;
  return expr`toString(${sql})`;
}
