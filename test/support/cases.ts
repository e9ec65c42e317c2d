import { allVariable, longVariable } from '../../tools/tests/places.js';

/**
 * How many cases a test draws or goes through: some in every run, more in a file `<name>.long.test.ts`, which imports the test
 * once more and runs with `npm run test:long`, and all where that file runs with `--all`.
 */
export function cases(some: number, more: number, all = more): number {
  if (!isLong) return some;
  return takesAll ? all : more;
}

/** The same for a test that only a file `<name>.long.test.ts` has. */
export function moreCases(more: number, all: number): number {
  return takesAll ? all : more;
}

/** True where files that take long are to take as long as it takes. */
const takesAll = process.env[allVariable] !== undefined;

/** True in a file that takes long. */
export const isLong = process.env[longVariable] !== undefined;

/** Of all cases every `nth` one; in a file that takes long each. */
export function every<T>(nth: number, list: readonly T[]): readonly T[] {
  const step = cases(nth, 1);
  return list.filter((_, at) => at % step === 0);
}

/** How tests are declared where they are not to run. */
function leftOut(..._test: readonly unknown[]): void {}

/** What declares a test that takes long: it runs with all cases, in the file `<name>.long.test.ts`. */
export function whenLong<Declare extends (title: string, ...rest: never[]) => void>(
  declare: Declare,
): Declare | typeof leftOut {
  return isLong ? declare : leftOut;
}

/** What declares a test that takes no long, and has no more cases for the file that takes long. */
export function whenBrief<Declare extends (title: string, ...rest: never[]) => void>(
  declare: Declare,
): Declare | typeof leftOut {
  return isLong ? leftOut : declare;
}
