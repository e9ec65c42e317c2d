import { reasonOf } from '../../../model/fault.js';

const notEnoughSpace = 243;

/** A refusal in the engine's own words: number and name as in its list of error codes. */
export class EngineException extends Error {
  readonly code: number;
  constructor(code: number, name: string, message: string) {
    super(`Code: ${code}. DB::Exception: ${message} (${name})`);
    this.name = 'EngineException';
    this.code = code;
  }
}

/** Code and text of anything thrown while a request was served. */
interface ExceptionReply {
  readonly code: number;
  readonly status: number;
  /** `Code: N. DB::Exception: ... (NAME)` */
  readonly text: string;
}

/**
 * Turns a thrown value into the error that the client gets. Errors without an engine code become 1002
 * UNKNOWN_EXCEPTION.
 */
export function exceptionReply(error: unknown): ExceptionReply {
  const message = saidOnce(reasonOf(error));
  const code = codeOf(error, message);
  const text = /^Code: \d+\. /.test(message) ? message : `Code: ${code}. DB::Exception: ${message} (${nameOf(code)})`;
  return { code, status: statusOf(code), text: text.trimEnd() };
}

const isName = /^ \([A-Z\d_]+\)$/;
const isVersion = /^ \(version [^)]*\)\.?$/;

/** The engine wraps some of its errors in themselves, number, name and version again each time. */
function saidOnce(message: string): string {
  const [head] = /^Code: \d+\. DB::Exception: /.exec(message) ?? [];
  let start = 0;
  while (head !== undefined && message.startsWith(head, start + head.length)) start += head.length;
  let text = message.slice(start).trimEnd();
  const name = text.slice(text.lastIndexOf(' ('));
  while (isName.test(name)) {
    const before = text.slice(0, -name.length);
    const version = before.lastIndexOf(' (version ');
    if (!isVersion.test(before.slice(Math.max(0, version))) || !before.endsWith(name, version)) break;
    text = before.slice(0, version);
  }
  return text;
}

function nameOf(code: number): string {
  return code === notEnoughSpace ? 'NOT_ENOUGH_SPACE' : 'UNKNOWN_EXCEPTION';
}

function codeOf(error: unknown, message: string): number {
  if (error instanceof EngineException) return error.code;
  if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return notEnoughSpace;
  const written = /^Code: (\d+)\./.exec(message)?.[1];
  return written === undefined ? 1002 : Number(written);
}

const statusGroups: readonly (readonly [status: number, codes: readonly number[]])[] = [
  [401, [194]],
  [403, [192, 193, 511, 516]],
  // Wrong text, wrong types, wrong values.
  [400, [6, 15, 25, 26, 27, 34, 35, 36, 37, 38, 41, 42, 43, 44, 53, 62, 69, 70, 72, 117, 130, 131, 137]],
  [400, [152, 158, 167, 168, 376, 377, 386, 427, 441, 442, 455, 456, 457, 467, 636]],
  // Names the engine does not know: table, function, identifier, type, setting, database, format, role.
  [404, [45, 46, 47, 50, 56, 60, 63, 73, 81, 82, 83, 115, 178]],
  [413, [179]],
  [501, [48]],
  [503, [209, 76, 439, 236]],
  [411, [381]],
  [408, [159]],
];

const statuses = new Map(statusGroups.flatMap(([status, codes]) => codes.map((code) => [code, status] as const)));

/** HTTP status of an engine code, grouped as the engine's own HTTP interface groups them; 500 for all others. */
function statusOf(code: number): number {
  return statuses.get(code) ?? 500;
}
