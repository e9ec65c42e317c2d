import { fork } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { directoryFor, engineProgram } from '../support/processes.js';

test('an engine whose service is gone before it has begun ends by itself', async (t) => {
  const args = [`--path=${directoryFor(t)}`, '--port=0'];
  const child = fork(engineProgram, args, { stdio: 'ignore', env: { ...process.env, SLUICE_ENGINE_SECRET: 'secret' } });
  t.teardown(() => child.kill('SIGKILL'));
  // As the channel ends when the parent is killed.
  child.disconnect();
  const [, signal] = await once(child, 'exit');
  t.is(signal, null, 'it was not killed');
});
