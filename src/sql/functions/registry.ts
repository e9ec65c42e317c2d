import { Codes, type Place } from '../../model/fault.js';
import { suggestion } from '../../text/nearest.js';
import { refuse } from '../values/context.js';
import { aggregateFunctions } from './aggregates.js';
import { cipherFunctions } from './ciphers.js';
import { conditionalFunctions } from './conditional.js';
import { counterFunctions } from './counters.js';
import { distributionFunctions } from './distributions.js';
import { geometryFunctions } from './geometry.js';
import { histogramQuantileFunctions } from './histogram-quantile.js';
import { maskFunctions } from './masks.js';
import { mathFunctions } from './math.js';
import { pickFunctions } from './picks.js';
import { regressionFunctions } from './regression.js';
import { selectionFunctions } from './selections.js';
import { seriesFunctions } from './series.js';
import type { FunctionSpec } from './spec.js';
import { systemFunctions } from './system.js';
import { textFunctions } from './text.js';
import { timeFunctions } from './time.js';
import { timeFormatFunctions } from './time-format.js';
import { timeWeightedFunctions } from './time-weighted.js';

const functions: ReadonlyMap<string, FunctionSpec> = new Map(
  [
    ...mathFunctions,
    ...geometryFunctions,
    ...textFunctions,
    ...maskFunctions,
    ...cipherFunctions,
    ...timeFunctions,
    ...timeFormatFunctions,
    ...conditionalFunctions,
    ...systemFunctions,
    ...aggregateFunctions,
    ...distributionFunctions,
    ...regressionFunctions,
    ...timeWeightedFunctions,
    ...counterFunctions,
    ...histogramQuantileFunctions,
    ...selectionFunctions,
    ...seriesFunctions,
    ...pickFunctions,
  ].map((spec) => [spec.name, spec]),
);

/** Every function by its upper-case name, which is one word. */
export const functionNames: readonly string[] = [...functions.keys(), 'INTERP']
  .filter((name) => !name.includes(' '))
  .sort();

/** Names here of functions of other databases. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['mean', 'avg'],
  ['average', 'avg'],
  ['median', 'apercentile(column, 50)'],
  ['quantile', 'percentile'],
  ['len', 'length'],
  ['date_trunc', 'timetruncate'],
  ['time_bucket', 'INTERVAL'],
  ['delta', 'diff'],
  ['difference', 'diff'],
  ['non_negative_difference', 'diff(column, 1)'],
  ['deriv', 'derivative'],
  ['non_negative_derivative', 'rate, or derivative(column, 1s, 1)'],
  ['moving_average', 'mavg'],
  ['cumulative_sum', 'csum'],
]);

function lower(name: string): string {
  return name.toLowerCase();
}

function place(start: number | undefined, word: string): Place | undefined {
  return start === undefined ? undefined : { start, word };
}

/**
 * A function by its upper-case name; error 0x264D when there is none, with the place where it stands, 0x264F for
 * INTERP, which has plans of its own.
 */
export function findFunction(name: string, start?: number): FunctionSpec {
  const spec = functions.get(name);
  if (spec !== undefined) return spec;
  if (name === 'INTERP') {
    throw refuse(Codes.functionMixed, 'Some functions are allowed only in the SELECT list of a query: interp');
  }
  const called = name.toLowerCase();
  const other = elsewhere.get(called);
  const hint = other === undefined ? suggestion(called, functionNames.map(lower)) : ` (did you mean ${other}?)`;
  throw refuse(Codes.invalidFunctionName, `Invalid function name: ${called}${hint}`, place(start, called));
}

/** True when a name is an aggregate or a selection. */
export function isAggregate(name: string): boolean {
  const kind = functions.get(name)?.kind;
  return kind === 'aggregate' || kind === 'selection';
}

/** True when a name is a function that gives rows of its own. */
export function isSeries(name: string): boolean {
  return functions.get(name)?.kind === 'series';
}

/** True when a name is a function that gives 0 over no rows. */
export function isCountLike(name: string): boolean {
  const spec = functions.get(name);
  return spec?.kind === 'aggregate' && spec.countLike === true;
}

/** True when a name is a function whose result differs from one evaluation to the next. */
export function isRandom(name: string): boolean {
  const spec = functions.get(name);
  return spec?.kind === 'scalar' && spec.random === true;
}
