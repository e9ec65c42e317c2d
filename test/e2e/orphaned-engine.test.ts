import { fork } from 'node:child_process';
import { once } from 'node:events';
import test from 'ava';
import { directoryFor, engineProgram } from '../support/service/processes.js';

test('an engine whose service is gone before it has begun ends by itself', async (t) => {
  const args = [`--path=${directoryFor(t)}`, '--port=0'];
  const child = fork(engineProgram, args, { stdio: 'ignore', env: { ...process.env, SLUICE_ENGINE_SECRET: 'secret' } });
  t.teardown(() => child.kill('SIGKILL'));
  // As the channel ends when the parent is killed.
  child.disconnect();
  const [, signal] = await once(child, 'exit');
  t.is(signal, null, 'it was not killed');
});

test('a service that is started again at once waits for the engine of the one before', async (t) => {
  const path = directoryFor(t);
  const env = { ...process.env, SLUICE_ENGINE_SECRET: 'secret' };
  const [first, second] = [1, 2].map(() =>
    fork(engineProgram, [`--path=${path}`, '--port=0'], { stdio: 'ignore', env }),
  );
  t.teardown(() => [first, second].map((child) => child?.kill('SIGKILL')));
  // Whichever of them is first has the directory, and the other one has it once that is gone.
  const winner = await Promise.race([first, second].map(async (child) => once(child!, 'message').then(() => child)));
  const other = winner === first ? second : first;
  winner?.disconnect();
  await once(other!, 'message');
  t.is(other?.exitCode, null);
});
