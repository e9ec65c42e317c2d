import test from 'ava';
import { delivered } from '../../../src/model/delivery.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { instant, oneRow, setUp } from '../../support/blocks/group-commit.js';

test('each sender gets the result of its own block, and only blocks of one table that are refused together are retried', async (t) => {
  const { input, groups, pass } = setUp({ workers: 1 }, () => 'one');
  const batches = ['x', 'a', 'b', 'b', 'c'].map((table, value) => oneRow(table, value));
  const rejected = { outcome: 'rejected', fault: fault('syntax', Codes.schemalessTypeConflict, 'no') } as const;
  input.next(batches[0]!);
  await pass();
  for (const batch of batches.slice(1)) input.next(batch);
  groups[0]!.settle(delivered(1));
  await pass();
  const apart = new Map([0, 1, 2].map((place) => [place, rejected]));
  groups[1]!.settle({ outcome: 'delivered', rows: 1, rejectedRows: 0, rejects: [], apart });
  t.deepEqual(
    batches.map(({ endings }) => endings),
    [[delivered(1)], [rejected], [], [], [delivered(1)]],
  );
  for (const at of [2, 3]) {
    await pass();
    t.deepEqual(
      groups[at]!.payload.blocks.map((block) => block.times[0]),
      [BigInt(at)],
    );
    groups[at]!.settle(at === 2 ? rejected : delivered(1));
  }
  t.deepEqual([batches[2]!.endings, batches[3]!.endings], [[rejected], [delivered(1)]]);
});

test('goes on without the senders that do not come, once it has lingered', async (t) => {
  const { input, groups, pass } = setUp();
  for (const value of [1, 2]) input.next(oneRow('t', value));
  await pass();
  input.next(oneRow('t', 3));
  groups[0]!.settle(delivered(2));
  await pass();
  t.is(groups.length, 2);
  t.is(groups[1]?.rows, 1);
});

test('never keeps the only sender of a table waiting, nor many rows', async (t) => {
  const { input, groups } = setUp();
  for (let value = 1; value < 4; value++) {
    input.next(oneRow('t', value));
    await instant();
    t.is(groups.length, value);
    groups[value - 1]!.settle(delivered(1));
  }
  for (const value of [4, 5]) input.next(oneRow('t', value));
  await instant();
  groups[3]!.settle(delivered(2));
  input.next({ ...oneRow('t', 6), rows: 20_000 });
  await instant();
  t.is(groups.length, 5);
});

test('hands a failure to every batch of the group', async (t) => {
  const { input, groups, pass } = setUp();
  const batches = [1, 2, 3].map((value) => oneRow('t', value));
  input.next(batches[0]!);
  await pass();
  for (const batch of batches.slice(1)) input.next(batch);
  await pass();
  groups[0]!.settle(delivered(1));
  await pass();
  groups[1]!.settle({ outcome: 'shed', reason: 'memory' });
  await pass();
  t.is(batches[1]!.endings[0]!.outcome, 'shed');
  t.is(batches[2]!.endings[0]!.outcome, 'shed');
});

test('a rejected group is taken apart, so that each batch answers for itself, in the order they came', async (t) => {
  const { input, groups, pass } = setUp();
  const batches = [1, 2, 3, 4].map((value) => oneRow('t', value));
  const rejected = { outcome: 'rejected', fault: fault('syntax', Codes.schemalessTypeConflict, 'no') } as const;
  input.next(batches[0]!);
  await pass();
  for (const batch of batches.slice(1, 3)) input.next(batch);
  groups[0]!.settle(delivered(1));
  await pass();
  groups[1]!.settle(rejected);
  await pass();
  t.deepEqual([batches[1]!.endings, batches[2]!.endings], [[], []]);
  input.next(batches[3]!);
  await pass();
  groups[2]!.settle(rejected);
  await pass();
  groups[3]!.settle(delivered(1));
  await pass();
  groups[4]!.settle(delivered(1));
  await pass();
  t.deepEqual(
    groups.map((group) => group.payload.blocks.map((block) => Number(block.times[0]))),
    [[1], [2, 3], [2], [3], [4]],
  );
  t.deepEqual(
    batches.map((batch) => batch.endings),
    [[delivered(1)], [rejected], [delivered(1)], [delivered(1)]],
  );
});
