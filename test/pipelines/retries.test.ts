import test from 'ava';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import { type Delivery, delivered } from '../../src/model/delivery.js';
import { Codes, fault } from '../../src/model/fault.js';
import { Retries } from '../../src/pipelines/retries.js';
import { until } from '../support/until.js';

const failed: Delivery = { outcome: 'failed', fault: fault('network', Codes.networkUnavailable, 'away') };

function batch(settle: (delivery: Delivery) => void): Batch<ByteBlock> {
  const target = { database: 'd', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' } as const;
  const payload = { kind: 'bytes', format: 'lineproto', bytes: new Uint8Array(0) } as const;
  return { origin: 'test', target, payload, rows: 1, bytes: 1, settle };
}

test('a batch that failed is tried again until it is stored, and settled once', async (t) => {
  const endings: Delivery[] = [];
  let attempts = 0;
  const retries = new Retries((again) => {
    attempts++;
    again.settle(attempts < 3 ? failed : delivered(1));
  });
  retries.wrap(batch((delivery) => endings.push(delivery))).settle(failed);
  t.true(await until(() => endings.length > 0));
  t.deepEqual(endings, [delivered(1)]);
  t.is(attempts, 3);
  t.is(retries.waiting, 0);
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
  const retries = new Retries(() => t.fail());
  retries.wrap(batch((delivery) => endings.push(delivery))).settle(failed);
  t.deepEqual(endings, []);
  retries.stop();
  t.deepEqual(endings, [failed]);
});
