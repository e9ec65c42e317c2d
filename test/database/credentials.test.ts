import test from 'ava';
import { Catalogue } from '../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../src/database/client.js';
import { CredentialCheck, firstUser, hashPassword } from '../../src/database/credentials.js';
import { silentLog, startEngine } from '../support/engine.js';

/** Two processes on one engine. */
async function startPair() {
  const engine = await startEngine();
  const client = new EngineClient(engine.endpoint);
  const processes = [new Catalogue(client, silentLog), new Catalogue(client, silentLog)] as const;
  const checks = [new CredentialCheck(processes[0]), new CredentialCheck(processes[1])] as const;
  for (const check of checks) await check.prepare();
  const end = async (): Promise<void> => {
    await client.close();
    await engine.end();
  };
  return { engine, processes, checks, end };
}

/** `in`, or the kind of the fault. */
async function answer(check: CredentialCheck, user: string, password: string): Promise<string> {
  const identity = await check.authenticate({ scheme: 'password', user, password });
  return 'kind' in identity ? identity.kind : 'in';
}

test('the first user is made once; a new user and a new password count in every process at once', async (t) => {
  const { processes, checks, end } = await startPair();
  t.is(processes[0].users().length, 1);
  t.is(await answer(checks[0], firstUser.name, firstUser.password), 'in');
  t.is(await answer(checks[0], firstUser.name, 'wrong'), 'auth');
  const made = await hashPassword('Secret-1');
  await processes[1].submit([{ op: 'create-user', name: 'ann', passwordHash: made }]);
  t.is(await answer(checks[0], 'ann', 'Secret-1'), 'in');
  await processes[1].submit([{ op: 'alter-user', name: 'ann', passwordHash: await hashPassword('Secret-2') }]);
  t.is(await answer(checks[0], 'ann', 'Secret-2'), 'in');
  t.is(await answer(checks[0], 'ann', 'Secret-1'), 'auth');
  await processes[1].submit([{ op: 'drop-user', name: 'ann' }]);
  await processes[0].sync();
  t.is(await answer(checks[0], 'ann', 'Secret-2'), 'auth');
  await end();
});

test('while the engine is away known credentials are let in, and nobody is told that theirs are wrong', async (t) => {
  const { checks, end } = await startPair();
  await end();
  t.is(await answer(checks[0], firstUser.name, firstUser.password), 'in');
  t.is(await answer(checks[0], firstUser.name, 'wrong'), 'network');
  t.is(await answer(checks[0], 'nobody', 'wrong'), 'network');
});
