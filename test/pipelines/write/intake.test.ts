import test from 'ava';
import { BehaviorSubject, Subject } from 'rxjs';
import type { Batch, ByteBlock } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { pausedWhile, withCredit } from '../../../src/pipelines/write/intake.js';

const target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' } as const;

function batchOf(text: string, deliveries: Delivery[] = []): Batch<ByteBlock> {
  const payload = { kind: 'bytes', format: 'lineproto', bytes: Buffer.from(text) } as const;
  return {
    origin: 'test',
    target,
    payload,
    rows: 1,
    bytes: text.length,
    settle: (delivery) => deliveries.push(delivery),
  };
}

test('a batch takes its bytes out of the credit until it is settled', (t) => {
  const gate = new ByteCreditGate(10);
  const source = new Subject<Batch<ByteBlock>>();
  const passed: Batch<ByteBlock>[] = [];
  source.pipe(withCredit(gate)).subscribe((batch) => passed.push(batch));
  const deliveries: Delivery[] = [];
  source.next(batchOf('seven b', deliveries));
  source.next(batchOf('four', deliveries));
  t.deepEqual([gate.bytes, gate.isOpen()], [11, false]);
  passed[0]!.settle(delivered(1));
  t.deepEqual([gate.bytes, gate.isOpen(), deliveries], [4, true, [delivered(1)]]);
});

test('batches wait during a pause, and pass on in their order after it', (t) => {
  const paused$ = new BehaviorSubject(true);
  const source = new Subject<Batch<ByteBlock>>();
  const events: string[] = [];
  source.pipe(pausedWhile(paused$)).subscribe({
    next: ({ payload }) => events.push(Buffer.from(payload.bytes).toString()),
    complete: () => events.push('complete'),
  });
  for (const text of ['a', 'b']) source.next(batchOf(text));
  t.deepEqual(events, []);
  paused$.next(false);
  source.next(batchOf('c'));
  t.deepEqual(events, ['a', 'b', 'c']);
  paused$.next(true);
  source.next(batchOf('d'));
  source.complete();
  t.deepEqual(events, ['a', 'b', 'c', 'd', 'complete'], 'what waits at the end is not lost');
  t.false(paused$.observed);
});
