import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { CredentialCheck, firstUser, tokenDigest } from '../../../src/statements/users/credentials.js';
import { hashPassword } from '../../../src/statements/users/password-hash.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const engine = await sharedEngine();
test.after.always(engine.end);

/** Two processes on one engine. */
async function startPair() {
  await engine.clear();
  const client = new EngineClient(engine.endpoint);
  const processes = [new Catalogue(client, silentLog), new Catalogue(client, silentLog)] as const;
  const checks = [new CredentialCheck(processes[0], silentLog), new CredentialCheck(processes[1], silentLog)] as const;
  for (const check of checks) await check.prepare();
  return { processes, checks, end: () => client.close() };
}

/** `in`, or the kind of the fault. */
async function answer(check: CredentialCheck, user: string, password: string, from = ''): Promise<string> {
  const identity = await check.authenticate({ scheme: 'password', user, password, from });
  return 'kind' in identity ? identity.kind : 'in';
}

test.serial('the first user is made once; a new user and a new password count in every process at once', async (t) => {
  const { processes, checks, end } = await startPair();
  t.is(processes[0].principals.users().length, 1);
  // Who has made it knows the password without a hash.
  const first = { scheme: 'password', user: firstUser.name, password: firstUser.password } as const;
  t.deepEqual([checks[0].known(first), checks[1].known(first)], [{ user: firstUser.name }, undefined]);
  t.is(await answer(checks[0], firstUser.name, firstUser.password), 'in');
  t.is(await answer(checks[0], firstUser.name, 'wrong'), 'auth');
  const passwordHash = await hashPassword('Secret-1');
  await processes[1].submit([{ op: 'create-user', name: 'ann', passwordHash: passwordHash }]);
  t.is(await answer(checks[0], 'ann', 'Secret-1'), 'in');
  const kept = { scheme: 'password', user: 'ann', password: 'Secret-1' } as const;
  t.deepEqual([checks[0].known(kept), checks[0].known(kept)], [{ user: 'ann' }, { user: 'ann' }]);
  await processes[1].submit([{ op: 'alter-user', name: 'ann', passwordHash: await hashPassword('Secret-2') }]);
  await processes[0].sync();
  t.is(checks[0].known(kept), undefined);
  t.is(await answer(checks[0], 'ann', 'Secret-2'), 'in');
  t.is(await answer(checks[0], 'ann', 'Secret-1'), 'auth');
  await processes[1].submit([{ op: 'drop-user', name: 'ann' }]);
  await processes[0].sync();
  t.is(await answer(checks[0], 'ann', 'Secret-2'), 'auth');
  await end();
});

test.serial('while the engine is away known credentials are let in, and none are refused as wrong', async (t) => {
  const { checks, end } = await startPair();
  await end();
  t.is(await answer(checks[0], firstUser.name, firstUser.password), 'in');
  t.is(await answer(checks[0], firstUser.name, 'wrong'), 'network');
  t.is(await answer(checks[0], 'nobody', 'wrong'), 'network');
});

test.serial('a token made, disabled or dropped by one process counts in the others', async (t) => {
  const { processes, checks, end } = await startPair();
  const submit = (operation: Operation) => processes[1].submit([operation]);
  const token = 'x'.repeat(63);
  const byToken = async (): Promise<string> => {
    const identity = await checks[0].authenticate({ scheme: 'token', token });
    return 'kind' in identity ? identity.kind : identity.user;
  };
  t.is(await byToken(), 'auth');
  await submit({ op: 'create-token', name: 't', user: firstUser.name, digest: tokenDigest(token) });
  t.is(await byToken(), firstUser.name);
  await submit({ op: 'alter-token', name: 't', enabled: false });
  await processes[0].sync();
  t.is(await byToken(), 'auth');
  await submit({ op: 'alter-token', name: 't', enabled: true });
  t.is(await byToken(), firstUser.name);
  await submit({ op: 'drop-token', name: 't' });
  await processes[0].sync();
  t.is(await byToken(), 'auth');
  await end();
  t.is(await byToken(), 'network');
});

test.serial(
  'a flood of wrong passwords is turned away in part, and never keeps out who is known, a token or another user',
  async (t) => {
    const { processes, checks, end } = await startPair();
    await processes[0].submit([{ op: 'create-user', name: 'ann', passwordHash: await hashPassword('Secret-1') }]);
    t.is(await answer(checks[0], firstUser.name, firstUser.password), 'in');
    const flood = Array.from({ length: 500 }, (_, i) => answer(checks[0], firstUser.name, `wrong ${i}`));
    t.is(await answer(checks[0], firstUser.name, firstUser.password), 'in');
    t.is(await answer(checks[0], 'ann', 'Secret-1'), 'in');
    const endings = await Promise.all(flood);
    t.true(endings.filter((ending) => ending === 'resource').length >= 480);
    t.true(endings.every((ending) => ending === 'resource' || ending === 'auth'));
    for (let i = 0; i < 5; i++) t.is(await answer(checks[0], 'bob', 'the same wrong one'), 'auth');
    const [token, from] = ['x'.repeat(63), '10.0.0.9'];
    await processes[0].submit([{ op: 'create-token', name: 'ann', user: 'ann', digest: tokenDigest(token) }]);
    const guesses = Array.from({ length: 100 }, (_, i) => answer(checks[0], 'ann', `wrong ${i}`, from));
    t.deepEqual(await checks[0].authenticate({ scheme: 'token', token, from }), { user: 'ann' });
    await Promise.all(guesses);
    await end();
  },
);

test.serial('guesses are limited for each address and name, and keep out nobody from elsewhere', async (t) => {
  const { processes, checks, end } = await startPair();
  t.teardown(end);
  await processes[0].submit([{ op: 'create-user', name: 'ann', passwordHash: await hashPassword('Secret-1') }]);
  const guess = async (count: number, from: string): Promise<string[]> => {
    const endings: string[] = [];
    for (let i = 0; i < count; i++) endings.push(await answer(checks[0], firstUser.name, `${from} ${i}`, from));
    return endings;
  };
  const first = await guess(40, '10.0.0.1');
  t.deepEqual([first.slice(0, 20), first.slice(30)], [Array(20).fill('auth'), Array(10).fill('resource')]);
  const others = Array.from({ length: 40 }, (_, i) => answer(checks[0], `stranger${i}`, 'x', '10.0.0.1'));
  t.is(await answer(checks[0], firstUser.name, firstUser.password, '10.0.0.2'), 'in', 'the right password is let in');
  t.is(await answer(checks[0], 'ann', 'Secret-1', '10.0.0.2'), 'in');
  t.is(
    await answer(checks[0], firstUser.name, firstUser.password, '10.0.0.1'),
    'in',
    'from there too, once it is known',
  );
  await Promise.all(others);
});
