import { databaseOptions } from '../database/catalogue/database-options.js';
import { FaultError } from '../model/fault.js';
import { parseStatement } from '../sql/parser/statement.js';

/** Why a statement is invalid: its form, or an option of the database that it makes. Undefined for a valid one. */
export function statementMistake(sql: string): string | undefined {
  try {
    const statement = parseStatement(sql);
    if (statement.kind === 'create-database') databaseOptions(statement.options, undefined, sql);
    return undefined;
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message;
    throw error;
  }
}
