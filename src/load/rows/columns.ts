import type { ColumnBuilder } from '../../model/column-block.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { isPlainType, type Precision, type TypeName, ticksPerSecond } from '../../model/schema.js';
import type { FieldPlan, Wave } from '../model/scenario.js';
import { decimalFill, type Fill, isWide, numberFill, rangeFill, stepsFill, wideConstantFill } from './number-values.js';
import { below, mixed } from './random.js';
import { choiceFill, jsonFill, textFill } from './text-values.js';

/** Makes the values of one column or tag. */
export interface FieldMaker {
  readonly field: FieldPlan;
  /** The values depend on the times of their rows, or on the clock, so that no pool can hold them. */
  readonly timed: boolean;
  readonly fill: Fill;
  /** Seed of the pool that a table has of its own, or of the one that all share. */
  seedOf(table: number | undefined): number;
}

/** Options of the values of a column beside its plan. */
interface FieldOptions {
  /** Seed of the column. */
  readonly seed: number;
  readonly chinese: boolean;
  readonly precision: Precision;
}

/** A maker for a column or tag; throws a FaultError for a type that no values can be made of. */
export function makerOf(field: FieldPlan, options: FieldOptions): FieldMaker {
  const { kind } = field.values;
  return {
    field,
    timed: kind === 'wave' || kind === 'now',
    fill: fillOf(field, options),
    seedOf: (table) => (table === undefined ? options.seed : mixed(options.seed, table + 1)),
  };
}

function fillOf({ name, type, values }: FieldPlan, { seed, chinese, precision }: FieldOptions): Fill {
  const isText = type.name === 'VARCHAR' || type.name === 'NCHAR';
  const isNumber = isPlainType(type.name);
  switch (values.kind) {
    case 'null':
      return leaveNull;
    case 'range':
      if (type.name === 'DECIMAL') return decimalFill(type, BigInt(values.min), BigInt(values.max));
      if (isNumber) return rangeFill(type.name, values.min, values.max);
      break;
    case 'steps':
      if (isNumber) return stepsFill(type.name, values.first, values.step, values.count);
      break;
    case 'wave':
      if (isNumber) return waveFill(type.name, values.wave, seed);
      break;
    case 'now':
      if (isWide(type.name)) return wideConstantFill(() => ticksNow(precision));
      break;
    case 'choice':
      if (isText && values.values.length > 0) return choiceFill(type, values.values);
      break;
    case 'text':
      if (isText) return textFill(type, values.length, chinese);
      break;
    case 'json':
      if (type.name === 'JSON') return jsonFill(values.pairs, values.length);
      break;
  }
  const text = `"${name}": no values of kind ${values.kind} can be made for type ${type.name}`;
  throw new FaultError(fault('parameter', Codes.invalidParameters, text));
}

/** Rows that nothing is written to are NULL. */
const leaveNull: Fill = () => {};

function ticksNow(precision: Precision): bigint {
  return BigInt(Date.now()) * BigInt(ticksPerSecond(precision) / 1000);
}

/**
 * Fills rows with the entries `(first + i) % prepared` of a pool. The rows of the column must be reserved. `timeWords`
 * are the times of the column's rows as low and high words.
 */
export function fillRows(
  maker: FieldMaker,
  column: ColumnBuilder,
  rows: { readonly row: number; readonly count: number; readonly first: number; readonly prepared: number },
  table: number | undefined,
  timeWords: Uint32Array,
): void {
  const seed = maker.seedOf(table);
  let { row } = rows;
  let entry = rows.first % rows.prepared;
  for (let left = rows.count; left > 0; entry = 0) {
    const count = Math.min(left, rows.prepared - entry);
    maker.fill(column, row, count, seed, entry, timeWords);
    row += count;
    left -= count;
  }
}

const degrees = 360;

/**
 * Values along a wave: `amplitude × shape(x) + offset + offset × (0 … fluctuation-1)/100`, where the angle x is the
 * row's time modulo 360, in degrees. It is the key `fun` of a column.
 */
function waveFill(type: TypeName, { shape, amplitude, offset, fluctuation }: Wave, seed: number): Fill {
  const height = (degree: number) => amplitude * Math[shape]((degree / (degrees / 2)) * Math.PI) + offset;
  const heights = Float64Array.from({ length: degrees }, (_, degree) => height(degree));
  const steps = Math.max(0, Math.floor(fluctuation));
  return numberFill(type, (_, entry, low, high) => {
    const value = heights[degreeOf(low, high)]!;
    return steps === 0 ? value : value + (offset * below(seed, entry, steps)) / 100;
  });
}

/** A signed 64-bit number modulo 360, never negative. */
function degreeOf(low: number, high: number): number {
  // 2^32 is 256 modulo 360.
  const rest = ((high | 0) * 256 + (low % degrees)) % degrees;
  return rest < 0 ? rest + degrees : rest;
}
