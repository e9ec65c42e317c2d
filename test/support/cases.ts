import { longVariable } from '../../tools/tests/places.js';

/**
 * How many cases a test draws or goes through: some in every run, all in a file `<name>.long.test.ts`, which imports the test
 * once more and runs with `npm run test:long`.
 */
export function cases(some: number, all: number): number {
  return isLong ? all : some;
}

/** True in a file that takes long. */
export const isLong = process.env[longVariable] !== undefined;

/** Of all cases every `nth` one, or all of them in a file that takes long. */
export function every<T>(nth: number, list: readonly T[]): readonly T[] {
  return isLong ? list : list.filter((_, at) => at % nth === 0);
}
