import { join } from 'node:path';

/** The directory of the repository; the compiled file lies in `build/tools/tests`. */
export const root = join(import.meta.dirname, '../../..');

/** The entry files and settings that the runner writes for AVA. */
export const generated = join(root, 'build/shared-tests');

/** Environment variable that names the file in which the processes of the tests record each {@link Step}, one JSON text per line. */
export const recordVariable = 'TEST_RECORD';

/** A test file that has begun in a process. */
interface Begun {
  /** As `e2e/lineproto`. */
  readonly file: string;
}

/** A test file that has ended in a process. */
export interface Ended extends Begun {
  readonly seconds: number;
  /** Processor time of the tests and of the processes they started and waited for, in seconds. */
  readonly processorSeconds: number;
}

export type Step = Begun | Ended;

/** Environment variable that is set where a test file takes long. */
export const longVariable = 'TEST_LONG';

/** Environment variable that is set where files that take long take all of their cases. */
export const allVariable = 'TEST_ALL_CASES';

/** Title of what stands in place of a test file for which no time is left. */
export const leftOutTitle = 'all of its tests';

/** Environment variable with the time, in ms since 1970, from which on no more files begin. */
export const deadlineVariable = 'TEST_DEADLINE';
