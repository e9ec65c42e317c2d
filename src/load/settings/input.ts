import type { Precision } from '../../model/schema.js';

/** A line for the person who started the load tool; none of them stops the run. */
export interface LoadNote {
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
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
  /** True when there is a file. */
  readonly hasFile: (path: string) => boolean;
  /** Ticks of timestamp text, local where it has no zone; undefined when it is none. */
  readonly parseTime: (text: string, precision: Precision) => bigint | undefined;
  /** Why a statement is invalid: its form, or an option of the database that it makes. Undefined for a valid one. */
  readonly sqlMistake: (sql: string) => string | undefined;
  /** A new text of 15 letters and digits, for consumer groups without a name. */
  readonly randomName: () => string;
}

export function warning(text: string): LoadNote {
  return { level: 'warn', text };
}
