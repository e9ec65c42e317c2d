import { FaultError } from '../../model/fault.js';
import type { ExactJson } from '../../text/exact-json.js';
import { parameterFault } from '../request/parameters.js';

const uint64Max = 2n ** 64n - 1n;

/**
 * The `args` of a request. Every reader throws a FaultError that names the argument when its value is of another type.
 */
export class Arguments {
  readonly #values: { readonly [name: string]: ExactJson | undefined };

  constructor(values: { readonly [name: string]: ExactJson | undefined }) {
    this.#values = values;
  }

  /** Names of all that came. */
  names(): readonly string[] {
    return Object.keys(this.#values);
  }

  /** The value as it came; undefined where there is none or null. */
  value(name: string): ExactJson | undefined {
    return this.#values[name] ?? undefined;
  }

  /** A text; the fallback, or an error without one, where there is none. */
  text(name: string, fallback?: string): string {
    const value = this.value(name) ?? fallback;
    if (typeof value !== 'string') throw badArgument(name, 'a text');
    return value;
  }

  /** An unsigned 64-bit integer, 0 where there is none. Clients send it as a number, or as its digits. */
  id(name: string): bigint {
    const value = this.value(name) ?? 0;
    const id = typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : value;
    if (typeof id === 'bigint' && id >= 0n && id <= uint64Max) return id;
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) throw badArgument(name, 'an unsigned integer');
    return BigInt(id);
  }

  /** A signed 64-bit integer, which must be there. Clients send it as a number, or as its digits. */
  signed(name: string): bigint {
    const value = this.value(name);
    const isExact = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
    const isDigits = typeof value === 'string' && /^-?\d{1,19}$/.test(value);
    const number = isExact || isDigits ? BigInt(value) : undefined;
    if (number === undefined || BigInt.asIntN(64, number) !== number) throw badArgument(name, 'an integer');
    return number;
  }

  /** A whole number that a JavaScript number holds exactly; the fallback where there is none. */
  integer(name: string, fallback: number): number {
    const value = this.value(name) ?? fallback;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw badArgument(name, 'an integer');
    return value;
  }

  /** A switch, false where there is none. */
  flag(name: string): boolean {
    const value = this.value(name) ?? false;
    if (typeof value !== 'boolean') throw badArgument(name, 'true or false');
    return value;
  }

  /** A list, empty where there is none. */
  list(name: string): readonly ExactJson[] {
    const value = this.value(name) ?? [];
    if (!Array.isArray(value)) throw badArgument(name, 'a list');
    return value;
  }

  /** The members of an object, none where there is none. */
  members(name: string): Arguments {
    const value = this.value(name) ?? {};
    if (!isObject(value)) throw badArgument(name, 'an object');
    return new Arguments(value);
  }
}

/** True for a JSON object. */
export function isObject(value: ExactJson | undefined): value is { readonly [name: string]: ExactJson | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error of an argument that is not what an action needs. */
function badArgument(name: string, expected: string): FaultError {
  return new FaultError(parameterFault(`args.${name} must be ${expected}`));
}
