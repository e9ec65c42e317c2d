import { Codes } from '../../../model/fault.js';
import { type DataType, type Precision, typeLength } from '../../../model/schema.js';
import { call, fromQuery, nullWord, select, sortTerm, text } from '../../engine/build.js';
import { type Expr, Tuple } from '../../engine/nodes.js';
import { castToEngine } from '../../engine/storage.js';
import { expr } from '../../engine/template.js';
import { ExpressionTranslator } from '../../resolve/expression.js';
import { aggregateNotAllowed, RowNames } from '../../resolve/names.js';
import { blockRelation, type Relation } from '../../resolve/relation.js';
import type { Expression, InlineRows } from '../../syntax/ast.js';
import { type QueryContext, refuse } from '../../values/context.js';
import { castValue, type Environment, ticksOf } from '../../values/convert.js';
import { typeFromSyntax } from '../../values/type-syntax.js';
import { isInteger, isText, isUnsigned, type Value } from '../../values/value.js';

/** The relation of rows that are written in a query. They come in the order of time where their first column is one. */
export function inlineRows(
  { columns, rows }: InlineRows,
  context: QueryContext,
  qualifier: string | undefined,
  serial: number,
): Relation {
  const precision = (context.database === undefined ? undefined : context.precisionOf(context.database)) ?? 'ms';
  const env = { context, precision } as const;
  const types = columns.map(({ type }) => columnType(typeFromSyntax(type)));
  const translator = new ExpressionTranslator(env, new RowNames(undefined, aggregateNotAllowed));
  const cells = rows.map((row) => {
    if (row.length !== types.length) throw refuse(Codes.illegalColumnCount, 'Illegal number of columns');
    return types.map((type, at) => ({ type, value: cellValue(row[at]!, type, translator) }));
  });
  const rowTuples = literalRows(cells, env) ?? computedRows(cells, env);
  const query = select({
    columns: types.map((type, at) => [castToEngine(expr`tupleElement(x, ${at + 1})`, type), `r${at + 1}`]),
    from: fromQuery({ columns: [[expr`arrayJoin([${rowTuples}])`, 'x']], from: undefined }),
  });
  const rowColumns = blockColumns(columns, types, precision);
  const relation = blockRelation(query, rowColumns, qualifier, serial);
  const [first] = relation.columns;
  const isTimed = first?.value.role === 'time';
  if (!isTimed) return relation;
  return { ...relation, source: { kind: 'block', query, order: [sortTerm(first.value.sql, true)] } };
}

/** A value and the type of the column that it stands in. */
interface Cell {
  readonly type: DataType;
  readonly value: Value;
}

function columnType(type: DataType): DataType {
  if (type.name !== 'JSON' && type.name !== 'BLOB') return type;
  throw refuse(Codes.invalidValueType, `Invalid value type: ${type.name} in TEXT`);
}

function blockColumns(columns: InlineRows['columns'], types: readonly DataType[], precision: Precision) {
  return types.map((type, at) => {
    const name = columns[at]?.name.text ?? '';
    return { alias: `r${at + 1}`, name, type, precision, nullable: true };
  });
}

/** Shapes are written as texts. */
function cellValue(written: Expression, type: DataType, translator: ExpressionTranslator): Value {
  if (type.name !== 'GEOMETRY') return translator.translate(written);
  const { span } = written;
  return translator.translate({ kind: 'call', name: 'ST_GEOMFROMTEXT', args: [written], bare: false, span });
}

function computedRows(cells: readonly (readonly Cell[])[], env: Environment): readonly Expr[] {
  const computed = ({ type, value }: Cell): Expr => {
    return castToEngine(type.name === 'GEOMETRY' ? value.sql : castValue(value, type, env).sql, type);
  };
  return cells.map((row) => call('tuple', ...row.map(computed)));
}

/**
 * The rows as texts of their values, which the engine reads much faster than what it computes; undefined where one has
 * to be computed.
 */
function literalRows(cells: readonly (readonly Cell[])[], env: Environment): readonly Expr[] | undefined {
  const rows: Expr[] = [];
  for (const row of cells) {
    const items: Expr[] = [];
    for (const cell of row) {
      const item = literalText(cell, env);
      if (item === undefined) return undefined;
      items.push(item);
    }
    // The empty text makes a tuple of a single value, too.
    rows.push(new Tuple([...items, text('')]));
  }
  return rows;
}

/** A literal that fits its column as it is, as a text of the engine. */
function literalText({ type, value }: Cell, env: Environment): Expr | undefined {
  if (value.role === 'null') return nullWord;
  const constant = type.name === 'TIMESTAMP' ? ticksOf(value, env.precision, env).constant : value.constant;
  const literal = text(String(constant));
  const bits = typeLength(type) * 8;
  switch (typeof constant) {
    case 'bigint':
      if (type.name === 'FLOAT' || type.name === 'DOUBLE' || type.name === 'TIMESTAMP') return literal;
      if (!isInteger(type)) return undefined;
      return (isUnsigned(type) ? BigInt.asUintN : BigInt.asIntN)(bits, constant) === constant ? literal : undefined;
    case 'number':
      return type.name === 'FLOAT' || type.name === 'DOUBLE' ? literal : undefined;
    case 'boolean':
      return type.name === 'BOOL' ? literal : undefined;
    case 'string':
      return isText(type) && Buffer.byteLength(constant) <= type.length ? literal : undefined;
    default:
      return undefined;
  }
}
