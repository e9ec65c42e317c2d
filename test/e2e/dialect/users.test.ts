import test from 'ava';
import { basicOf } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

const denied = 0x0303;

test('a user who is not root cannot take over the service, but changes the own password', async (t) => {
  await service.run("CREATE USER bob PASS 'Secret_12'");
  const asBob = { auth: basicOf('bob', 'Secret_12') };
  const forbidden = [
    "ALTER USER root PASS 'Hacked_12'",
    "CREATE USER eve PASS 'Secret_12'",
    'ALTER USER bob CREATEDB 1',
    'ALTER USER bob ENABLE 1',
    'GRANT ALL ON *.* TO bob',
    'REVOKE ALL ON *.* FROM root',
    'CREATE TOKEN stolen FROM USER root',
    'CREATE DATABASE mine',
    'DROP USER bob',
    'DROP USER root',
  ];
  for (const statement of forbidden) t.is((await service.sql(statement, asBob)).body.code, denied, statement);
  t.is((await service.sql("ALTER USER bob PASS 'Changed_12'", asBob)).body.code, 0);
  t.is((await service.sql('SHOW DATABASES', asBob)).status, 401);
  t.is((await service.sql('SHOW DATABASES', { auth: basicOf('bob', 'Changed_12') })).body.code, 0);
  t.is((await service.sql('SHOW DATABASES')).body.code, 0);
});

statements('users are made, changed and dropped under the rules of their names and passwords', service, undefined, [
  { sql: "CREATE USER Carl PASS 'Secret_12' SYSINFO 0 CREATEDB 1 ENABLE 1 HOST '10.0.0.0/8','::1'", affected: 0 },
  { sql: "CREATE USER carl PASS 'Secret_12'", error: 0x0350, says: 'User already exists' },
  { sql: "CREATE USER IF NOT EXISTS carl PASS 'Secret_12'", affected: 0 },
  { sql: "CREATE USER c2 PASS 'Secret_12' HOST 'everywhere'", error: 0x0118, says: 'HOST' },
  { sql: "CREATE USER c2 PASS 'Secret_12' SYSINFO 2", error: 0x0118, says: 'SYSINFO is 0 or 1' },
  { sql: `CREATE USER ${'c'.repeat(24)} PASS 'Secret_12'`, error: 0x2610 },
  { sql: `CREATE USER ${'c'.repeat(23)} PASS 'Secret_12'`, affected: 0 },
  { sql: "CREATE USER `2c` PASS 'Secret_12'", error: 0x0352 },
  { sql: "CREATE USER c2 PASS 'Short_1'", error: 0x2611 },
  { sql: `CREATE USER c2 PASS '${'Long_1'.repeat(43)}'`, error: 0x2610 },
  { sql: "CREATE USER c2 PASS 'onlylowercase'", error: 0x0353 },
  { sql: "ALTER USER carl ADD HOST '192.168.0.1'", affected: 0 },
  { sql: "ALTER USER carl DROP HOST '::1'", affected: 0 },
  { sql: "ALTER USER carl SYSINFO 0 CREATEDB 1 PASS 'Changed_13'", affected: 0 },
  { sql: "SELECT sysinfo, createdb FROM information_schema.ins_users WHERE name = 'carl'", rows: [[0, 1]] },
  { sql: 'ALTER USER carl SYSINFO 1 CREATEDB 0', affected: 0 },
  { sql: 'ALTER USER carl CONNECT_TIME 10', error: 0x0100, says: 'CONNECT_TIME' },
  { sql: 'ALTER USER carl ENABLE 0', affected: 0 },
  { sql: 'ALTER USER nobody ENABLE 0', error: 0x0351, says: 'Invalid user' },
  { sql: 'ALTER USER root ENABLE 0', error: 0x0356, says: 'only the password' },
  { sql: 'ALTER USER root SYSINFO 0', error: 0x0356 },
  { sql: 'ALTER USER carl ENABLE 7', error: 0x0356, says: 'ENABLE is 0 or 1' },
  { sql: 'GRANT READ ON *.* TO root', error: denied },
  { sql: 'GRANT READ ON *.* TO nobody', error: 0x0351 },
  { sql: 'GRANT READ ON nowhere.* TO carl', error: 0x0388 },
  { sql: 'GRANT READ ON topic1 TO carl', error: 0x0100, says: 'rights on topics' },
  { sql: 'GRANT reader TO carl', error: 0x0100, says: 'roles' },
  { sql: 'GRANT SELECT ON *.* TO carl', error: 0x2600 },
  { sql: 'DROP USER root', error: denied },
  { sql: 'DROP USER carl', affected: 0 },
  { sql: 'DROP USER carl', error: 0x0351 },
  { sql: 'DROP USER IF EXISTS carl', affected: 0 },
]);

