import { Codes } from '../../model/fault.js';
import { suggestion } from '../../text/nearest.js';
import { expr } from '../engine/template.js';
import type { Expression, Name } from '../syntax/ast.js';
import { placeOf, refuse } from '../values/context.js';
import { bigintType, timestampType, Uses, type Value } from '../values/value.js';
import type { CallExpression, ColumnExpression, NameResolver } from './expression.js';
import { type Member, memberNamed, type Relation } from './relation.js';

/** Pseudo columns of a window. */
export const windowColumns: ReadonlySet<string> = new Set([
  '_wstart',
  '_wend',
  '_wduration',
  '_qstart',
  '_qend',
  '_qduration',
]);

/** Names that other databases give to the time of a row; here it is the first column of a table. */
const timeWords: ReadonlySet<string> = new Set(['ts', '_ts', 'time', '_time', 'timestamp', 'datetime']);

/** The fault of an aggregate function where rows are read one by one. */
export const aggregateNotAllowed = (): Error => refuse(Codes.aggregateNotAllowed, "There mustn't be aggregation");

/** The fault of an aggregate function in another one. */
export const nestedAggregate = (): Error => refuse(Codes.nestedAggregate, 'Aggregate functions do not support nesting');

/** Names as they stand for one row of FROM. Aggregates are answered with the error given. */
export class RowNames implements NameResolver {
  readonly allowsOver: boolean;
  readonly #relation: Relation | undefined;
  readonly #aggregateError: () => Error;

  /** `place` says whether these are the rows of the result, over which OVER may look. */
  constructor(relation: Relation | undefined, aggregateError: () => Error, place: 'clause' | 'result' = 'clause') {
    this.allowsOver = place === 'result';
    this.#relation = relation;
    this.#aggregateError = aggregateError;
  }

  intercept(_: Expression): Value | undefined {
    return undefined;
  }

  column({ table, name }: ColumnExpression): Value {
    const member = table === undefined ? this.#relation : memberNamed(this.#relation, table.text);
    if (table !== undefined && member === undefined) {
      throw refuse(Codes.tableNotExist, `Table does not exist: ${table.text}`);
    }
    const entry = member?.byName.get(name.text);
    if (entry !== undefined) return entry.value;
    if (member?.byName.has(name.text) === true) {
      throw refuse(Codes.ambiguousColumn, `Column ambiguously defined: ${name.text}`);
    }
    const pseudo = name.quoted ? undefined : pseudoColumn(name.text.toLowerCase(), member);
    if (pseudo === undefined) throw this.#unknown(name, member);
    return pseudo;
  }

  #unknown(name: Name, member: Member | undefined): Error {
    const { text } = name;
    const known = member?.columns.map((column) => column.name) ?? [];
    const time = timeWords.has(text.toLowerCase()) && member?.time !== undefined ? '_rowts' : undefined;
    const hint = time === undefined ? suggestion(text, known) : ` (did you mean ${known[0] ?? time}?)`;
    return refuse(Codes.invalidColumnName, `Invalid column name: ${text}${hint}`, placeOf(name));
  }

  aggregate(_: CallExpression): Value {
    throw this.#aggregateError();
  }
}

function isOwnLimit(name: string): name is '_wstart' | '_wend' | '_wduration' {
  return name === '_wstart' || name === '_wend' || name === '_wduration';
}

function pseudoColumn(name: string, member: Member | undefined): Value | undefined {
  if (name === 'tbname') {
    if (member?.tbname === undefined) throw refuse(Codes.invalidTbname, 'Invalid tbname pseudo column');
    return member.tbname;
  }
  if (name === '_c0' || name === '_rowts') {
    if (member?.time === undefined) throw refuse(Codes.invalidTimeColumn, 'Invalid _c0 or _rowts expression');
    return member.time;
  }
  const limits = member?.windowEnds;
  if (limits !== undefined && isOwnLimit(name)) {
    const { start, end } = limits;
    const sql = { _wstart: start, _wend: end, _wduration: expr`${end} - ${start}` }[name];
    const type = name === '_wduration' ? bigintType : timestampType;
    return { sql, type, precision: member?.time?.precision ?? 'ms', nullable: false, uses: Uses.row };
  }
  if (windowColumns.has(name)) {
    throw refuse(Codes.windowPseudoColumn, '_WSTART, _WEND and _WDURATION can only be used in window query');
  }
  if (name === '_irowts' || name === '_isfilled' || name === '_irowts_origin') {
    throw refuse(Codes.interpClauses, `${name} belongs to INTERP`);
  }
  return undefined;
}
