import type { UserChange } from '../../database/catalogue/operations.js';
import type { UserDef } from '../../database/catalogue/principals.js';
import { type Access, insufficientPrivilege } from '../../database/catalogue/rights.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import { invalidParameters, noTable, notSupported, refusals } from '../../model/refusals.js';
import { administrator, everyDatabase, type Right, rights } from '../../model/rights.js';
import type { TableDef } from '../../model/schema.js';
import { columnsIn } from '../../sql/resolve/mentioned.js';
import type { Expression } from '../../sql/syntax/ast.js';
import type { StatementOf } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, findTable, knownDatabase, submit } from '../definitions/context.js';
import { normalizedHost } from './allowed-hosts.js';
import { hashPassword } from './password-hash.js';
import { isToggle } from './toggle.js';

/** Statements about users and their rights. */
export type UserStatement = StatementOf<'create-user' | 'alter-user' | 'drop-user' | 'grant' | 'revoke'>;

/**
 * Lets the administrator do all but drop or restrict itself, and every other user change its own password; throws
 * 0x0303 otherwise. The administrator's rights neither grow nor shrink: ALTER USER of it with anything but PASS is
 * 0x0356.
 */
export function userRight(
  statement: UserStatement,
  { access: { user } }: { readonly access: Pick<Access, 'user'> },
): void {
  const own = statement.kind === 'alter-user' && changesPasswordAlone(statement) && statement.name.text === user;
  if (own) return;
  if (user !== administrator) throw insufficientPrivilege();
  if (!harmsAdministrator(statement)) return;
  if (statement.kind !== 'alter-user') throw insufficientPrivilege();
  throw new FaultError(invalidAlter(`of ${administrator} only the password can change`));
}

function invalidAlter(reason: string): Fault {
  return fault('database', Codes.invalidAlterOperation, `Invalid alter operation: ${reason}`);
}

function harmsAdministrator(statement: UserStatement): boolean {
  switch (statement.kind) {
    case 'grant':
    case 'revoke':
      return statement.user.text === administrator;
    case 'drop-user':
      return statement.name.text === administrator;
    case 'alter-user':
      return statement.name.text === administrator && !changesPasswordAlone(statement);
    default:
      return false;
  }
}

function changesPasswordAlone({ changes }: StatementOf<'alter-user'>): boolean {
  return Object.keys(changes).every((change) => change === 'PASS');
}

/** CREATE USER; throws FaultErrors, as all statements about users. */
export async function createUser(statement: StatementOf<'create-user'>, context: DefinitionContext): Promise<void> {
  const { name, ifNotExists, password, options } = statement;
  const passwordHash = await hashPassword(checkedPassword(password), context.user);
  const created = { op: 'create-user', name: checkedUserName(name.text), ...changeOf(options), passwordHash } as const;
  await submit(context, created, ifNotExists ? Codes.userAlreadyExists : undefined);
}

/** ALTER USER. */
export async function alterUser({ name, changes }: StatementOf<'alter-user'>, context: DefinitionContext) {
  const { PASS: password } = changes;
  const passwordHash = password === undefined ? undefined : await hashPassword(checkedPassword(password), context.user);
  const change = changeOf(changes, invalidAlter);
  const { addHosts = [], dropHosts = [] } = change;
  await context.catalogue.sync();
  const user = context.catalogue.principals.user(name.text);
  const hosts = user === undefined ? {} : { dropHosts: checkedHostChange(user, addHosts, dropHosts) };
  const changed = { ...change, ...hosts, ...(passwordHash === undefined ? {} : { passwordHash }) };
  await submit(context, { op: 'alter-user', name: name.text, ...changed });
}

/** DROP USER. */
export function dropUser({ name, ifExists }: StatementOf<'drop-user'>, context: DefinitionContext): Promise<void> {
  return submit(context, { op: 'drop-user', name: name.text }, ifExists ? Codes.userNotExist : undefined);
}

/** GRANT and REVOKE of rights on tables. */
export async function changeRights(
  { kind, rights: names, database, table, condition, user }: StatementOf<'grant'>,
  context: DefinitionContext,
): Promise<void> {
  const named: readonly Right[] = names.includes('ALL') ? rights : rights.filter((right) => names.includes(right));
  if (condition !== undefined && named.some((right) => right !== 'READ')) {
    throw new FaultError(notSupported('a condition on tags of a right other than READ'));
  }
  if (database !== undefined && kind === 'grant') {
    const holder = await knownDatabase(context, database.text);
    const def = table && (await findTable(context, holder, table.text));
    if (condition !== undefined) checkCondition(condition.value, def);
    if (table !== undefined && def === undefined) {
      const isSubTable = (await context.subTables.lookUp(holder, [table.text])).has(table.text);
      if (!isSubTable) throw new FaultError(noTable(table.text));
    }
  }
  const scope = database?.text ?? everyDatabase;
  const change = { op: kind, user: user.text, rights: named, scope, table: table?.text, condition: condition?.text };
  await submit(context, change);
}

