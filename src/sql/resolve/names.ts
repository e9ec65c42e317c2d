import { Codes } from '../../model/fault.js';
import type { Expression } from '../ast.js';
import { refuse } from './context.js';
import type { CallExpression, ColumnExpression, NameResolver } from './expression.js';
import { type Member, memberNamed, type Relation } from './relation.js';
import type { Value } from './value.js';

/** Pseudo columns of a window. */
export const windowColumns: ReadonlySet<string> = new Set([
  '_wstart',
  '_wend',
  '_wduration',
  '_qstart',
  '_qend',
  '_qduration',
]);

/** Names as they stand for one row of FROM. Aggregates are answered with the error given. */
export class RowNames implements NameResolver {
  readonly #relation: Relation | undefined;
  readonly #aggregateError: () => Error;

  constructor(relation: Relation | undefined, aggregateError: () => Error) {
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
    const found = member?.byName.get(name.text);
    if (found !== undefined) return found.value;
    if (member?.byName.has(name.text) === true) {
      throw refuse(Codes.ambiguousColumn, `Column ambiguously defined: ${name.text}`);
    }
    const pseudo = name.quoted ? undefined : pseudoColumn(name.text.toLowerCase(), member);
    if (pseudo === undefined) throw refuse(Codes.invalidColumnName, `Invalid column name: ${name.text}`);
    return pseudo;
  }

  aggregate(_: CallExpression): Value {
    throw this.#aggregateError();
  }
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
  if (windowColumns.has(name)) {
    throw refuse(Codes.windowPseudoColumn, '_WSTART, _WEND and _WDURATION can only be used in window query');
  }
  if (name === '_irowts' || name === '_isfilled' || name === '_irowts_origin') {
    throw refuse(Codes.interpClauses, `${name} belongs to INTERP`);
  }
  return undefined;
}
