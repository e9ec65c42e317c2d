import type { Fault } from './fault.js';

/** Rows of a text that was answered, which the catalogue as it is now does not let be written. */
export interface RefusedRows {
  /** The table as the text names it; left out where it is not known. */
  readonly table?: string;
  readonly rows: number;
  /** Why the first of them are refused. */
  readonly fault: Fault;
}