test('every error of users is 401, also where the statement is about another user', async (t) => {
  await service.run("CREATE USER twin PASS 'Secret_12'");
  const refused = {
    "CREATE USER twin PASS 'Secret_12'": 0x0350,
    'ALTER USER nobody ENABLE 0': 0x0351,
    "CREATE USER `a b` PASS 'Secret_12'": 0x0352,
    "CREATE USER c3 PASS 'onlylowercase'": 0x0353,
    'ALTER USER root ENABLE 0': 0x0356,
  };
  for (const [statement, code] of Object.entries(refused)) {
    const { status, body } = await service.sql(statement);
    t.deepEqual([status, body.code], [401, code], statement);
  }
});

test('a disabled user is refused at once, and let in again when enabled', async (t) => {
  await service.run("CREATE USER dora PASS 'Secret_12'");
  const asDora = { auth: basicOf('dora', 'Secret_12') };
  t.is((await service.sql('SELECT 1', asDora)).body.code, 0);
  await service.run('ALTER USER dora ENABLE 0');
  const { status, body } = await service.sql('SELECT 1', asDora);
  t.deepEqual([status, body.code], [401, 0x0315]);
  t.is((await service.sql('SELECT 1', { auth: basicOf('dora', 'Secret_13') })).body.code, 0x0357);
  await service.run('ALTER USER dora ENABLE 1');
  t.is((await service.sql('SELECT 1', asDora)).body.code, 0);
  await service.run('DROP USER dora');
  t.is((await service.sql('SELECT 1', asDora)).body.code, 0x0357);
});

test('SHOW USERS and SHOW USER PRIVILEGES show root everybody, and everybody only themselves', async (t) => {
  await service.run('CREATE DATABASE d');
  await service.run("CREATE USER gil PASS 'Secret_12' SYSINFO 0 CREATEDB 1 HOST '127.0.0.1','10.0.0.2'");
  await service.run('GRANT WRITE, READ ON d.* TO gil');
  await service.run('GRANT ALL ON *.* TO gil');
  const without = (rows: readonly (readonly unknown[])[]) => rows.map((row) => row.toSpliced(5, 1));
  const all = await service.sql('SHOW USERS');
  t.deepEqual(
    all.body.column_meta.map(([name, type]) => `${name} ${type}`),
    [
      'name VARCHAR',
      'super TINYINT',
      'enable TINYINT',
      'sysinfo TINYINT',
      'createdb TINYINT',
      'create_time TIMESTAMP',
      'allowed_host VARCHAR',
    ],
  );
  t.deepEqual(without(all.body.data)[0], ['root', 1, 1, 1, 1, '0.0.0.0/0, ::/0']);
  const asGil = { auth: basicOf('gil', 'Secret_12') };
  t.deepEqual(without(await service.rows('SHOW USERS', asGil)), [['gil', 0, 1, 0, 1, '127.0.0.1,10.0.0.2']]);
  const privileges = [
    ['gil', 'read', 'd', '', '', '', ''],
    ['gil', 'write', 'd', '', '', '', ''],
    ['gil', 'all', 'all', '', '', '', ''],
  ];
  t.deepEqual(await service.rows('SHOW USER PRIVILEGES', asGil), privileges);
  t.deepEqual((await service.rows('SHOW USER PRIVILEGES'))[0], ['root', 'all', 'all', '', '', '', '']);
  await service.run("CREATE TOKEN g1 FROM USER gil PROVIDER 'p'");
  await service.run('CREATE TOKEN r1 FROM USER root TTL 1');
  t.deepEqual(without(await service.rows('SHOW TOKENS', asGil)), [
    ['g1', 'gil', 'p', 1, (await service.rows('SHOW TOKENS', asGil))[0]?.[4], ''],
  ]);
  t.is((await service.rows('SHOW TOKENS')).length, 2);
});
