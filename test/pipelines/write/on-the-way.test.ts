import test from 'ava';
import type { Batch } from '../../../src/model/batch.js';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { delivered } from '../../../src/model/delivery.js';
import { Codes, type Fault, FaultError, fault } from '../../../src/model/fault.js';
import { OnTheWay } from '../../../src/pipelines/write/on-the-way.js';
import type { RejectedRows } from '../../../src/wal/rejected-rows.js';
import { blockOf, int } from '../../support/blocks/blocks.js';
import { until } from '../../support/until.js';

const target = { database: 'demo', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' } as const;
const place = { segment: { number: 1, path: '', size: 0, open: 0 }, offset: 0, length: 0 };

/** The rows of one text on their way, which cannot be read again for a reason; `isKept` tells whether rejected rows come to their file. */
function unreadable(reason: Fault, isKept = true, rows: Parameters<typeof blockOf>[2] = [[1n, 1n, { v: 1 }]]) {
  const rejected: RejectedRows[] = [];
  const batches: Batch<ColumnBlock>[] = [];
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
    wal: { read: async () => text, ended: () => undefined },
    rejected: { add: async (rows: RejectedRows) => rejected.push(rows) > 0 && isKept },
    read: async () => {
      throw new FaultError(reason);
    },
    handOn: (batch: Batch<ColumnBlock>) => batches.push(batch),
    earlierGroupOf: () => undefined,
    wentOn: () => undefined,
  };
  const way = new OnTheWay(context as unknown as ConstructorParameters<typeof OnTheWay>[0]);
  const records = [{ sequence: 1, place }];
  way.add({ origin: 'lineproto', target }, records, [{ block: blockOf('m', { v: int }, rows), records }]);
  const [batch] = batches;
  const again = batch!.logged!.again();
  return { way, rejected, again, batch: batch! };
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
  const { rejected, again } = unreadable(gone);
  t.deepEqual(await again, []);
  t.deepEqual(
    rejected.map(({ table, fault: reason }) => [table, reason]),
    [['m', gone]],
  );
});

test('rows that might be read later, and rejected ones without their file, stay in the log when the service ends', async (t) => {
  const later = unreadable(fault('network', Codes.networkUnavailable, 'away'));
  later.way.stop();
  t.is(await soon(later.again), 'waiting');
  t.deepEqual(later.rejected, []);
  t.is(await soon(unreadable(gone, false).again), 'waiting');
});

test('rows are not stuck as long as more of them are given to the database', async (t) => {
  const { way, batch } = unreadable(gone);
  t.true(await until(() => way.stuckMs > 100));
  const before = way.stuckMs;
  way.goesOn();
  t.true(way.stuckMs < before);
  batch.settle(delivered(1));
  t.is(way.stuckMs, 0);
});

test('texts count for the memory of their rows, and not for their bytes', (t) => {
  const rowsOf = (count: number) => Array.from({ length: count }, (_, i) => [BigInt(i), 1n, { v: i }] as const);
  const [few, many] = [1, 1_001].map((count) => unreadable(gone, true, rowsOf(count)).way.bytes);
  // Two words of 64 bits, one of 32, and whether that is NULL.
  t.is(many! - few!, 1_000 * (8 + 8 + 4 + 1));
});

test('short texts count for the memory that their rows take, a hundred times their bytes', (t) => {
  const { way, batch } = unreadable(gone);
  t.true(way.bytes > 3_000);
  batch.settle(delivered(1));
  t.is(way.bytes, 0);
});
