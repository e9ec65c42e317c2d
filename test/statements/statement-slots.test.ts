import test from 'ava';
import { FaultError } from '../../src/model/fault.js';
import { StatementSlots } from '../../src/statements/statement-slots.js';

const limits = { running: 3, runningOfUser: 2, waiting: 2, waitMs: 60_000 };
const never = new AbortController().signal;

/** What has come of some turns so far, by the names they were given. */
function recorder(slots: StatementSlots) {
  const releases = new Map<string, () => void>();
  const take = (name: string, user: string): void => {
    void slots.take(user, never).then((release) => releases.set(name, release));
  };
  const settled = async (): Promise<readonly string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return [...releases.keys()];
  };
  return { releases, take, settled };
}

test('slots are given in the order of coming, and a user who has enough is passed over', async (t) => {
  const { releases, take, settled } = recorder(new StatementSlots(limits));
  for (const name of ['a1', 'a2', 'a3']) take(name, 'ann');
  take('b1', 'bob');
  t.deepEqual(await settled(), ['a1', 'a2', 'b1']);
  take('c1', 'cid');
  releases.get('b1')?.();
  releases.get('b1')?.();
  t.deepEqual(await settled(), ['a1', 'a2', 'b1', 'c1']);
  releases.get('a1')?.();
  t.deepEqual(await settled(), ['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('too many waiting, too long a wait and a client that left end a wait', async (t) => {
  const slots = new StatementSlots({ running: 1, runningOfUser: 0, waiting: 2, waitMs: 50 });
  const release = await slots.take('ann', never);
  const leaving = new AbortController();
  const left = slots.take('ann', leaving.signal);
  const late = t.throwsAsync(slots.take('bob', never), { instanceOf: FaultError, message: /run at once/ });
  await t.throwsAsync(slots.take('cid', never), { instanceOf: FaultError, message: /are waiting/ });
  leaving.abort(new Error('gone'));
  await t.throwsAsync(left, { message: 'gone' });
  await late;
  await t.throwsAsync(slots.take('dan', AbortSignal.abort(new Error('gone'))), { message: 'gone' });
  release();
  (await slots.take('eve', never))();
});

test('one that left before it could wait takes nobody else out of the queue', async (t) => {
  const slots = new StatementSlots({ running: 1, runningOfUser: 0, waiting: 2, waitMs: 60_000 });
  const release = await slots.take('ann', never);
  const waiting = slots.take('bob', never);
  t.deepEqual(slots.metrics, { running: 1, waiting: 1 });
  await t.throwsAsync(slots.take('cid', AbortSignal.abort(new Error('gone'))), { message: 'gone' });
  release();
  const again = await waiting;
  again();
  again();
  t.deepEqual(slots.metrics, { running: 0, waiting: 0 });
});
