import test from 'ava';
import { FaultError } from '../../../src/model/fault.js';
import { parseStatement } from '../../../src/sql/parser/statement.js';
import { bare, faultOf, quoted, shapeOf } from '../../support/sql/syntax.js';

const shape = (text: string) => shapeOf(parseStatement(text));

test('reads CREATE USER with its options', (t) => {
  t.deepEqual(shape("create user Bob pass 'Ab!12345'"), {
    kind: 'create-user',
    name: bare('bob'),
    ifNotExists: false,
    password: 'Ab!12345',
    options: {},
  });
  t.deepEqual(shape("create user if not exists bob pass 'p' sysinfo 0 createdb 1 host '10.0.0.1','10.1.0.0/16'"), {
    kind: 'create-user',
    name: bare('bob'),
    ifNotExists: true,
    password: 'p',
    options: { SYSINFO: '0', CREATEDB: '1', HOST: '10.0.0.1,10.1.0.0/16' },
  });
});

test('reads every change of a user', (t) => {
  const changes: Record<string, [string, string]> = {
    "pass 'x'": ['PASS', 'x'],
    'enable 0': ['ENABLE', '0'],
    'sysinfo 1': ['SYSINFO', '1'],
    'createdb 1': ['CREATEDB', '1'],
    "add host '1.1.1.1'": ['ADD HOST', '1.1.1.1'],
    "drop host '1.1.1.1', '2.2.2.2'": ['DROP HOST', '1.1.1.1,2.2.2.2'],
  };
  for (const [source, [change, value]] of Object.entries(changes)) {
    const changed = { kind: 'alter-user', name: bare('bob'), changes: { [change]: value } };
    t.deepEqual(shape(`alter user bob ${source}`), changed);
  }
  t.deepEqual(shape("alter user bob enable 1 sysinfo 0 pass 'x' drop host '1.1.1.1'"), {
    kind: 'alter-user',
    name: bare('bob'),
    changes: { ENABLE: '1', SYSINFO: '0', PASS: 'x', 'DROP HOST': '1.1.1.1' },
  });
  t.is(faultOf('alter user bob').code, 0x2601);
});

test('limits of users that there are not are refused by name', (t) => {
  for (const limit of ['changepass 1', 'session_per_user 5', 'connect_time unlimited', "not_allow_host '1.1.1.1'"]) {
    for (const head of ["create user bob pass 'p' enable 1", 'alter user bob sysinfo 1']) {
      const { code, message } = faultOf(`${head} ${limit}`);
      t.is(code, 0x0100);
      t.true(message.includes(`${limit.split(' ')[0]?.toUpperCase()} of a user`), message);
    }
  }
  t.is(faultOf("alter user bob add allow_datetime 'MON 08:00 120'").code, 0x0100);
});

test('reads GRANT and REVOKE of every scope', (t) => {
  const user = bare('bob');
  const cases: Record<string, unknown> = {
    'grant all on *.* to bob': { kind: 'grant', rights: ['ALL'], database: undefined, table: undefined, user },
    'grant read, write on d.* to Bob': {
      kind: 'grant',
      rights: ['READ', 'WRITE'],
      database: bare('d'),
      table: undefined,
      user,
    },
    'revoke alter, subscribe on `D`.t from bob;': {
      kind: 'revoke',
      rights: ['ALTER', 'SUBSCRIBE'],
      database: quoted('D'),
      table: bare('t'),
      user,
    },
    'grant all privileges on d.* to bob': {
      kind: 'grant',
      rights: ['ALL'],
      database: bare('d'),
      table: undefined,
      user,
    },
  };
  for (const [source, expected] of Object.entries(cases)) t.deepEqual(shape(source), expected, source);
});

test('refuses rights of the wrong shape, and names those that are not available', (t) => {
  t.is(faultOf('grant read on d.* from bob').code, 0x2600);
  t.is(faultOf('revoke read on d.* to bob').code, 0x2600);
  t.is(faultOf('grant read on *.t to bob').code, 0x2600);
  t.is(faultOf('grant on d.* to bob').code, 0x2600);
  t.is(faultOf('grant read on d.*').code, 0x2601);
  t.is(
    faultOf('grant read on topic1 to bob').message,
    'Operation not supported: rights on topics other than SUBSCRIBE',
  );
  t.is(faultOf('revoke reader from bob').message, 'Operation not supported: roles');
});

test('never repeats a password in an error', (t) => {
  for (const source of [
    "create user bob password 'secret'",
    "alter user bob pass 'secret' 'secret'",
    "create user bob pass 'secret",
    'create user bob pass secret',
    'create user bob secret',
    'alter user bob pass secret',
    'alter user bob secret',
  ]) {
    const { code, message } = faultOf(source);
    t.is(code, 0x2600);
    t.false(message.toLowerCase().includes('secret'), message);
    t.regex(message, /write PASS '…'/);
  }
});

test('a password in a statement behind another one is not repeated', (t) => {
  for (const text of ["SELECT 1; CREATE USER u PASS 'Ab!12345'", "EXPLAIN CREATE USER u PASS 'Ab!12345'"]) {
    const error = t.throws(() => parseStatement(text), { instanceOf: FaultError });
    t.notRegex(error?.message ?? '', /Ab!/);
  }
});

test('a bad name of a user is called so, at its place, and the password is not repeated', (t) => {
  for (const text of [
    "CREATE USER 1abc PASS 'Ab!12345'",
    "CREATE USER rötchen PASS 'Ab!12345'",
    "ALTER USER 1abc PASS 'x'",
  ]) {
    const error = t.throws(() => parseStatement(text), { instanceOf: FaultError });
    t.is(error?.fault.place?.start, text.indexOf('USER') + 5);
    t.regex(error?.message ?? '', /no name of a user/);
    t.notRegex(error?.message ?? '', /Ab!/);
  }
});
