import { Codes, FaultError, fault } from '../model/fault.js';
import type { Statement } from '../sql/ast-statement.js';
import { parseStatement } from '../sql/parser/statement.js';

/** The head of an INSERT of rows. Rows are read by a scanner of their own, so their text need not be decoded to be parsed. */
const insertHeadBytes = 4096;
const insertOfRows =
  /^\s*insert\s+into\s+(?:(?:\w+|`[^`]+`)\s*\.\s*)?(?:\w+|`[^`]+`)\s*(?:\([^()]*\)\s*)?(?:using|values)\b/i;

/**
 * Parses a statement; of a long INSERT of rows only its kind is told, because those are read by a scanner of their own.
 * Everything else is refused with 0x0219 when it is longer than `maxBytes`. Throws FaultErrors.
 */
export function readStatement(text: Buffer, maxBytes: number): Statement {
  if (text.length > insertHeadBytes && insertOfRows.test(text.toString('latin1', 0, insertHeadBytes))) {
    return { kind: 'insert', offset: 0 };
  }
  const isTooLong = text.length > maxBytes;
  if (isTooLong && !/^\s*(?:insert|import)\s/i.test(text.toString('latin1', 0, 64))) throw tooLong();
  const statement = parseStatement(text.toString('utf8'));
  if (isTooLong && statement.kind !== 'insert') throw tooLong();
  return statement;
}

function tooLong(): FaultError {
  return new FaultError(fault('syntax', Codes.statementTooLong, 'SQL statement too long'));
}
