import test from 'ava';
import type { Batch } from '../../../src/model/batch.js';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { Codes, fault } from '../../../src/model/fault.js';
import { blockOf, int, recordedBatch } from '../../support/blocks/blocks.js';
import { instant, oneRow, setUp } from '../../support/blocks/group-commit.js';

test('tells when the oldest row came that is not stored', async (t) => {
  const { commit, input, groups, pass } = setUp({ maxRows: 10 });
  const came = (table: string, nowMicros: bigint) => {
    const batch = oneRow(table, 1);
    input.next({ ...batch, target: { ...batch.target, reading: { epoch: 0, nowMicros } } });
  };
  t.is(commit.waiting.oldestMicros, undefined);
  came('a', 7n);
  came('b', 5n);
  t.is(commit.waiting.oldestMicros, 5n);
  await pass();
  t.is(groups.length, 2);
  t.is(commit.waiting.oldestMicros, 5n);
  groups.find(({ payload }) => payload.blocks[0]!.table === 'b')!.settle(delivered(1));
  await pass();
  t.is(commit.waiting.oldestMicros, 7n);
  groups.find(({ payload }) => payload.blocks[0]!.table === 'a')!.settle(delivered(1));
  await pass();
  t.is(commit.waiting.oldestMicros, undefined);
});

test('logged blocks wait for more of them, and go at once when they fill the memory that they may take', async (t) => {
  const { input, groups, pass } = setUp({ maxRows: 10, flushIntervalMs: 60_000, flushBytes: 300 });
  const logged = { sequences: [1], again: async () => [], earlierGroup: undefined };
  for (const table of ['a', 'b']) input.next({ ...oneRow(table, 1), bytes: 100, logged });
  await pass();
  t.is(groups.length, 0);
  input.next({ ...oneRow('c', 1), bytes: 100, logged });
  await instant();
  t.is(groups.length, 2, 'as many as there are workers');
  for (const group of groups) group.settle(delivered(1));
  await instant();
  t.is(groups.length, 3);
  groups[2]!.settle(delivered(1));
  for (const table of ['a', 'b']) input.next({ ...oneRow(table, 2), bytes: 100, logged });
  await pass();
  t.is(groups.length, 3, 'what has ended takes no memory');
});

test('blocks go at once for a reader of a series while they have rows of it', async (t) => {
  const { commit, input, groups, pass } = setUp({ maxRows: 10, flushIntervalMs: 60_000 });
  const logged = { sequences: [1], again: async () => [], earlierGroup: undefined };
  const add = (id: bigint) => input.next({ ...recordedBatch(blockOf('a', { v: int }, [[id, 1n, { v: 1 }]])), logged });
  const table = { database: 'db', table: 'a' };
  add(1n);
  add(2n);
  t.is(commit.visible([table], [3n]), undefined);
  t.is(commit.visible([{ database: 'db', table: 'b' }], [1n]), undefined);
  await pass();
  t.is(groups.length, 0);
  const seen = t.throwsAsync(async () => commit.visible([table], [3n, 2n]));
  await instant();
  t.is(groups.length, 1);
  // They are in flight now, and another one waits behind them.
  add(3n);
  t.is(commit.visible([table], [4n]), undefined);
  const inFlight = t.throwsAsync(async () => commit.visible([table], [1n]));
  groups[0]!.settle({ outcome: 'failed', fault: fault('network', Codes.free, 'away') });
  await Promise.all([seen, inFlight]);
  // And now they are to be tried again.
  const tried = commit.visible([table], [2n]);
  t.not(tried, undefined);
  await pass(500);
  t.is(groups.length, 2);
  groups[1]!.settle(delivered(2));
  await instant();
  t.is(groups.length, 3);
  t.is(commit.visible([table], [1n, 2n]), undefined);
  const last = commit.visible([table], [3n]);
  groups[2]!.settle(delivered(1));
  await Promise.all([tried, last]);
  t.is(commit.visible([table], [3n]), undefined);
});

test('logged blocks that the database could not take are tried again soon for a reader', async (t) => {
  const { commit, input, groups, pass } = setUp({ maxRows: 10, flushIntervalMs: 60_000 });
  const logged = { sequences: [1], again: async () => [], earlierGroup: undefined };
  input.next({ ...oneRow('a', 1), logged });
  const away = fault('network', Codes.free, 'away');
  const attempts = 8;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const seen = t.throwsAsync(async () => commit.visible('all'), { message: /away/ });
    // Without a reader it would be up to 5 s.
    await pass(500);
    t.is(groups.length, attempt);
    groups.at(-1)!.settle({ outcome: 'failed', fault: away });
    await seen;
  }
  const seen = commit.visible('all');
  await pass(500);
  t.is(groups.length, attempts + 1);
  groups.at(-1)!.settle(delivered(1));
  await t.notThrowsAsync(async () => seen);
});

