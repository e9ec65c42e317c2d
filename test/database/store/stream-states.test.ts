import test from 'ava';
import { holderOf, type StreamState, StreamStates } from '../../../src/database/store/stream-states.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';
import { until } from '../../support/until.js';

const { client, end } = await sharedEngine();
test.after.always(end);

test('the first claim counts while its owner is heard', (t) => {
  t.is(holderOf([]), undefined);
  t.is(holderOf([['a', false, 100]]), 'a');
  t.is(
    holderOf([
      ['a', false, 200],
      ['b', false, 100],
    ]),
    'a',
  );
});

test('claims of before the clock of the machine was set back hold nobody up', (t) => {
  t.is(holderOf([['a', false, -3_600_000]]), undefined);
  t.is(
    holderOf([
      ['a', false, -3_600_000],
      ['b', false, 100],
    ]),
    'b',
  );
});

test('an owner that is silent for longer than the lease loses it to the next who claims', (t) => {
  t.is(holderOf([['a', false, 10_001]]), undefined);
  t.is(
    holderOf([
      ['a', false, 30_000],
      ['b', false, 15_000],
      ['a', false, 4_000],
    ]),
    'a',
  );
  t.is(
    holderOf([
      ['a', false, 30_000],
      ['b', false, 12_000],
      ['a', false, 9_000],
      ['b', false, 5_000],
      ['a', false, 1_000],
    ]),
    'b',
  );
});

test('who says that it goes on keeps the lease, and who releases it gives it away at once', (t) => {
  t.is(
    holderOf([
      ['a', false, 16_000],
      ['a', false, 8_000],
      ['b', false, 7_000],
      ['a', false, 100],
    ]),
    'a',
  );
  t.is(
    holderOf([
      ['a', false, 500],
      ['a', true, 400],
      ['b', false, 300],
    ]),
    'b',
  );
  t.is(
    holderOf([
      ['a', false, 500],
      ['b', true, 400],
    ]),
    'a',
  );
});

test('states are kept by stream and claims agree between processes', async (t) => {
  const [one, other] = [new StreamStates(client), new StreamStates(client)];
  const state: StreamState = { place: 7, newest: '12', opened: '1', closed: undefined, fault: undefined };
  t.deepEqual(await one.read(['s']), new Map());
  await one.write('s', state);
  await one.write('s', { ...state, place: 8 });
  t.is((await other.read(['s', 'x'])).get('s')?.place, 8);
  t.is((await other.read(['s', 'x'])).size, 1);
  await other.forget('s');
  t.is((await one.read(['s'])).size, 0);

  t.true(await one.claim());
  t.false(await other.claim());
  t.true(await one.claim());
  await one.release();
  t.true(await until(() => other.claim()));
  t.false(await one.claim());
});
