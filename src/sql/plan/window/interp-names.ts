import { Codes } from '../../../model/fault.js';
import { column } from '../../engine/build.js';
import { isSameExpr } from '../../engine/print.js';
import { wrongCount, wrongParameterType, wrongParameterValue } from '../../functions/spec.js';
import type { CallExpression, ColumnExpression, ExpressionTranslator, NameResolver } from '../../resolve/expression.js';
import type { Expression, FillMode } from '../../syntax/ast.js';
import { refuse, refuseUnsupported } from '../../values/context.js';
import { boolType, isBinary, isNumeric, timestampType, Uses, type Value } from '../../values/value.js';

/** A key of PARTITION BY, over rows. */
interface InterpKey {
  readonly value: Value;
  readonly alias: string | undefined;
}

/** A key and the column that holds it at every point. */
export interface KeyColumn {
  readonly value: Value;
  readonly column: string;
}

const name = 'INTERP';

/** Names as they stand for a point of time: INTERP of a column, keys and what they decide, and the point itself. */
export class InterpNames implements NameResolver {
  /** Selected values over rows; each once. */
  readonly inputs: Value[] = [];
  /** Keys that differ from slice to slice. */
  readonly slices: readonly KeyColumn[];
  readonly #source: string;
  readonly #rows: ExpressionTranslator;
  readonly #mode: FillMode;
  readonly #aliases = new Map<string, Value>();
  readonly #byTable: boolean;
  readonly #dependents: KeyColumn[] = [];
  #ignoresNull: boolean | undefined;

  constructor(source: string, rows: ExpressionTranslator, keys: readonly InterpKey[], mode: FillMode) {
    this.#source = source;
    this.#rows = rows;
    this.#mode = mode;
    this.#byTable = keys.some(({ value }) => value.role === 'tbname');
    const varying = keys.filter(({ value }) => value.uses !== Uses.nothing);
    this.slices = varying.map(({ value }, at) => ({ value, column: `k${at + 1}` }));
    for (const { value, alias } of keys) if (alias !== undefined) this.#aliases.set(alias, value);
  }

  /** Everything that is the same at all points of a slice. */
  get keyColumns(): readonly KeyColumn[] {
    return [...this.slices, ...this.#dependents];
  }

  /** True when rows without a value are as good as missing. */
  get ignoresNull(): boolean {
    return this.#ignoresNull === true;
  }

  intercept(expression: Expression): Value | undefined {
    if (expression.kind === 'call' && expression.name === name) return this.#interp(expression);
    return undefined;
  }

  column(expression: ColumnExpression): Value {
    const { name: written, table } = expression;
    const point = table === undefined && !written.quoted ? this.#point(written.text) : undefined;
    if (point !== undefined) return point;
    const aliased = table === undefined ? this.#aliases.get(written.text) : undefined;
    const value = aliased ?? this.#rows.translate(expression);
    if (value.uses === Uses.nothing) return value;
    return this.#key(value) ?? this.#dependent(value);
  }

  aggregate(): Value {
    throw mixed();
  }

  #point(pseudoColumn: string): Value | undefined {
    const base = { precision: this.#rows.env.precision, nullable: false, uses: Uses.key };
    switch (pseudoColumn) {
      case '_irowts':
        return { ...base, sql: column(this.#source, 't'), type: timestampType, role: 'time' };
      case '_isfilled':
        return { ...base, sql: column(this.#source, 'f'), type: boolType };
      case '_irowts_origin':
        if (this.#mode !== 'PREV' && this.#mode !== 'NEXT' && this.#mode !== 'NEAR') {
          throw refuse(Codes.interpClauses, 'Invalid usage of RANGE clause, EVERY clause or FILL clause');
        }
        return { ...base, sql: column(this.#source, 'o'), type: timestampType };
      default:
        return undefined;
    }
  }

  #key(value: Value): Value | undefined {
    const key = this.slices.find((slice) => isSameExpr(slice.value.sql, value.sql));
    return key === undefined ? undefined : this.#outside(value, key.column);
  }

  #dependent(value: Value): Value {
    if (!this.#byTable || value.uses !== Uses.tags) throw mixed();
    let known = this.#dependents.find((dependent) => isSameExpr(dependent.value.sql, value.sql));
    if (known === undefined) {
      known = { value, column: `d${this.#dependents.length + 1}` };
      this.#dependents.push(known);
    }
    return this.#outside(value, known.column);
  }

  #outside(value: Value, alias: string): Value {
    return { ...value, sql: column(this.#source, alias), uses: Uses.key, role: undefined, member: undefined };
  }

  #interp({ args }: CallExpression): Value {
    const [input, flag] = args;
    if (input === undefined || args.length > 2) throw wrongCount(name);
    const value = this.#rows.translate(input);
    const isData = (value.uses & Uses.row) !== 0 && value.role !== 'time';
    if (!isData || isBinary(value.type) || value.type.name === 'JSON') throw wrongParameterType(name);
    if (this.#mode === 'LINEAR' && !isNumeric(value.type)) throw wrongParameterType(name);
    this.#ignoreNull(flag);
    let at = this.inputs.findIndex(({ sql }) => isSameExpr(sql, value.sql));
    if (at < 0) at = this.inputs.push(value) - 1;
    const { type, precision } = value;
    return { sql: column(this.#source, `v${at + 1}`), type, precision, nullable: true, uses: Uses.aggregate };
  }

  /** The points are the same for all columns, and so is what counts as a row. */
  #ignoreNull(flag: Expression | undefined): void {
    const constant = flag === undefined ? 0n : this.#rows.translate(flag).constant;
    if (constant !== 0n && constant !== 1n) throw wrongParameterValue(name);
    const ignores = constant === 1n;
    if (this.#ignoresNull !== undefined && this.#ignoresNull !== ignores) {
      throw refuseUnsupported('interp with and without NULL in one list');
    }
    this.#ignoresNull = ignores;
  }
}

function mixed(): Error {
  return refuse(Codes.invalidExpression, 'Invalid usage of expr: interp');
}
