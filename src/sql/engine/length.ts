import { Codes, FaultError, fault } from '../../model/fault.js';

/**
 * Longest statement of the engine that a query may become: some functions are long expressions there, and the engine
 * takes seconds for as many of them as a query has room for.
 */
export const maxEngineChars = 8 * 1024 * 1024;

/**
 * Longest text of one expression, also where it holds lists of system tables, whose statements may be longer than
 * {@link maxEngineChars}: an expression that holds others several times doubles its text with each level.
 */
export const maxExpressionChars = 4 * maxEngineChars;

/** The error for a query that would be longer than {@link maxEngineChars}. */
export function tooLongForEngine(): FaultError {
  const text = `SQL statement too long: for the database it has more than ${maxEngineChars} characters`;
  return new FaultError(fault('syntax', Codes.statementTooLong, text));
}
