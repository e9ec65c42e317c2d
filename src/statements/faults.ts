import { isStaleSchema } from '../database/store/stale-schema.js';
import type { SqlRequest } from '../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../model/fault.js';
import { withPlace } from '../sql/syntax/place.js';

const tooDeep = fault('syntax', Codes.syntaxError, 'The statement is nested too deeply');

/** Codes of refusals before anything is written, when a statement and the table's columns do not fit. */
const schemaCodes: ReadonlySet<number> = new Set([
  Codes.invalidColumnName,
  Codes.illegalColumnCount,
  Codes.tagsNotMatched,
  Codes.invalidTagName,
  Codes.valueTooLong,
]);

/**
 * The same error, with line and column of the mistake where they are known, or as what it means. The error of a
 * statement that lacks a database names the missing database of its URL.
 */
export function placed(error: unknown, { statement, database }: Pick<SqlRequest, 'statement' | 'database'>): unknown {
  if (isTooDeep(error)) return new FaultError(tooDeep);
  if (!(error instanceof FaultError)) return error;
  const { code, message, place } = error.fault;
  if (place !== undefined) return new FaultError(withPlace(error.fault, statement.toString('utf8')));
  if (code !== Codes.databaseNotSpecified || database === undefined) return error;
  return new FaultError({ ...error.fault, message: `${message}: there is no database ${database}` });
}

/** A tree of a statement may be deeper than the stack although each of its parts is within its limits. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** True for what a statement is refused with that was read with an older schema than there is. */
export function isOutOfDate(failure: Fault): boolean {
  return schemaCodes.has(failure.code) || isStaleSchema(failure);
}