/** A condition is about the tags of a super table, and its sub-tables' names. */
function checkCondition(condition: Expression, table: TableDef | undefined): void {
  if (table?.kind !== 'super') throw new FaultError(refusals.stableNotExist);
  for (const { table: qualifier, name } of columnsIn(condition)) {
    const isOwn = qualifier === undefined || qualifier.text === table.name;
    if (!isOwn || (name.text !== 'tbname' && !table.tags.some((tag) => tag.name === name.text))) {
      throw new FaultError(fault('database', Codes.invalidTagName, `Invalid tag name: ${name.text}`));
    }
  }
}

/** Options of CREATE USER, and changes of ALTER USER, by their words. */
function changeOf(options: Readonly<Record<string, string>>, refuse?: (reason: string) => Fault): UserChange {
  const { SYSINFO, CREATEDB, ENABLE, HOST } = options;
  const addHosts = HOST ?? options['ADD HOST'];
  const dropHosts = options['DROP HOST'];
  return {
    ...(SYSINFO === undefined ? {} : { sysinfo: isToggle('SYSINFO', SYSINFO, refuse) }),
    ...(CREATEDB === undefined ? {} : { createDatabase: isToggle('CREATEDB', CREATEDB, refuse) }),
    ...(ENABLE === undefined ? {} : { enabled: isToggle('ENABLE', ENABLE, refuse) }),
    ...(addHosts === undefined ? {} : { addHosts: checkedHosts(addHosts) }),
    ...(dropHosts === undefined ? {} : { dropHosts: checkedHosts(dropHosts) }),
  };
}

const maxHosts = 1000;

function checkedHosts(text: string): readonly string[] {
  return text.split(',').map((written) => {
    const host = normalizedHost(written);
    if (host !== undefined) return host;
    const what = 'HOST is a list of addresses such as 10.0.0.1 or of networks such as 10.0.0.0/8';
    throw new FaultError(invalidParameters(`${what}, not '${written}'`));
  });
}

/**
 * The entries of a user's list that DROP HOST names, as the list has them. Throws 0x0356 when the list lacks one of
 * them, and when none would be left: a user without a list may call from everywhere.
 */
function checkedHostChange(
  { hosts }: UserDef,
  added: readonly string[],
  dropped: readonly string[],
): readonly string[] {
  const missing = dropped.find((drop) => !hosts.some((host) => normalizedHost(host) === drop));
  if (missing !== undefined) throw new FaultError(invalidAlter(`the user has no HOST '${missing}'`));
  const drops = hosts.filter((host) => dropped.includes(normalizedHost(host) ?? host));
  const count = hosts.length - drops.length + added.length;
  if (count === 0 && dropped.length > 0) {
    const remedy = "ADD HOST '0.0.0.0/0', '::/0' first if the user may call from everywhere";
    throw new FaultError(invalidAlter(`this is the last HOST of the user; ${remedy}`));
  }
  if (count > maxHosts) throw new FaultError(invalidAlter(`a user has at most ${maxHosts} HOST`));
  return drops;
}

/** Checks a user name: a letter first, at most 23 bytes. */
function checkedUserName(name: string): string {
  if (Buffer.byteLength(name) > 23) throw new FaultError(refusals.nameTooLong);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new FaultError(fault('database', Codes.invalidUserFormat, 'Invalid user format'));
  }
  return name;
}

/** Checks a password: 8 to 255 bytes with three of upper case, lower case, digits and symbols. */
function checkedPassword(password: string): string {
  const bytes = Buffer.byteLength(password);
  if (bytes > 255) throw new FaultError(refusals.nameTooLong);
  if (bytes < 8)
    throw new FaultError(
      fault('syntax', Codes.passwordTooShort, 'Password too short or empty: at least 8 bytes are needed'),
    );
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((pattern) => pattern.test(password));
  if (classes.length < 3) throw new FaultError(fault('auth', Codes.invalidPasswordFormat, 'Invalid password format'));
  return password;
}
