import test from 'ava';
import { startService } from '../support/service.js';

const { service, end } = await startService();
test.after.always(end);

const basicOf = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

test('a user who is not root cannot take over the service, but changes the own password', async (t) => {
  await service.run("CREATE USER bob PASS 'Secret_12'");
  const asBob = { auth: basicOf('bob', 'Secret_12') };
  const forbidden = [
    "ALTER USER root PASS 'Hacked_12'",
    "CREATE USER eve PASS 'Secret_12'",
    'DROP USER bob',
    'DROP USER root',
  ];
  for (const statement of forbidden) t.is((await service.sql(statement, asBob)).body.code, 0x0303, statement);
  t.is((await service.sql("ALTER USER bob PASS 'Changed_12'", asBob)).body.code, 0);
  t.is((await service.sql('SHOW DATABASES', asBob)).status, 401);
  t.is((await service.sql('SHOW DATABASES', { auth: basicOf('bob', 'Changed_12') })).body.code, 0);
  t.is((await service.sql('SHOW DATABASES')).body.code, 0);
  t.is((await service.sql('DROP USER root')).body.code, 0x0303);
});
