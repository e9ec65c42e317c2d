import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Statement } from '../../sql/ast.js';

/** The user that every database begins with: the only one that manages users, and one that cannot be dropped. */
const administrator = 'root';

/** Statements about users. */
export type UserStatement = Extract<Statement, { kind: 'create-user' | 'alter-user' | 'drop-user' }>;

/** Lets the administrator do all but drop itself, and everybody else change the own password; throws 0x0303 otherwise. */
export function checkUserRight(statement: UserStatement, user: string): void {
  const own = statement.kind === 'alter-user' && statement.change === 'PASS' && statement.name.text === user;
  const dropsAdministrator = statement.kind === 'drop-user' && statement.name.text === administrator;
  if (!dropsAdministrator && (own || user === administrator)) return;
  throw new FaultError(fault('database', Codes.insufficientPrivilege, 'Insufficient privilege for operation'));
}

/** Checks a user name: a letter first, at most 23 bytes (SQL reference, users). */
export function checkedUserName(name: string): string {
  if (Buffer.byteLength(name) > 23)
    throw new FaultError(fault('syntax', Codes.nameTooLong, 'Name or password too long'));
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new FaultError(fault('auth', Codes.invalidUserFormat, 'Invalid user format'));
  }
  return name;
}

/** Checks a password: 8 to 255 bytes with three of upper case, lower case, digits and symbols. */
export function checkedPassword(password: string): string {
  const bytes = Buffer.byteLength(password);
  if (bytes > 255) throw new FaultError(fault('syntax', Codes.nameTooLong, 'Name or password too long'));
  if (bytes < 8) throw new FaultError(fault('syntax', Codes.passwordTooShort, 'Password too short or empty'));
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((pattern) => pattern.test(password));
  if (classes.length < 3) throw new FaultError(fault('auth', Codes.invalidPasswordFormat, 'Invalid password format'));
  return password;
}
