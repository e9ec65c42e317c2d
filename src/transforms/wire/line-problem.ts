import type { Fault } from '../../model/fault.js';
import { Codes, fault } from '../../model/fault.js';

/** Longest piece of a line that a message repeats, in bytes. */
const maxExcerptBytes = 48;
/** Longest piece of a rejected row that its sender is shown, in bytes. */
const maxRowText = 1024;

/** Fault of a line: `at` is a position in the text, `message` the first part of a sentence. */
export interface LineProblem {
  readonly at: number;
  readonly code: number;
  readonly message: string;
}

/** A problem with the wire code of a schemaless line that does not follow the grammar. */
export function badLine(at: number, message: string): LineProblem {
  return { at, code: Codes.schemalessData, message };
}

/** The bytes `[start, end)` in quotes, shortened, control characters escaped, for a message. */
export function excerpt(bytes: Uint8Array, start: number, end: number): string {
  const shown = Math.min(end, start + maxExcerptBytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, shown - start)).toString();
  return JSON.stringify(shown < end ? `${text}...` : text);
}

/**
 * The bytes `[start, end)` of a rejected row without the blanks around them, for its sender; cut off where they are
 * long.
 */
export function rowText(bytes: Uint8Array, start: number, end: number): string {
  const shown = Math.min(end, start + maxRowText);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, shown - start)
    .toString()
    .trim();
  return shown < end ? `${text}...` : text;
}

/** The fault of a rejected line; `column` counts bytes from 1. */
export function problemFault(problem: LineProblem, lineStart: number): Fault {
  return fault('parameter', problem.code, `${problem.message} (column ${Math.max(0, problem.at - lineStart) + 1})`);
}
