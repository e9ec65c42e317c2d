import { Codes } from '../../model/fault.js';
import { nullWord, zero } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { isSameExpr } from '../engine/print.js';
import { castToEngine } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { refuse } from '../values/context.js';
import { doubleType, isBinary, isNumeric, type Value } from '../values/value.js';
import { firstType, hasValue, nullable, typed } from './arguments.js';
import { type AggregateBuilder, type AggregateFunction, noTimeline, wrongParameterType } from './spec.js';

/** A number out of a stored column is of the type that it is stored as. */
function sameAsStored([arg]: readonly Value[]): boolean {
  return arg?.exact === true && isNumeric(arg.type);
}

/** Common part of functions that take a value of a column out as it is. */
const selection = { kind: 'selection', parameters: ['any'], result: firstType, exact: sameAsStored } as const;

/** MIN and MAX: numbers, texts and times. */
function extreme(name: string, engine: 'min' | 'max', picker: 'argMinIf' | 'argMaxIf'): AggregateFunction {
  return {
    ...selection,
    name,
    translate: ([arg], builder) => {
      if (arg === undefined || isBinary(arg.type) || arg.type.name === 'JSON') throw wrongParameterType(name);
      return builder.aggregate(engine, nullable(arg));
    },
    pick: ([arg]) => [picker, arg?.sql ?? nullWord, hasValue(arg)],
  };
}

/** FIRST and LAST: the value that is not NULL with the smallest or greatest time. */
function end(name: string, engine: 'min' | 'max', picker: 'argMinIf' | 'argMaxIf'): AggregateFunction {
  return {
    ...selection,
    name,
    translate: ([arg], builder) => {
      const sequence = sequenceOf(builder);
      if (isSequence(arg, sequence)) return builder.aggregate(engine, nullable(arg));
      return builder.aggregate(picker, nullable(arg), sequence, hasValue(arg));
    },
    pick: ([arg], { sequence = zero }) => [picker, sequence, hasValue(arg)],
  };
}

function sequenceOf({ sequence }: AggregateBuilder): Expr {
  if (sequence === undefined) throw noTimeline();
  return sequence;
}

/** True for the very value that orders the rows. */
function isSequence(arg: Value | undefined, sequence: Expr): boolean {
  return arg !== undefined && isSameExpr(arg.sql, sequence);
}

/** The most frequent value, by exact counts of all values; of equally frequent ones the smallest. */
function mode(args: readonly Value[], builder: AggregateBuilder): Expr {
  const arg = args[0];
  if (arg === undefined || isBinary(arg.type) || arg.type.name === 'JSON') throw wrongParameterType('MODE');
  const counts = builder.aggregate(
    'sumMapIf',
    expr`[assumeNotNull(${typed(arg)})]`,
    expr`[toUInt64(1)]`,
    hasValue(arg),
  );
  const [values, times] = [expr`tupleElement(${counts}, 1)`, expr`tupleElement(${counts}, 2)`];
  const most = expr`arrayElement(${values}, indexOf(${times}, arrayMax(${times})))`;
  return castToEngine(expr`if(empty(${values}), NULL, ${most})`, arg.type);
}

/**
 * The row of MODE: one whose value is the most frequent of the slice, by the firstType rule for equally frequent ones.
 */
function modeRow([arg]: readonly Value[], { rows }: Pick<AggregateBuilder, 'rows'>): readonly [string, ...Expr[]] {
  if (rows === undefined) throw refuse(Codes.notSingleGroup, 'Not a single-group group function');
  const value = arg?.sql ?? nullWord;
  const times = rows.over(expr`count()`, {
    by: [value],
    frame: 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
  });
  return ['argMinIf', expr`tuple(negate(toInt64(${times})), ${value})`, hasValue(arg)];
}

/** Functions that pick one row of a group. */
export const selectionFunctions: readonly AggregateFunction[] = [
  extreme('MIN', 'min', 'argMinIf'),
  extreme('MAX', 'max', 'argMaxIf'),
  end('FIRST', 'min', 'argMinIf'),
  end('LAST', 'max', 'argMaxIf'),
  {
    ...selection,
    name: 'MODE',
    ordered: 'beside-columns',
    translate: mode,
    pick: modeRow,
  },
  {
    ...selection,
    name: 'LAST_ROW',
    translate: ([arg], builder) => {
      const sequence = sequenceOf(builder);
      if (isSequence(arg, sequence)) return builder.aggregate('max', nullable(arg));
      return expr`tupleElement(${builder.aggregate('argMax', expr`tuple(${nullable(arg)})`, sequence)}, 1)`;
    },
    pick: (_, { sequence = zero }) => ['argMax', sequence],
  },
  {
    kind: 'aggregate',
    name: 'COLS',
    parameters: ['any', 'any'],
    result: (args) => args[1]?.type ?? doubleType,
    // Its first argument is a function of the group, so it is resolved where groups are.
    translate: () => {
      throw refuse(Codes.invalidExpression, 'Invalid usage of expr: cols');
    },
  },
];
