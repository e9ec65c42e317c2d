import { emptyRow, floatSample, type Row, setFloat } from './rows.js';

/** A function of one number. */
type NumberFunction = (value: number) => number;

const degrees = 180 / Math.PI;

/** Functions of the numbers of a vector by their names. */
export const numberFunctions: ReadonlyMap<string, NumberFunction> = new Map<string, NumberFunction>([
  ['abs', Math.abs],
  ['ceil', Math.ceil],
  ['floor', Math.floor],
  ['exp', Math.exp],
  ['sqrt', Math.sqrt],
  ['ln', Math.log],
  ['log2', Math.log2],
  ['log10', Math.log10],
  ['sin', Math.sin],
  ['cos', Math.cos],
  ['tan', Math.tan],
  ['asin', Math.asin],
  ['acos', Math.acos],
  ['atan', Math.atan],
  ['sinh', Math.sinh],
  ['cosh', Math.cosh],
  ['tanh', Math.tanh],
  ['asinh', Math.asinh],
  ['acosh', Math.acosh],
  ['atanh', Math.atanh],
  ['rad', (value) => (value * Math.PI) / 180],
  ['deg', (value) => value * degrees],
  ['sgn', (value) => (value < 0 ? -1 : value > 0 ? 1 : value)],
]);

/** A function of a moment in UTC. */
type DateFunction = (date: Date) => number;

/** Functions of Unix seconds by their names. */
export const dateFunctions: ReadonlyMap<string, DateFunction> = new Map<string, DateFunction>([
  ['minute', (date) => date.getUTCMinutes()],
  ['hour', (date) => date.getUTCHours()],
  ['day_of_week', (date) => date.getUTCDay()],
  ['day_of_month', (date) => date.getUTCDate()],
  ['day_of_year', (date) => 1 + Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000)],
  ['days_in_month', (date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()],
  ['month', (date) => date.getUTCMonth() + 1],
  ['year', (date) => date.getUTCFullYear()],
]);

/** A date function as one of Unix seconds. */
export function ofSeconds(compute: DateFunction): NumberFunction {
  return (seconds) => compute(new Date(Math.trunc(seconds) * 1000));
}

/** A row with the results for all numbers of a row, without the name of the metric. */
export function mappedRow(row: Row, compute: (value: number, step: number) => number): Row {
  const result = emptyRow(row.labels.unnamed, row.values.length);
  for (let step = 0; step < row.values.length; step++) {
    if (row.present[step] === floatSample) setFloat(result, step, compute(row.values[step]!, step));
  }
  return result;
}
