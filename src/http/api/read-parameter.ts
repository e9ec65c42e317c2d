import type { Fault } from '../../model/fault.js';
import { parameterFault } from '../request/parameters.js';
import type { IntegerParameter, Parameter, TextParameter, WordParameter } from './description.js';

const decimal = /^-?[0-9]{1,16}$/;

/** The description's default, or undefined, where the parameter is left out; a fault names it and what is allowed. */
export function readInteger(query: URLSearchParams, parameter: IntegerParameter): number | undefined | Fault {
  const { minimum, maximum, default: fallback } = parameter.schema;
  const text = single(query, parameter);
  if (text === undefined) return typeof fallback === 'number' ? fallback : undefined;
  if (typeof text === 'object') return text;
  const value = decimal.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  return illegal(parameter, `a whole number from ${minimum} to ${maximum}`, text);
}

/** One of the parameter's words, or undefined where it is left out. */
export function readWord<W extends string>(query: URLSearchParams, parameter: WordParameter<W>): W | undefined | Fault {
  const text = single(query, parameter);
  if (text === undefined || typeof text !== 'string') return text;
  const words = parameter.schema.enum;
  return words.find((word) => word === text) ?? illegal(parameter, `one of ${words.join(', ')}`, text);
}

/** A text that is not empty, or undefined where the parameter is left out. */
export function readText(query: URLSearchParams, parameter: TextParameter): string | undefined | Fault {
  const text = single(query, parameter);
  if (text === undefined || typeof text !== 'string') return text;
  const { maxLength } = parameter.schema;
  if (text.length > 0 && text.length <= maxLength) return text;
  return illegal(parameter, `a text of 1 to ${maxLength} characters`, text);
}

/** The parameter's one value; undefined where it is left out, a fault where it comes more than once. */
function single(query: URLSearchParams, { name }: Parameter): string | undefined | Fault {
  const values = query.getAll(name);
  if (values.length > 1) return parameterFault(`parameter ${name} is given ${values.length} times, it may come once`);
  return values[0];
}

/** As much of a bad value as an answer repeats. */
const shownCharacters = 64;

function illegal({ name }: Parameter, allowed: string, text: string): Fault {
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  return parameterFault(`parameter ${name} must be ${allowed}, not ${JSON.stringify(shown)}`);
}