test('logged blocks that are refused once after an outage are tried again', async (t) => {
  const { input, groups, pass } = setUp({ workers: 1, maxRows: 10, batchSize: 1, flushIntervalMs: 1 });
  const endings: Delivery[] = [];
  const logged = { sequences: [1], again: async () => [], earlierGroup: undefined };
  input.next({ ...oneRow('a', 1), logged, settle: (delivery) => endings.push(delivery) });
  const away = fault('network', Codes.networkUnavailable, 'away');
  const refused = fault('database', Codes.free, 'refused');
  for (const [at, failure] of [away, away, away, refused].entries()) {
    await pass(5_000);
    t.is(groups.length, at + 1);
    groups[at]!.settle({ outcome: 'failed', fault: failure });
  }
  await pass(5_000);
  t.is(groups.length, 5);
  t.deepEqual(endings, []);
  groups[4]!.settle(delivered(1));
  await instant();
  t.deepEqual(endings, [delivered(1)]);
});

test('rows of several texts that are refused go on text by text, and whoever waits for them waits for each', async (t) => {
  const { commit, input, groups, pass } = setUp({ workers: 1, maxRows: 10, flushIntervalMs: 60_000 });
  const endings: (readonly [text: number, outcome: Delivery['outcome']])[] = [];
  const alone = (text: number): Batch<ColumnBlock> => ({
    ...oneRow('a', text),
    logged: { sequences: [text], isReadAgain: true, again: async () => [] },
    settle: ({ outcome }) => endings.push([text, outcome]),
  });
  const again = async () => [1, 2, 3].map(alone);
  input.next({ ...oneRow('a', 0), logged: { sequences: [1, 2, 3], again } });
  input.next(alone(4));
  const seen = commit.visible('all');
  const refusal = { outcome: 'rejected', fault: fault('parameter', Codes.free, 'refused') } as const;
  const settled = async (place: number, blocks: number, ending: Delivery) => {
    await pass(5_000);
    t.is(groups.length, place + 1);
    t.is(groups[place]!.payload.blocks.length, blocks);
    groups[place]!.settle(ending);
  };
  const apart = new Map([[0, refusal]]);
  await settled(0, 2, { outcome: 'delivered', rows: 1, rejectedRows: 0, rejects: [], apart });
  await settled(1, 1, delivered(1));
  await settled(2, 1, refusal);
  await settled(3, 1, delivered(1));
  await seen;
  t.deepEqual(endings, [
    [4, 'delivered'],
    [1, 'delivered'],
    [2, 'rejected'],
    [3, 'delivered'],
  ]);
  t.is(commit.visible('all'), undefined);
  t.is(commit.waiting.blocks, 0);
});

test('writes to an idle table at once and joins what arrives meanwhile', async (t) => {
  const { input, groups, pass } = setUp();
  const batches = [1, 2, 3].map((value) => oneRow('t', value));
  input.next(batches[0]!);
  await pass();
  for (const batch of batches.slice(1)) input.next(batch);
  await pass();
  t.is(groups.length, 1);
  t.is(groups[0]!.rows, 1);
  groups[0]!.settle(delivered(1));
  await pass();
  t.is(groups.length, 2);
  t.deepEqual(
    groups[1]!.payload.blocks.map((block) => block.times[0]),
    [2n, 3n],
  );
  t.is(batches[1]!.endings.length, 0);
  groups[1]!.settle(delivered(2));
  await pass();
  t.deepEqual(
    batches.map((batch) => batch.endings),
    [[delivered(1)], [delivered(1)], [delivered(1)]],
  );
});

test('lingers for the senders that were just answered, and goes on at once when all of them are back', async (t) => {
  const { input, groups, pass } = setUp();
  for (const value of [1, 2]) input.next(oneRow('t', value));
  await pass(40);
  input.next(oneRow('t', 3));
  groups[0]!.settle(delivered(2));
  await pass(19);
  t.is(groups.length, 1, 'two senders were answered, one waits');
  input.next(oneRow('t', 4));
  await instant();
  t.is(groups.length, 1, 'one of those that were waited for is not back');
  input.next(oneRow('t', 5));
  await instant();
  t.is(groups[1]?.rows, 3);
});

test('blocks of several tables in one place go together, those of one text as one sender', async (t) => {
  const { input, groups } = setUp({}, ({ table }) => table[0]!);
  const text = (...tables: readonly string[]) => {
    const { target } = oneRow('a', 0);
    return tables.map((table, value) => ({ ...oneRow(table, value), target }));
  };
  for (const batch of text('a1', 'a2', 'b1', 'a1')) input.next(batch);
  await instant();
  const names = () => groups.map(({ payload }) => payload.blocks.map(({ table }) => table));
  t.deepEqual(names(), [['a1', 'a2', 'a1'], ['b1']]);
  groups[0]!.settle(delivered(3));
  // Its sender is back: the queue waits for no other one, however many blocks there were.
  for (const batch of text('a3')) input.next(batch);
  await instant();
  t.deepEqual(names()[2], ['a3']);
});

