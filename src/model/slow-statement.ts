/** States of a statement. */
export const statementStates = ['running', 'done', 'failed'] as const;

/** A statement that takes, or took, long. */
export interface SlowStatement {
  /** Rises with every statement of this process. */
  readonly id: number;
  readonly user: string;
  /** The database of the address; null where it names none. */
  readonly database: string | null;
  /** The beginning of its text, without passwords. */
  readonly sql: string;
  readonly state: (typeof statementStates)[number];
  /** Unix ms. */
  readonly startTime: number;
  /** Until now while it runs, otherwise until its last row had left. */
  readonly durationMs: number;
  /** How much of that it waited for a slot. */
  readonly waitedMs: number;
  /** Why it failed. */
  readonly error: { readonly code: number; readonly desc: string } | null;
}

/** The statements of a process that count as slow. */
export interface SlowStatementList {
  /** How long a slow statement takes at least; 0 is: none is kept. */
  readonly thresholdMs: number;
  /** Those that run, the longest first; then the others, the newest first. */
  readonly records: readonly SlowStatement[];
}
