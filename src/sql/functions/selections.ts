import type { DataType } from '../../model/schema.js';
import { doubleType, isBinary, type Value } from '../resolve/value.js';
import { given, nullable } from './arguments.js';
import { type AggregateBuilder, type AggregateFunction, wrongParameterType } from './spec.js';

function same(args: readonly Value[]): DataType {
  return args[0]?.type ?? doubleType;
}

/** MIN and MAX: numbers, texts and times. */
function extreme(name: string, engine: 'min' | 'max', picker: 'argMinIf' | 'argMaxIf'): AggregateFunction {
  return {
    kind: 'selection',
    name,
    parameters: ['any'],
    result: same,
    translate: ([arg], builder) => {
      if (arg === undefined || isBinary(arg.type) || arg.type.name === 'JSON') throw wrongParameterType(name);
      return builder.aggregate(engine, nullable(arg));
    },
    pick: ([arg]) => [picker, arg?.sql ?? 'NULL', given(arg)],
  };
}

/** FIRST and LAST: the value that is not NULL with the smallest or greatest time. */
function end(name: string, engine: 'min' | 'max', picker: 'argMinIf' | 'argMaxIf'): AggregateFunction {
  return {
    kind: 'selection',
    name,
    parameters: ['any'],
    result: same,
    translate: ([arg], builder) => {
      const time = timeOf(builder, name).sql;
      if (arg?.sql === time) return builder.aggregate(engine, nullable(arg));
      return builder.aggregate(picker, nullable(arg), time, given(arg));
    },
    pick: ([arg], time) => [picker, time?.sql ?? '0', given(arg)],
  };
}

function timeOf(builder: AggregateBuilder, name: string): Value {
  if (builder.time === undefined) throw wrongParameterType(name);
  return builder.time;
}

/** Functions that pick one row of a group. */
export const selectionFunctions: readonly AggregateFunction[] = [
  extreme('MIN', 'min', 'argMinIf'),
  extreme('MAX', 'max', 'argMaxIf'),
  end('FIRST', 'min', 'argMinIf'),
  end('LAST', 'max', 'argMaxIf'),
  {
    kind: 'selection',
    name: 'LAST_ROW',
    parameters: ['any'],
    result: same,
    translate: ([arg], builder) => {
      const time = timeOf(builder, 'LAST_ROW').sql;
      if (arg?.sql === time) return builder.aggregate('max', nullable(arg));
      return `tupleElement(${builder.aggregate('argMax', `tuple(${nullable(arg)})`, time)}, 1)`;
    },
    pick: (_, time) => ['argMax', time?.sql ?? '0'],
  },
];
