import test from 'ava';
import { ResultPlaces } from '../../../src/database/engine/result-places.js';
import { until } from '../../support/until.js';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an owner never has the last place, and who has fewest comes first', async (t) => {
  const places = new ResultPlaces(3);
  const order: string[] = [];
  const take = (owner: string | undefined, name: string) =>
    places.take(owner, undefined).then((place) => {
      order.push(name);
      return place;
    });
  const first = await take('ann', 'a1');
  await take('ann', 'a2');
  const waiting = [take('ann', 'a3'), take('ann', 'a4'), take('bob', 'b1'), take('bob', 'b2'), take(undefined, 'own')];
  await soon();
  t.deepEqual(order, ['a1', 'a2', 'b1'], 'the last place is for others');
  first.release();
  first.release();
  await soon();
  t.deepEqual(order, ['a1', 'a2', 'b1', 'own']);
  (await waiting[2])?.release();
  await soon();
  t.deepEqual(order, ['a1', 'a2', 'b1', 'own', 'b2'], 'bob has none by now, and ann one');
});

test('one that leaves while it waits gets no place and takes none from others', async (t) => {
  const places = new ResultPlaces(1);
  const held = await places.take('ann', undefined);
  const leaving = new AbortController();
  const left = places.take('bob', leaving.signal);
  const next = places.take('cid', undefined);
  leaving.abort(new Error('gone'));
  await t.throwsAsync(left, { message: 'gone' });
  await t.throwsAsync(places.take('dan', AbortSignal.abort(new Error('gone'))), { message: 'gone' });
  held.release();
  (await next).release();
  t.true(places.isFree('ann'));
});

test('a reader that does not read loses its place once somebody waits, and one that does keeps it', async (t) => {
  const places = new ResultPlaces(2, 100);
  const cut: string[] = [];
  for (const [owner, stalledMs] of [
    ['slow', 0],
    ['stuck', 200],
  ] as const) {
    const place = await places.take(owner, undefined);
    place.watch({
      stalledMs: () => stalledMs,
      cut: () => {
        cut.push(owner);
        place.release();
      },
    });
  }
  const waiting = places.take('ann', undefined);
  t.true(await until(() => cut.length > 0));
  await waiting;
  t.deepEqual(cut, ['stuck']);
});
