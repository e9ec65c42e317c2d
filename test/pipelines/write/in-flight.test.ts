import test from 'ava';
import { staleSchema } from '../../../src/database/store/stale-schema.js';
import type { Batch } from '../../../src/model/batch.js';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { delivered } from '../../../src/model/delivery.js';
import { Codes, type Fault, FaultError, fault } from '../../../src/model/fault.js';
import { type AnsweredRows, InFlightRows } from '../../../src/pipelines/write/in-flight.js';
import type { RejectedRows } from '../../../src/wal/rejected-rows.js';
import { blockOf, int } from '../../support/blocks/blocks.js';
import { until } from '../../support/until.js';

const target = { database: 'demo', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' } as const;
const place = { segment: { number: 1, path: '', size: 0, open: 0 }, offset: 0, length: 0 };

/** The rows of one text in flight; `isKept` tells whether rejected rows come to their file. */
function inFlightOf(read: () => Promise<AnsweredRows>, isKept = true) {
  const rejected: RejectedRows[] = [];
  const batches: Batch<ColumnBlock>[] = [];
  const ended: number[] = [];
  const text = {
    ...target,
    sequence: 1,
    origin: 'lineproto',
    format: 'lineproto',
    isWithin: true,
    receivedMicros: 0n,
    nowNs: 0n,
    zone: '',
    rejectedRows: 0,
    bytes: Buffer.from('m v=1'),
    part: undefined,
  } as const;
  const context = {
    wal: { read: async () => text, ended: () => ended.push(1) },
    rejected: { add: async (rows: RejectedRows) => rejected.push(rows) > 0 && isKept },
    read,
    forward: (batch: Batch<ColumnBlock>) => batches.push(batch),
    earlierGroupOf: () => undefined,
    progressed: () => undefined,
  };
  const inFlight = new InFlightRows(context as unknown as ConstructorParameters<typeof InFlightRows>[0]);
  const records = [{ sequence: 1, place }];
  const add = (blocks: readonly ColumnBlock[]): void => {
    inFlight.add(
      { origin: 'lineproto', target },
      records,
      blocks.map((block) => ({ block, records })),
    );
  };
  return { inFlight, add, rejected, batches, ended };
}

/** The rows of one text in flight, which cannot be read again for a reason. */
function unreadable(reason: Fault, isKept = true, rows: Parameters<typeof blockOf>[2] = [[1n, 1n, { v: 1 }]]) {
  const { add, batches, ...rest } = inFlightOf(() => Promise.reject(new FaultError(reason)), isKept);
  add([blockOf('m', { v: int }, rows)]);
  const [batch] = batches;
  return { ...rest, again: batch!.logged!.again(staleSchema), batch: batch! };
}

/** What a promise gives before the end of some turns of the event loop. */
function soon<T>(work: Promise<T>): Promise<T | 'waiting'> {
  return Promise.race([
    work,
    new Promise<'waiting'>((resolve) => setImmediate(() => setImmediate(resolve, 'waiting'))),
  ]);
}

const gone = fault('database', Codes.tableNotExist, 'Table "m" does not exist');

test('rows that cannot be read again any more come to the file of rejected rows', async (t) => {
  const { rejected, again, batch, ended } = unreadable(gone);
  t.deepEqual(await again, []);
  t.deepEqual(
    rejected.map(({ table, rows, fault: reason }) => [table, rows, reason]),
    [['m', 1, gone]],
  );
  batch.settle(delivered(1));
  t.true(await until(() => ended.length === 1));
});

test('rows that might be read later, and rejected ones without their file, stay in the log when the service ends', async (t) => {
  const later = unreadable(fault('network', Codes.networkUnavailable, 'away'));
  later.inFlight.stop();
  t.is(await soon(later.again), 'waiting');
  t.deepEqual(later.rejected, []);
  const { again, batch, ended, inFlight } = unreadable(gone, false);
  t.deepEqual(await again, []);
  const kept = inFlight.rejections.of(batch);
  t.not(kept, undefined);
  batch.settle(delivered(1));
  t.is(await kept, false);
  t.deepEqual(ended, []);
});

test('rows are not stuck as long as more of them are given to the database', async (t) => {
  const { inFlight, batch } = unreadable(gone);
  t.true(await until(() => inFlight.stuckMs > 100));
  const before = inFlight.stuckMs;
  inFlight.progressed();
  t.true(inFlight.stuckMs < before);
  batch.settle(delivered(1));
  t.is(inFlight.stuckMs, 0);
});

test('texts count for the memory of their rows, and not for their bytes', (t) => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, i) => [BigInt(i), 1n, { v: i }] as const);
  const [few, many] = [1, 1_001].map((count) => unreadable(gone, true, rowsOf(count)).inFlight.bytes);
  // Two words of 64 bits, one of 32, and whether that is NULL.
  t.is(many! - few!, 1_000 * (8 + 8 + 4 + 1));
});

test('short texts count for the memory that their rows take, a hundred times their bytes', (t) => {
  const { inFlight, batch } = unreadable(gone);
  t.true(inFlight.bytes > 3_000);
  batch.settle(delivered(1));
  t.is(inFlight.bytes, 0);
});

test('a block with a stale schema is read again, although another of its table and text came before', async (t) => {
  const blocks = [1n, 2n, 3n].map((time) => blockOf('m', { v: int }, [[1n, time, { v: 1 }]]));
  const payload = { kind: 'rows', blocks: blocks.slice(0, 2), rejectedRows: 0, rejects: [] } as const;
  const refused = [{ table: 'm', rows: 1, fault: gone }];
  const { add, batches, rejected, ended } = inFlightOf(async () => ({ target, payload, refused }));
  add(blocks);
  const [first, second, third] = batches;
  first!.settle(delivered(1));
  const next = await second!.logged!.again(staleSchema);
  t.deepEqual(
    next.map(({ payload: { times } }) => times[0]),
    [1n, 2n],
  );
  t.deepEqual(await third!.logged!.again(staleSchema), [], 'the rows of all have been read');
  t.true(await until(() => rejected.length === 1));
  t.like(rejected[0], { table: 'm', rows: 1, fault: gone });
  for (const batch of [...next, third!]) {
    t.deepEqual(ended, []);
    batch.settle(delivered(1));
  }
  t.deepEqual(ended, [1]);
});
