import { type DataType, dataType } from '../../model/schema.js';
import { castToEngine } from '../plan/storage.js';
import { decimalQuotient } from '../resolve/arithmetic.js';
import { numberOf } from '../resolve/convert.js';
import {
  bigintType,
  doubleType,
  isInteger,
  isNumeric,
  isUnsigned,
  unsignedType,
  type Value,
} from '../resolve/value.js';
import { type AggregateBuilder, type AggregateFunction, wrongParameterType } from './spec.js';

/** An argument as a Nullable, because engine aggregates give NULL over no rows only for such. */
export function nullable(arg: Value | undefined): string {
  if (arg === undefined) return 'NULL';
  return arg.nullable ? arg.sql : `toNullable(${arg.sql})`;
}

function sumType(args: readonly Value[]): DataType {
  const type = args[0]?.type ?? doubleType;
  if (type.name === 'DECIMAL') return dataType('DECIMAL', 38, type.scale ?? 0);
  if (!isInteger(type)) return doubleType;
  return isUnsigned(type) ? unsignedType : bigintType;
}

function averageType(args: readonly Value[]): DataType {
  const type = args[0]?.type;
  return type?.name === 'DECIMAL' ? dataType('DECIMAL', 38, Math.min(38, (type.scale ?? 0) + 4)) : doubleType;
}

function average(args: readonly Value[], builder: AggregateBuilder): string {
  const type = averageType(args);
  const arg = nullable(args[0]);
  if (type.name !== 'DECIMAL') return builder.aggregate('avg', arg);
  const sum = `CAST(${builder.aggregate('sum', arg)}, 'Nullable(Decimal(76, ${args[0]?.type.scale ?? 0}))')`;
  const count = `CAST(${builder.aggregate('count', arg)}, 'Nullable(Decimal(76, 0))')`;
  return castToEngine(decimalQuotient(sum, count, 0, type.scale ?? 0), type);
}

/** Statistics are computed in binary64 whatever the column holds. */
function statistic(name: string, engine: string): AggregateFunction {
  return {
    kind: 'aggregate',
    name,
    parameters: ['number'],
    result: doubleType,
    translate: (args, builder) => builder.aggregate(engine, args[0] === undefined ? 'NULL' : doubleArgument(args[0])),
  };
}

function doubleArgument(arg: Value): string {
  return nullable({ ...numberOf(arg), nullable: arg.nullable });
}

function spread(args: readonly Value[], builder: AggregateBuilder): string {
  const arg = args[0];
  if (arg === undefined || (!isNumeric(arg.type) && arg.type.name !== 'TIMESTAMP')) throw wrongParameterType('SPREAD');
  const [high, low] = [builder.aggregate('max', nullable(arg)), builder.aggregate('min', nullable(arg))];
  return `(toFloat64(${high}) - toFloat64(${low}))`;
}

/** Aggregates; all of them leave out NULL. */
export const aggregateFunctions: readonly AggregateFunction[] = [
  {
    kind: 'aggregate',
    name: 'COUNT',
    parameters: ['any'],
    result: bigintType,
    countLike: true,
    translate: ([arg], builder) => {
      const all = arg === undefined || (!arg.nullable && arg.role !== 'null');
      return `toInt64(${all ? builder.aggregate('count') : builder.aggregate('count', arg.sql)})`;
    },
  },
  {
    kind: 'aggregate',
    name: 'SUM',
    parameters: ['number'],
    result: sumType,
    translate: (args, builder) => builder.aggregate('sum', nullable(args[0])),
  },
  { kind: 'aggregate', name: 'AVG', parameters: ['number'], result: averageType, translate: average },
  { kind: 'aggregate', name: 'SPREAD', parameters: ['any'], result: doubleType, translate: spread },
  ...['STDDEV', 'STD', 'STDDEV_POP'].map((name) => statistic(name, 'stddevPop')),
  statistic('STDDEV_SAMP', 'stddevSamp'),
  ...['VARIANCE', 'VAR_POP'].map((name) => statistic(name, 'varPop')),
  statistic('VAR_SAMP', 'varSamp'),
  {
    kind: 'aggregate',
    name: 'HYPERLOGLOG',
    parameters: ['any'],
    result: bigintType,
    countLike: true,
    translate: ([arg], builder) => `toInt64(${builder.aggregate('uniqCombined64', arg?.sql ?? 'NULL')})`,
  },
];