test('a table keeps its place while blocks of it are open, and takes a new one afterwards', async (t) => {
  let place = 'old';
  const { input, groups, pass } = setUp({}, () => place);
  input.next(oneRow('a', 1));
  await pass();
  place = 'new';
  input.next(oneRow('a', 2));
  input.next(oneRow('b', 3));
  await pass();
  t.deepEqual(
    groups.map(({ payload }) => payload.blocks[0]!.times[0]),
    [1n, 3n],
  );
  groups[0]!.settle(delivered(1));
  await pass();
  t.is(groups[2]!.payload.blocks[0]!.times[0], 2n);
  groups[2]!.settle(delivered(1));
  input.next(oneRow('a', 4));
  await pass();
  t.is(groups.length, 3, 'it waits behind what is in flight in its new place');
  groups[1]!.settle(delivered(1));
  await pass();
  t.is(groups[3]!.payload.blocks[0]!.times[0], 4n);
});

test('keeps other tables moving while one waits, up to the number of workers', async (t) => {
  const { input, groups, pass } = setUp();
  for (const name of ['a', 'b', 'c', 'a', 'c']) input.next(oneRow(name, 1));
  await pass();
  t.deepEqual(
    groups.map((group) => group.payload.blocks[0]!.table),
    ['a', 'b'],
  );
  groups[1]!.settle(delivered(1));
  await pass();
  t.is(groups[2]!.payload.blocks[0]!.table, 'c');
  t.is(groups[2]!.payload.blocks.length, 2);
});

test('does not make a group larger than the row limit out of smaller blocks', async (t) => {
  const { input, groups, pass } = setUp({ workers: 1, maxRows: 2 });
  input.next(oneRow('t', 1));
  await pass();
  for (const value of [2, 3, 4]) input.next(oneRow('t', value));
  await pass();
  groups[0]!.settle(delivered(1));
  await pass();
  t.is(groups[1]!.rows, 2);
  groups[1]!.settle(delivered(2));
  await pass();
  t.is(groups[2]!.rows, 1);
});

test('writes of one table never overlap, and share a group only when they agree about their target', async (t) => {
  const { input, groups, pass } = setUp({ workers: 4 });
  const of = (value: number, createDatabase: boolean, epoch: number) => {
    const batch = oneRow('t', value);
    return { ...batch, target: { ...batch.target, createDatabase, reading: { epoch, nowMicros: 0n } } };
  };
  for (const batch of [of(1, true, 1), of(2, false, 1), of(3, false, 1), of(4, false, 2)]) input.next(batch);
  for (let at = 0; at < 3; at++) {
    await pass();
    t.is(groups.length, at + 1);
    groups[at]!.settle(delivered(1));
  }
  t.deepEqual(
    groups.map((group) => group.payload.blocks.map((block) => Number(block.times[0]))),
    [[1], [2, 3], [4]],
  );
});

test('tables whose names hold line breaks are not taken for one another', async (t) => {
  const { input, groups, pass } = setUp({ workers: 1 });
  const batches = [oneRow('b\nc', 1), oneRow('c', 2), oneRow('c', 3)];
  input.next(oneRow('other', 0));
  for (const [at, database] of ['a', 'a\nb', 'a\nb'].entries()) {
    input.next({ ...batches[at]!, payload: { ...batches[at]!.payload, database } });
  }
  for (let at = 0; at < 3; at++) {
    await pass();
    groups[at]!.settle(delivered(1));
  }
  t.deepEqual(
    groups.map((group) => group.payload.blocks.length),
    [1, 1, 2],
  );
});

test('completes only when everything in flight is settled', async (t) => {
  const { input, groups, isCompleted, pass } = setUp();
  input.next(oneRow('t', 1));
  await pass();
  input.next(oneRow('t', 2));
  await pass();
  input.complete();
  await pass();
  t.false(isCompleted());
  groups[0]!.settle(delivered(1));
  await pass();
  t.false(isCompleted());
  groups[1]!.settle(delivered(1));
  await pass();
  t.true(isCompleted());
});

test('a commit that was stopped sets no more alarms, which would keep the process', async (t) => {
  const { input, groups, pass, clock, subscription } = setUp({ batchSize: 1 });
  input.next({ ...oneRow('a', 1), logged: { sequences: [1], again: async () => [] } });
  await pass();
  t.is(groups.length, 1);
  subscription.unsubscribe();
  t.is(clock.alarms, 0);
  groups[0]!.settle({ outcome: 'failed', fault: fault('network', Codes.free, 'away') });
  await pass();
  t.deepEqual([clock.alarms, groups.length], [0, 1]);
});
