import { type DataType, dataType } from '../../model/schema.js';
import { nullWord, text, zero } from '../engine/build.js';
import type { Expr } from '../engine/nodes.js';
import { castTo } from '../engine/storage.js';
import { expr } from '../engine/template.js';
import { decimalQuotient } from '../values/arithmetic.js';
import { textSide } from '../values/compare.js';
import { heldIn } from '../values/convert.js';
import { bigintType, doubleType, isInteger, isNumeric, type Value } from '../values/value.js';
import { doubleArgument, nullable, sumHeld, summand, sumType, typed } from './arguments.js';
import { type AggregateBuilder, type AggregateFunction, aggregate, wrongParameterType } from './spec.js';

/** The longest VARCHAR. */
const maxTextLength = 65517;

function averageType(args: readonly Value[]): DataType {
  const type = args[0]?.type;
  return type?.name === 'DECIMAL' ? dataType('DECIMAL', 38, Math.min(38, (type.scale ?? 0) + 4)) : doubleType;
}

function average(args: readonly Value[], builder: AggregateBuilder): Expr {
  const type = averageType(args);
  const arg = summand(args[0]);
  if (type.name !== 'DECIMAL') return builder.aggregate('avg', arg);
  const count = castTo(builder.aggregate('count', arg), 'Nullable(Decimal(76, 0))');
  return heldIn(decimalQuotient(builder.aggregate('sum', arg), count, 0, type.scale ?? 0), type, 'AVG');
}

/** Statistics are computed in binary64 whatever the column holds. */
function statistic(name: string, engine: string): AggregateFunction {
  return aggregate(name, ['number'], doubleType, (args, builder) => builder.aggregate(engine, doubleArgument(args[0])));
}

function spread(args: readonly Value[], builder: AggregateBuilder): Expr {
  const arg = args[0];
  if (arg === undefined || (!isNumeric(arg.type) && arg.type.name !== 'TIMESTAMP')) throw wrongParameterType('SPREAD');
  const [high, low] = [builder.aggregate('max', nullable(arg)), builder.aggregate('min', nullable(arg))];
  // The difference of whole numbers and decimals is exact, however large they are.
  if (isInteger(arg.type) || arg.type.name === 'TIMESTAMP')
    return expr`toFloat64(toInt128(${high}) - toInt128(${low}))`;
  if (arg.type.name === 'DECIMAL')
    return expr`toFloat64(toDecimal256(${high}, ${arg.type.scale ?? 0}) - toDecimal256(${low}, ${arg.type.scale ?? 0}))`;
  return expr`toFloat64(${high}) - toFloat64(${low})`;
}

/**
 * Texts of a group, one after the other in the order of time, with a separator between them. The last argument is the
 * separator; the ones before it are joined row by row, and a row with NULL among them is left out.
 */
function groupConcat(args: readonly Value[], builder: AggregateBuilder): Expr {
  const separator = args.at(-1)?.constant;
  if (typeof separator !== 'string') throw wrongParameterType('GROUP_CONCAT');
  const parts = args.slice(0, -1).map((arg) => (arg.member === undefined ? typed(arg) : textSide(arg)));
  const [only] = parts;
  const whole = parts.length === 1 && only !== undefined ? only : expr`concat(${parts})`;
  const row = expr`tuple(${builder.time?.sql ?? zero}, assumeNotNull(${whole}))`;
  const rows = builder.aggregate('groupArrayIf', row, expr`isNotNull(${whole})`);
  const joined = expr`arrayStringConcat(arrayMap(r -> tupleElement(r, 2), arraySort(${rows})), ${text(separator)})`;
  return expr`if(empty(${rows}), NULL, ${joined})`;
}

/** Aggregates of the values of a group, each taken once; the parser reads `COUNT(DISTINCT x)` as a call of one. */
const distinctAggregates: readonly AggregateFunction[] = [
  aggregate(
    'COUNT DISTINCT',
    ['any'],
    bigintType,
    ([arg], builder) => expr`toInt64(ifNull(${builder.aggregate('uniqExact', arg?.sql ?? nullWord)}, 0))`,
    { countLike: true },
  ),
  aggregate('SUM DISTINCT', ['number'], sumType, (args, builder) =>
    sumHeld(builder.aggregate('sumDistinct', summand(args[0])), args, 'SUM'),
  ),
  aggregate('AVG DISTINCT', ['number'], doubleType, (args, builder) =>
    builder.aggregate('avgDistinct', summand(args[0])),
  ),
];

/** Aggregates; all of them leave out NULL. */
export const aggregateFunctions: readonly AggregateFunction[] = [
  aggregate(
    'COUNT',
    ['any'],
    bigintType,
    ([arg], builder) => {
      const all = arg === undefined || (!arg.nullable && arg.role !== 'null');
      return expr`toInt64(${all ? builder.aggregate('count') : builder.aggregate('count', arg.sql)})`;
    },
    { countLike: true, exact: () => true },
  ),
  aggregate(
    'SUM',
    ['number'],
    sumType,
    (args, builder) => sumHeld(builder.aggregate('sum', summand(args[0])), args, 'SUM'),
    { exact: ([arg]) => arg?.exact === true && arg.type.name !== 'DECIMAL' },
  ),
  aggregate('AVG', ['number'], averageType, average, { exact: () => true }),
  ...distinctAggregates,
  aggregate('SPREAD', ['any'], doubleType, spread),
  ...['STDDEV', 'STD', 'STDDEV_POP'].map((name) => statistic(name, 'stddevPopStable')),
  statistic('STDDEV_SAMP', 'stddevSampStable'),
  ...['VARIANCE', 'VAR_POP'].map((name) => statistic(name, 'varPopStable')),
  statistic('VAR_SAMP', 'varSampStable'),
  aggregate(
    'HYPERLOGLOG',
    ['any'],
    bigintType,
    ([arg], builder) => expr`toInt64(ifNull(${builder.aggregate('uniqCombined64', arg?.sql ?? nullWord)}, 0))`,
    { countLike: true },
  ),
  aggregate('GROUP_CONCAT', ['text', 'text'], dataType('VARCHAR', maxTextLength), groupConcat, { atMost: 64 }),
];
