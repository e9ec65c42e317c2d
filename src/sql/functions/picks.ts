import { nullWord } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { expr } from '../engine/template.js';
import { isBinary, type Value } from '../values/value.js';
import { firstType, hasValue } from './arguments.js';
import { backwards } from './series.js';
import {
  integerArgument,
  type Parameter,
  type RowWindows,
  type SeriesFunction,
  type SeriesResult,
  series,
  wrongParameterType,
} from './spec.js';

function sql(args: readonly Value[]): Expr {
  return args[0]?.sql ?? nullWord;
}

/** With `ofValues` the values decide which rows are picked, not their times. */
function picking(
  name: string,
  parameters: readonly Parameter[],
  keep: (args: readonly Value[], rows: RowWindows) => Expr,
  { required = parameters.length, ofValues = false }: { readonly required?: number; readonly ofValues?: boolean } = {},
): SeriesFunction {
  return series(
    name,
    parameters,
    firstType,
    (args, rows): SeriesResult => {
      const type = firstType(args);
      if (isBinary(type) || type.name === 'JSON') throw wrongParameterType(name);
      return { sql: sql(args), keep: keep(args, rows) };
    },
    { required, rows: 'picked', outsideWindows: !ofValues, isTimeless: ofValues, distinctTimes: false },
  );
}

/** TOP and BOTTOM: the k rows with the greatest or smallest value; of equal ones the oldest. */
function extremes(name: string, descending: boolean): SeriesFunction {
  const keep = (args: readonly Value[], rows: RowWindows): Expr => {
    const count = integerArgument(name, args[1], 1n, 100n);
    const order = [{ by: sql(args), descending }, ...rows.order.map((by) => ({ by }))];
    const rank = rows.over(expr`row_number()`, { by: [hasValue(args[0])], order });
    return expr`and(${hasValue(args[0])}, ${rank} <= ${count})`;
  };
  return picking(name, ['number', 'integer'], keep, { ofValues: true });
}

/** Functions that pick several rows of a slice. */
export const pickFunctions: readonly SeriesFunction[] = [
  extremes('TOP', true),
  extremes('BOTTOM', false),
  picking(
    'SAMPLE',
    ['any', 'integer'],
    (args, rows) => {
      const count = integerArgument('SAMPLE', args[1], 1n, 1000n);
      const rank = rows.over(expr`row_number()`, { by: [hasValue(args[0])], order: [{ by: expr`rand()` }] });
      return expr`and(${hasValue(args[0])}, ${rank} <= ${count})`;
    },
    { ofValues: true },
  ),
  picking(
    'TAIL',
    ['any', 'integer', 'integer'],
    (args, rows) => {
      const count = integerArgument('TAIL', args[1], 1n, 100n);
      const skipped = args[2] === undefined ? 0n : integerArgument('TAIL', args[2], 0n, 100n);
      const age = rows.over(expr`row_number()`, { order: backwards(rows) });
      return expr`and(${age} > ${skipped}, ${age} <= ${skipped + count})`;
    },
    { required: 2 },
  ),
  picking('UNIQUE', ['any'], (args, rows) => expr`${rows.over(expr`row_number()`, { by: [sql(args)] })} = 1`),
];
