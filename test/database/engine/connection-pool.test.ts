import test from 'ava';
import { ConnectionPool } from '../../../src/database/engine/connection-pool.js';
import { until } from '../../support/until.js';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an owner never gets the last connection, and the owner with the fewest comes first', async (t) => {
  const pool = new ConnectionPool(3);
  const order: string[] = [];
  const take = (owner: string | undefined, name: string) =>
    pool.take({ owner }).then((lease) => {
      order.push(name);
      return lease;
    });
  const first = await take('ann', 'a1');
  await take('ann', 'a2');
  const waiting = [take('ann', 'a3'), take('ann', 'a4'), take('bob', 'b1'), take('bob', 'b2'), take(undefined, 'own')];
  await soon();
  t.deepEqual(order, ['a1', 'a2', 'b1'], 'the last connection is for others');
  first.release();
  first.release();
  await soon();
  t.deepEqual(order, ['a1', 'a2', 'b1', 'own']);
  (await waiting[2])?.release();
  await soon();
  t.deepEqual(order, ['a1', 'a2', 'b1', 'own', 'b2'], 'bob has none by now, and ann one');
});

test('an aborted request gets no connection and takes none from others', async (t) => {
  const pool = new ConnectionPool(1);
  const first = await pool.take({ owner: 'ann' });
  const leaving = new AbortController();
  const left = pool.take({ owner: 'bob' }, leaving.signal);
  const next = pool.take({ owner: 'cid' });
  leaving.abort(new Error('gone'));
  await t.throwsAsync(left, { message: 'gone' });
  await t.throwsAsync(pool.take({ owner: 'dan' }, AbortSignal.abort(new Error('gone'))), { message: 'gone' });
  first.release();
  (await next).release();
  t.true(pool.isFree({ owner: 'ann' }));
});

test('a stalled reader loses its connection once another request waits, and other readers keep theirs', async (t) => {
  const pool = new ConnectionPool(2, 0, 100);
  const cut: string[] = [];
  for (const [owner, stalledMs] of [
    ['slow', 0],
    ['stuck', 200],
  ] as const) {
    const lease = await pool.take({ owner });
    lease.watch({
      stalledMs: () => stalledMs,
      cancel: () => {
        cut.push(owner);
        lease.release();
      },
    });
  }
  const waiting = pool.take({ owner: 'ann' });
  t.true(await until(() => cut.length > 0));
  await waiting;
  t.deepEqual(cut, ['stuck']);
});

test('short claims have connections of their own, and count as nobody else', async (t) => {
  const pool = new ConnectionPool(2, 1);
  const short = { owner: 'ann', isShort: true };
  const longs = [await pool.take({ owner: 'ann' }), await pool.take({ owner: 'bob' })];
  t.false(pool.isFree({ owner: 'cid' }));
  const first = await pool.take(short);
  t.false(pool.isFree(short));
  longs[0]?.release();
  t.true(pool.isFree(short));
  const second = await pool.take(short);
  t.false(pool.isFree({ owner: 'cid' }), 'all are in use');
  first.release();
  t.true(pool.isFree({ owner: 'cid' }));
  second.release();
});
