import test from 'ava';
import type { Batch, EarlierGroup } from '../../src/model/batch.js';
import type { ColumnBlock } from '../../src/model/column-block.js';
import { append, emptyLane, type GroupLimits, isReady, makeRoom, takeGroup } from '../../src/pipelines/lane.js';
import { oneRow } from '../support/blocks/group-commit.js';

const limits: GroupLimits = { batchSize: 1000, maxRows: 1e6, maxBytes: 100 };

/** A block of 40 bytes out of a text of the log. */
function logged(sequence: number, table = 'a', earlierGroup?: EarlierGroup): Batch<ColumnBlock> {
  return { ...oneRow(table, 1), bytes: 40, logged: { sequences: [sequence], again: async () => [], earlierGroup } };
}

function laneOf(...batches: Batch<ColumnBlock>[]) {
  const lane = emptyLane('a');
  for (const batch of batches) append(lane, batch);
  return lane;
}

test('a group has so many bytes at most, but for one block that is larger and for the rest of a text', (t) => {
  const texts = laneOf(logged(1), logged(2), logged(3));
  t.is(takeGroup(texts, limits).length, 2);
  t.is(takeGroup(texts, limits).length, 1);
  t.is(takeGroup(laneOf(logged(1), logged(2)), { ...limits, maxBytes: 1 }).length, 1);
  t.is(takeGroup(laneOf(logged(1), logged(2), logged(2, 'b'), logged(3)), limits).length, 3);
});

test('a group has 4,096 blocks at most', (t) => {
  const lane = laneOf(...Array.from({ length: 5_000 }, (_, at) => logged(at)));
  t.is(takeGroup(lane, { ...limits, maxBytes: 1e9 }).length, 4_096);
  t.is(lane.rows, 904);
});

test('a group that was begun before the process ended waits for all of its texts, and goes alone', (t) => {
  const earlier = { group: 7, pairs: 2 };
  const lane = laneOf(logged(1, 'a', earlier));
  lane.flushTo = 1;
  t.false(isReady(lane, limits, 0));
  append(lane, logged(2, 'a', earlier));
  t.true(isReady(lane, limits, 0));
  append(lane, logged(3));
  t.is(takeGroup(lane, limits).length, 2);
});

test('a reader who waits for the blocks so far waits for those that take the place of one, too', (t) => {
  const lane = laneOf(logged(1), logged(2));
  const waiter = { count: 2, resolve: () => {}, reject: () => {} };
  lane.waiters.push(waiter);
  lane.flushTo = 2;
  makeRoom(lane, 3);
  t.deepEqual([lane.added, lane.flushTo, waiter.count], [5, 5, 5]);
});
