import type { ExecutionContext } from 'ava';
import { until } from '../until.js';
import { enginePid, isAlive, type Listening, startAdapter } from './processes.js';

/** The adapter as it is now: it is killed and started again. */
export interface Killed {
  adapter: Listening;
}

/** Ends adapter (0), engine (1) or both (2) at once, and sees to it that both are there again. */
export async function killOne(
  t: ExecutionContext,
  world: Killed,
  path: string,
  which: number,
  ...settings: readonly string[]
): Promise<void> {
  const { adapter } = world;
  const engine = enginePid(adapter);
  if (which !== 0) process.kill(engine, 'SIGKILL');
  if (which === 1) {
    t.true(await until(() => enginePid(adapter) !== engine && enginePid(adapter) > 0, 30_000));
    return;
  }
  adapter.child.kill('SIGKILL');
  await adapter.ended;
  t.true(await until(() => !isAlive(engine), 30_000));
  world.adapter = await startAdapter(t, [`--database.path=${path}`, ...settings]);
}
