import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import { startEngine } from '../../support/engine/engine.js';
import { until } from '../../support/until.js';

test('a hung engine is detected, fails statements at once, answers again after its return, and is replaced otherwise', async (t) => {
  const { supervisor, endpoint, end } = await startEngine({ hangTimeoutMs: 2_500 });
  t.teardown(end);
  const client = new EngineClient(endpoint);
  t.teardown(() => client.close());
  const states: string[] = [];
  supervisor.onState((state) => {
    states.push(state);
    client.refuseAll(state === 'hung' ? 'it hangs' : undefined);
  });
  const hung = supervisor.pid ?? 0;
  const open = client.rows('SELECT sleep(3)');
  process.kill(hung, 'SIGSTOP');
  const refusal = { message: 'The database cannot be reached: it hangs' };
  await t.throwsAsync(open, refusal, 'what was under way ends');
  t.is(supervisor.state, 'hung');
  await t.throwsAsync(client.rows('SELECT 1'), refusal);
  process.kill(hung, 'SIGCONT');
  t.true(await until(() => supervisor.state === 'up'));
  t.deepEqual(await client.rows('SELECT toUInt8(1)'), [[1]]);
  process.kill(hung, 'SIGSTOP');
  t.true(await until(() => supervisor.pid !== hung && supervisor.state === 'up'));
  t.deepEqual(states, ['up', 'hung', 'up', 'hung', 'down', 'starting', 'up']);
  t.deepEqual(await client.rows('SELECT toUInt8(2)'), [[2]]);
});

test('an engine with all of its connections at work for longer than its timeout does not count as hung', async (t) => {
  const { supervisor, endpoint, end } = await startEngine({ hangTimeoutMs: 1_000, sessions: 2 });
  t.teardown(end);
  const states: string[] = [];
  supervisor.onState((state) => states.push(state));
  const client = new EngineClient({ ...endpoint, maxConnect: 16 });
  t.teardown(() => client.close());
  await Promise.all(Array.from({ length: 4 }, () => client.rows('SELECT sleep(1.5)')));

  t.deepEqual(states, ['up']);
});

test('a hung engine is ended by a stop at once', async (t) => {
  const { supervisor, end } = await startEngine({ hangTimeoutMs: 600_000 });
  t.teardown(end);
  process.kill(supervisor.pid ?? 0, 'SIGSTOP');
  const begun = performance.now();
  await supervisor.stop(500);
  t.true(performance.now() - begun < 5_000);
});
