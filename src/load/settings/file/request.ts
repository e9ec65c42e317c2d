import type { Precision } from '../../../model/schema.js';
import type { LoadScenario } from '../../model/scenario.js';

/** A line for the person who started the load tool; none of them stops the run. */
export interface LoadNote {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

/**
 * Request to the load tool. `notes` are shown in every case, before anything else.
 * - `run`: a scenario, complete and checked.
 * - `print`: a text for stdout; the exit code is 0.
 * - `refused`: lines for stderr and the exit code: 64 for a wrong command line, 1 for a wrong file.
 */
export type LoadRequest = { readonly notes: readonly LoadNote[] } & (
  | { readonly outcome: 'run'; readonly scenario: LoadScenario }
  | { readonly outcome: 'print'; readonly text: string }
  | LoadRefusal
);

export interface LoadRefusal {
  readonly outcome: 'refused';
  readonly lines: readonly string[];
  readonly exitCode: 1 | 64;
}

/** Everything around the load tool that its request depends on. */
export interface LoadInput {
  readonly program: string;
  readonly version: string;
  /** Without the interpreter and the script. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds: what `now` means in this run. */
  readonly nowMs: number;
  /** Text of a file; throws what the file system says. */
  readonly readFile: (path: string) => string;
  /** Ticks of timestamp text, local where it has no zone; undefined when it is none. */
  readonly parseTime: (text: string, precision: Precision) => bigint | undefined;
  /** Why a statement can be none, in words; undefined when its form is right, and the options of a database that it makes. */
  readonly sqlMistake: (sql: string) => string | undefined;
  /** A new text of 15 letters and digits, for consumer groups without a name. */
  readonly randomName: () => string;
}

export function warning(text: string): LoadNote {
  return { level: 'warn', text };
}

export function information(text: string): LoadNote {
  return { level: 'info', text };
}
