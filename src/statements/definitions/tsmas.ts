import { checkedName } from '../../database/catalogue/column-type.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { noSuperTable, noTable, notSupported, refusals } from '../../model/refusals.js';
import { isVariable, type TableDef } from '../../model/schema.js';
import type { Duration, Expression, WindowLength } from '../../sql/syntax/ast.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { durationTicks } from '../../sql/times/timestamp.js';
import { type DefinitionContext, databaseOf, findTable, submit } from './context.js';
import { dropTagIndex } from './tag-indexes.js';

type CreateTsma = StatementOf<'create-tsma'>;
type DropTsma = StatementOf<'drop-tsma'>;

/** Longest name of a TSMA, and its longest statement that lists show, in bytes. */
const maxNameBytes = 178;
const maxStatementBytes = 65_536;

/** Functions whose results over windows can be put together. */
const functions: ReadonlySet<string> = new Set(
  'MIN MAX SUM FIRST LAST AVG COUNT SPREAD STDDEV STDDEV_POP HYPERLOGLOG'.split(' '),
);
/** Those that want numbers. */
const numeric: ReadonlySet<string> = new Set('SUM AVG SPREAD STDDEV STDDEV_POP'.split(' '));

/** Shortest window of a TSMA, and of the older form. */
const minIntervalMs = { tsma: 60_000, index: 1 } as const;
const yearMs = 366 * 86_400_000;

/** CREATE TSMA and CREATE SMA INDEX: the definition is checked and kept; queries never differ for it. */
export async function createTsma(statement: CreateTsma, context: DefinitionContext): Promise<void> {
  const { tsma, table: on, index, recursive } = statement;
  const database = await databaseOf(context, on);
  const name = checkedName(tsma.name.text, maxNameBytes);
  if (tsma.database !== undefined && tsma.database.text !== database.name) {
    throw new FaultError(notSupported('a TSMA in another database'));
  }
  const base = recursive ? context.catalogue.derivations.tsma(database.name, on.name.text) : undefined;
  if (recursive && base === undefined) throw new FaultError(refusals.smaNotExist);
  const table = await findTable(context, database, base?.table ?? on.name.text);
  if (table === undefined || (index && table.kind !== 'super')) {
    throw new FaultError(index ? noSuperTable(on.name.text) : noTable(on.name.text));
  }
  checkWindows(statement, base && durationOf(base.interval));
  const columns = statement.functions.map((call) => columnOfCall(call, table));
  if (Buffer.byteLength(context.statement) > maxStatementBytes) throw new FaultError(refusals.statementTooLong);
  const { functionTexts, interval, sliding, ifNotExists } = statement;
  const created = {
    op: 'create-tsma',
    name,
    database: database.name,
    table: table.name,
    base: base?.name,
    functions: base?.functions ?? functionTexts,
    columns: base?.columns ?? columns,
    interval: lengthText(interval),
    sliding: sliding && lengthText(sliding),
    statement: context.statement,
  } as const;
  await submit(context, created, ifNotExists ? Codes.smaAlreadyExists : undefined);
}

/** DROP TSMA and DROP INDEX, which may be one of the older form or one on a tag. */
export async function dropTsma({ index, tsma, ifExists }: DropTsma, context: DefinitionContext): Promise<void> {
  const { name: database } = await databaseOf(context, tsma);
  const name = tsma.name.text;
  if (index && (await dropTagIndex(context, database, name))) return;
  if (index && !ifExists && context.catalogue.derivations.tsma(database, name) === undefined) {
    throw new FaultError(refusals.indexNotExist);
  }
  await submit(context, { op: 'drop-tsma', database, name }, ifExists ? Codes.smaNotExist : undefined);
}

function checkWindows({ interval, sliding, index, recursive }: CreateTsma, baseMs: number | undefined): void {
  const lengthMs = milliseconds(interval);
  const least = index ? minIntervalMs.index : minIntervalMs.tsma;
  if (lengthMs < least || lengthMs > yearMs) throw badInterval(index ? 'from 1ms to 1y' : 'from 1m to 1y');
  if (recursive && (baseMs === undefined || lengthMs <= baseMs || lengthMs % baseMs !== 0)) {
    throw badInterval('a multiple of the interval it stands on');
  }
  if (sliding !== undefined && (milliseconds(sliding) > lengthMs || milliseconds(sliding) <= 0)) {
    throw new FaultError(fault('database', Codes.slidingTooLarge, 'sliding value no larger than the interval value'));
  }
}

function badInterval(range: string): FaultError {
  return new FaultError(fault('database', Codes.tsmaInterval, `Invalid tsma interval, ${range} is allowed`));
}

/** Length in milliseconds, months and years at their longest; bare numbers are milliseconds. */
function milliseconds(length: WindowLength): number {
  if (!('unit' in length)) return Number(length.ticks);
  if (length.unit === 'n') return length.count * 31 * 86_400_000;
  if (length.unit === 'y') return length.count * yearMs;
  return Number(durationTicks(length, 'ns') ?? 0n) / 1e6;
}

function lengthText(length: WindowLength): string {
  return 'unit' in length ? `${length.count}${length.unit}` : String(length.ticks);
}

function durationOf(text: string): number {
  const [, count = '0', unit] = /^(\d+)(\w?)$/.exec(text) ?? [];
  const units: readonly Duration['unit'][] = ['b', 'u', 'a', 's', 'm', 'h', 'd', 'w', 'n', 'y'];
  const known = units.find((candidate) => candidate === unit);
  return milliseconds(known === undefined ? { ticks: BigInt(count) } : { count: Number(count), unit: known });
}

/** The column in `f(column)`; throws the fault of a function or column that a TSMA cannot have. */
function columnOfCall(call: Expression, table: TableDef): string {
  const [argument] = call.kind === 'call' ? call.args : [];
  if (call.kind !== 'call' || argument === undefined || call.args.length !== 1 || !functions.has(call.name)) {
    const name = call.kind === 'call' ? call.name.toLowerCase() : 'an expression';
    throw new FaultError(fault('database', Codes.tsmaFunction, `Tsma func not supported: ${name}`));
  }
  if (argument.kind === 'star' && call.name === 'COUNT') return table.timeColumn;
  if (argument.kind !== 'column') {
    throw new FaultError(fault('database', Codes.tsmaArgument, 'Invalid tsma func param, a column is wanted'));
  }
  const { text } = argument.name;
  if (text === table.timeColumn) return text;
  const column = table.columns.find(({ name }) => name === text);
  if (column === undefined) {
    throw new FaultError(fault('database', Codes.invalidColumnName, `Invalid column name: ${text}`));
  }
  if (numeric.has(call.name) && (isVariable(column.type.name) || column.type.name === 'TIMESTAMP')) {
    const text = `Invalid parameter data type: ${call.name.toLowerCase()}`;
    throw new FaultError(fault('database', Codes.functionParameterType, text));
  }
  return column.name;
}
