import test from 'ava';
import { Codes, FaultError } from '../../../src/model/fault.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { type UserStatement, userRight } from '../../../src/statements/users/user-statements.js';

function userStatement(text: string): UserStatement {
  const statement = parseStatement(text);
  switch (statement.kind) {
    case 'create-user':
    case 'alter-user':
    case 'drop-user':
      return statement;
    default:
      throw new Error(`${text} is not about a user`);
  }
}

const refusals: readonly number[] = [Codes.insufficientPrivilege, Codes.invalidAlterOperation];

function isAllowed(user: string, text: string): boolean {
  try {
    userRight(userStatement(text), { access: { user } });
    return true;
  } catch (error) {
    if (error instanceof FaultError && refusals.includes(error.fault.code)) return false;
    throw error;
  }
}

test('the administrator manages every user, but cannot be dropped', (t) => {
  t.true(isAllowed('root', "CREATE USER bob PASS 'Secret_12'"));
  t.true(isAllowed('root', "ALTER USER bob PASS 'Secret_13'"));
  t.false(isAllowed('root', "ALTER USER root PASS 'Secret_13' ENABLE 0"));
  t.false(isAllowed('bob', "ALTER USER bob PASS 'Secret_13' CREATEDB 1"));
  t.true(isAllowed('root', "ALTER USER root PASS 'Secret_13'"));
  t.true(isAllowed('root', 'DROP USER bob'));
  t.false(isAllowed('root', 'DROP USER root'));
});

test('any other user changes the own password and nothing else about users', (t) => {
  t.true(isAllowed('bob', "ALTER USER bob PASS 'Secret_13'"));
  t.false(isAllowed('bob', "ALTER USER root PASS 'Secret_13'"));
  t.false(isAllowed('bob', "ALTER USER eve PASS 'Secret_13'"));
  t.false(isAllowed('bob', 'ALTER USER bob CREATEDB 1'));
  t.false(isAllowed('bob', "CREATE USER eve PASS 'Secret_12'"));
  t.false(isAllowed('bob', 'DROP USER IF EXISTS bob'));
  t.false(isAllowed('bob', 'DROP USER root'));
});
