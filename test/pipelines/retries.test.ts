import test from 'ava';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import { type Delivery, delivered } from '../../src/model/delivery.js';
import { Codes, fault } from '../../src/model/fault.js';
import { Retries } from '../../src/pipelines/retries.js';
import { ManualClock } from '../support/manual-clock.js';

const failed: Delivery = { outcome: 'failed', fault: fault('network', Codes.networkUnavailable, 'away') };

function batch(settle: (delivery: Delivery) => void): Batch<ByteBlock> {
  const target = { database: 'd', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' } as const;
  const payload = { kind: 'bytes', format: 'lineproto', bytes: new Uint8Array(0) } as const;
  return { origin: 'test', target, payload, rows: 1, bytes: 1, settle };
}

test('a batch that failed is tried again after longer and longer pauses until it is stored, and settled once', (t) => {
  const endings: Delivery[] = [];
  const clock = new ManualClock();
  const times: number[] = [0];
  const retries = new Retries((again) => {
    times.push(clock.now());
    again.settle(times.length < 12 ? failed : delivered(1));
  }, clock);
  retries.wrap(batch((delivery) => endings.push(delivery))).settle(failed);
  t.is(retries.waiting, 1);
  clock.pass(60_000);
  t.deepEqual(endings, [delivered(1)]);
  t.is(retries.waiting, 0);
  const most = [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, 5000];
  for (const [i, mostMs] of most.entries()) {
    const pauseMs = times[i + 1]! - times[i]!;
    t.true(pauseMs >= mostMs / 2 && pauseMs <= mostMs, `pause ${i}: ${pauseMs} ms`);
  }
});

test('a rejected batch is not tried again', (t) => {
  const endings: Delivery[] = [];
  const retries = new Retries(() => t.fail());
  const rejected: Delivery = { outcome: 'rejected', fault: fault('parameter', Codes.schemalessData, 'bad') };
  retries.wrap(batch((delivery) => endings.push(delivery))).settle(rejected);
  t.deepEqual(endings, [rejected]);
});

test('what waits when the service stops ends as its last attempt did', (t) => {
  const endings: Delivery[] = [];
  const clock = new ManualClock();
  const retries = new Retries(() => t.fail(), clock);
  retries.wrap(batch((delivery) => endings.push(delivery))).settle(failed);
  t.deepEqual(endings, []);
  retries.stop();
  t.deepEqual(endings, [failed]);
  clock.pass(60_000);
  t.is(retries.waiting, 0);
});
