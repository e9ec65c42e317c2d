import test from 'ava';
import { basicOf } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

async function makeToken(statement: string): Promise<string> {
  const [row] = await service.rows(statement);
  return String(row?.[0]);
}

const bearer = (token: string) => ({ auth: `Bearer ${token}` });

test('a token is shown once, lets its bearer in as its user, and ends when it is dropped', async (t) => {
  await service.run("CREATE USER tim PASS 'Secret_12'");
  const { body, text } = await service.sql("CREATE TOKEN t1 FROM USER tim PROVIDER 'ci' EXTRA_INFO 'nightly'");
  t.deepEqual(body.column_meta, [['token', 'VARCHAR', 63]], text);
  const token = String(body.data[0]?.[0]);
  t.regex(token, /^[A-Za-z0-9]{63}$/);
  t.deepEqual(await service.rows('SELECT CURRENT_USER()', bearer(token)), [['tim']]);
  t.is(await service.code('CREATE DATABASE d', bearer(token)), 0x0303);
  t.is(await service.code('CREATE TOKEN t1 FROM USER tim'), 0xffff);
  t.deepEqual(await service.rows('CREATE TOKEN IF NOT EXISTS t1 FROM USER tim'), []);
  await service.run('DROP TOKEN t1');
  const { status, body: refused } = await service.sql('SELECT 1', bearer(token));
  t.deepEqual([status, refused.code], [401, 0x0357]);
});

test('a disabled token, an expired one and that of a disabled or dropped user are refused', async (t) => {
  await service.run("CREATE USER uma PASS 'Secret_12'");
  const token = await makeToken('CREATE TOKEN u1 FROM USER uma TTL 1');
  const code = () => service.code('SELECT 1', bearer(token));
  t.is(await code(), 0);
  await service.run('ALTER TOKEN u1 ENABLE 0');
  t.is(await code(), 0x0357);
  await service.run('ALTER TOKEN u1 ENABLE 1 TTL 0');
  t.is(await code(), 0);
  await service.run('ALTER USER uma ENABLE 0');
  t.is(await code(), 0x0357);
  await service.run('ALTER USER uma ENABLE 1');
  t.is(await code(), 0);
  await service.run('DROP USER uma');
  t.is(await code(), 0x0357);
  await service.run("CREATE USER uma PASS 'Secret_12'");
  t.is(await code(), 0x0357);
});

test('a user makes, changes and drops the own tokens and no others', async (t) => {
  await service.run("CREATE USER val PASS 'Secret_12'");
  await service.run("CREATE USER wes PASS 'Secret_12'");
  const asVal = { auth: basicOf('val', 'Secret_12') };
  const asWes = { auth: basicOf('wes', 'Secret_12') };
  t.is(await service.code('CREATE TOKEN v1 FROM USER val', asVal), 0);
  for (const sql of ['CREATE TOKEN v2 FROM USER val', 'ALTER TOKEN v1 ENABLE 0', 'DROP TOKEN v1']) {
    t.is(await service.code(sql, asWes), 0x0303, sql);
  }
  t.is(await service.code('DROP TOKEN v1', asVal), 0);
});

statements('statements about tokens are checked', service, undefined, [
  { sql: 'CREATE TOKEN x FROM USER nobody', error: 0x0351 },
  { sql: `CREATE TOKEN ${'x'.repeat(32)} FROM USER root`, error: 0x2617 },
  { sql: 'CREATE TOKEN x FROM USER root TTL 1000000', error: 0x0118, says: 'TTL' },
  { sql: 'CREATE TOKEN x FROM USER root ENABLE 7', error: 0x0118, says: 'ENABLE' },
  { sql: 'ALTER TOKEN x', error: 0x2601 },
  { sql: 'ALTER TOKEN x TTL 5', error: 0xffff, says: 'Token does not exist' },
  { sql: 'DROP TOKEN x', error: 0xffff },
  { sql: 'DROP TOKEN IF EXISTS x', affected: 0 },
]);

test('line protocol takes no token, and no token is stored as it was shown', async (t) => {
  const token = await makeToken('CREATE TOKEN s1 FROM USER root');
  t.is((await service.write('m v=1', { db: 'd' }, bearer(token))).status, 401);
  const response = await fetch(
    `${service.engineUrl}/?query=${encodeURIComponent('SELECT entry FROM sluice.catalogue')}`,
    {
      headers: { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'e2e-secret' },
    },
  );
  const log = await response.text();
  t.true(log.includes('"s1"'));
  t.false(log.includes(token));
});
