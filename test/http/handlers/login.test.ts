import test from 'ava';
import { Codes, fault } from '../../../src/model/fault.js';
import { password, send, sendSql, startServer, user } from '../../support/inputs/http-server.js';

function login(server: { port: number }, name: string, secret: string) {
  return send(server, { method: 'GET', path: `/rest/login/${name}/${secret}`, auth: false });
}

test('login hands out a code that works in the Custom scheme until it is altered', async (t) => {
  const server = await startServer(t);
  const reply = await login(server, user, encodeURIComponent(password));
  t.is(reply.status, 200);
  t.regex(reply.text, /^\{"code":0,"desc":"[\w-]+"\}$/);
  const code: string = JSON.parse(reply.text).desc;
  const used = await sendSql(server, 'select 1', { headers: { authorization: `Custom ${code}` } });
  t.is(used.status, 200);
  const altered = `${code.slice(0, 20)}${code[20] === 'A' ? 'B' : 'A'}${code.slice(21)}`;
  const refused = await sendSql(server, 'select 1', { headers: { authorization: `Custom ${altered}` } });
  t.deepEqual([refused.status, JSON.parse(refused.text).code], [401, 4389]);
});

test('a wrong password is 401 with code 3', async (t) => {
  const reply = await login(await startServer(t), user, 'wrong');
  t.deepEqual([reply.status, reply.text], [401, '{"code":3,"desc":"Authentication failure"}']);
});

test('an empty user or password, or a user above 24 bytes, is 400 with code 4362', async (t) => {
  const server = await startServer(t);
  for (const [name, secret] of [
    ['u'.repeat(25), 'x'],
    ['%C3%A9'.repeat(13), 'x'],
    ['', 'x'],
    ['root', ''],
  ] as const) {
    const reply = await login(server, name, secret);
    t.deepEqual([reply.status, reply.text], [400, '{"code":4362,"desc":"generate token error"}'], `${name}/${secret}`);
  }
  t.is((await login(server, 'u'.repeat(24), 'x')).status, 401);
});

test('a password may be long, but may not hold a slash', async (t) => {
  const server = await startServer(t);
  t.is((await login(server, user, 'x'.repeat(5_000))).status, 401);
  t.is((await login(server, user, 'a%2Fb')).status, 404);
});

test('a database that cannot be reached is 503 with Retry-After, not a wrong password', async (t) => {
  const authenticate = async () => fault('network', Codes.networkUnavailable, 'database unreachable');
  const reply = await login(await startServer(t, { authenticate }), user, 'x');
  t.deepEqual([reply.status, reply.text], [503, '{"code":11,"desc":"database unreachable"}']);
  t.truthy(reply.headers['retry-after']);
});

test('login is refused while everything is paused', async (t) => {
  const reply = await login(await startServer(t, { guard: () => 'all-paused' }), user, 'x');
  t.deepEqual([reply.status, reply.text], [503, 'memory exceeds threshold']);
});
