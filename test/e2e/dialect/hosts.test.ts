import test from 'ava';
import { writeBody } from '../../support/messages/remote-messages.js';
import { basicOf, type Reply, type RequestParts } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

const password = 'Secret_12';
const refusal = 'whitelist prohibits current IP access';

test('HOST of a user counts at every interface at the next request, however the user is known', async (t) => {
  await service.run('CREATE DATABASE by_host');
  await service.run(`CREATE USER hal PASS '${password}' CREATEDB 1`);
  await service.run('GRANT ALL ON by_host.* TO hal');
  const login = await service.request({ method: 'GET', path: `/rest/login/hal/${password}`, auth: false });
  const code: { readonly desc: string } = JSON.parse(login.text);
  const [[token] = []] = await service.rows('CREATE TOKEN of_hal FROM USER hal');
  const basic = basicOf('hal', password);
  const line = `cpu value=1 ${Date.now()}`;
  const point = JSON.stringify({ metric: 'cpu', timestamp: Date.now(), value: 1, tags: { host: 'a' } });
  const write = '/lineproto/v1/write?db=by_host&precision=ms';
  const calls: Record<string, RequestParts> = {
    basic: { path: '/rest/sql', body: 'SELECT 1', auth: basic },
    custom: { path: '/rest/sql', body: 'SELECT 1', auth: `Custom ${code.desc}` },
    bearer: { path: '/rest/sql', body: 'SELECT 1', auth: `Bearer ${token}` },
    login: { method: 'GET', path: `/rest/login/hal/${password}`, auth: false },
    vgroup: { method: 'GET', path: '/rest/vgid?db=by_host&table=cpu', auth: basic },
    events: { method: 'GET', path: '/api/v1/events', auth: basic },
    lines: { path: write, body: line, auth: basic },
    parameters: { path: `${write}&u=hal&p=${password}`, body: line, auth: false },
    influx: { path: '/api/v2/write?bucket=by_host&precision=ms', body: line, auth: `Token ${token}` },
    json: { path: '/tsdbwire/v1/put/json/by_host', body: point, auth: basic },
    remote: { path: '/metricsdb/v1/remote_write/by_host', body: writeBody([]), auth: basic },
  };
  const each = async (check: (name: string, reply: Reply) => void) => {
    for (const [name, call] of Object.entries(calls)) check(name, await service.request(call));
  };
  await each((name, { status, text }) => t.true(status < 300, `${name} ${status} ${text}`));
  await service.run("ALTER USER hal ADD HOST '10.0.0.0/8'");
  await each((name, { status, text }) => {
    t.is(status, 403, name);
    t.true(text.includes(refusal), `${name} ${text}`);
  });
  const { body } = await service.sql('SELECT 1', { auth: basic });
  t.deepEqual([body.code, body.desc], [0xffff, refusal]);
  const guess = await service.sql('SELECT 1', { auth: basicOf('hal', 'Secret_13') });
  t.deepEqual([guess.status, guess.body.code], [401, 0x0357], 'only a client that knows the password learns of HOST');
  await service.run("ALTER USER hal ADD HOST '127.0.0.0/8'");
  await each((name, { status, text }) => t.true(status < 300, `${name} ${status} ${text}`));
});

statements('HOST is a list of addresses and networks, which never becomes empty by itself', service, undefined, [
  { sql: "CREATE USER ivy PASS 'Secret_12' HOST '10.0.0.1', '0:0:0:0:0:0:0:1'", affected: 0 },
  { sql: "SELECT allowed_host FROM information_schema.ins_users WHERE name = 'ivy'", rows: [['10.0.0.1,::1']] },
  { sql: "ALTER USER ivy ADD HOST '10.0.0.0/33'", error: 0x0118, says: "not '10.0.0.0/33'" },
  { sql: "ALTER USER ivy DROP HOST 'here'", error: 0x0118, says: "not 'here'" },
  { sql: "ALTER USER ivy DROP HOST '10.0.0.2'", error: 0x0356, says: "no HOST '10.0.0.2'" },
  { sql: "ALTER USER ivy DROP HOST '10.0.0.1', '::1'", error: 0x0356, says: 'last HOST' },
  { sql: "ALTER USER ivy DROP HOST '::0001'", affected: 0 },
  { sql: "ALTER USER ivy DROP HOST '10.0.0.1' ADD HOST '10.1.0.0/16'", affected: 0 },
  { sql: "SELECT allowed_host FROM information_schema.ins_users WHERE name = 'ivy'", rows: [['10.1.0.0/16']] },
  { sql: "ALTER USER root ADD HOST '10.0.0.1'", error: 0x0356 },
]);
