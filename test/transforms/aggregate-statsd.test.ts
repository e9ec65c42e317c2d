import { mock } from 'node:test';
import test from 'ava';
import { Subject } from 'rxjs';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import { type Delivery, delivered } from '../../src/model/delivery.js';
import { Codes, fault } from '../../src/model/fault.js';
import { aggregateStatsd, type StatCounts } from '../../src/transforms/aggregate-statsd.js';
import { StatStore } from '../../src/transforms/stat-store.js';
import { deleteAll, statLimits } from '../support/messages/stat-lines.js';
import { until } from '../support/until.js';

/** The clock that cuts flushes into turns; it stands still, however busy the machine is. */
let nowMs = 0;
const clock = mock.method(performance, 'now', () => nowMs);
test.after.always(() => clock.mock.restore());

const target = { database: 'd', user: 'u', createDatabase: false, ttl: 0 };

function make(workers = 2, blockBytes = 4096, take?: (batch: Batch<ByteBlock>) => void) {
  const texts$ = new Subject<Batch<ByteBlock>>();
  const ticks$ = new Subject<void>();
  const counts: StatCounts = { messages: 0, rejectedLines: 0, ignoredLines: 0, flushes: 0, skippedTicks: 0 };
  const store = new StatStore(statLimits, deleteAll, []);
  const out: Batch<ByteBlock>[] = [];
  const state = { ended: false };
  const options = { origin: 'statsgw', target, ticks$, nowMicros: () => 7n, workers, blockBytes };
  texts$.pipe(aggregateStatsd(store, options, counts)).subscribe({
    next: take ?? ((batch) => out.push(batch)),
    complete: () => {
      state.ended = true;
    },
  });
  const send = (text: string): Delivery | undefined => {
    const bytes = Buffer.from(text);
    let ending: Delivery | undefined;
    const settle = (delivery: Delivery): void => {
      ending = delivery;
    };
    const payload = { kind: 'bytes', format: 'statsd', bytes } as const;
    texts$.next({
      origin: 'statsgw',
      target: { ...target, precision: 'ns' },
      payload,
      rows: 1,
      bytes: bytes.length,
      settle,
    });
    return ending;
  };
  const texts = () => out.map((batch) => Buffer.from(batch.payload.bytes).toString());
  return { texts$, ticks$, counts, out, state, send, texts };
}

test('a text is settled when it is collected, and a tick writes what was collected', (t) => {
  const { ticks$, out, send, texts, counts } = make();
  t.like(send('a:1|c\nbad\na:2|c'), { outcome: 'delivered', rows: 2, rejectedRows: 1 });
  t.deepEqual(out, []);
  ticks$.next();
  t.deepEqual(texts(), ['a,metric_type=counter value=3 7\n']);
  t.like(out[0], { rows: 1, target: { ...target, precision: 'us' }, payload: { format: 'lineproto' } });
  t.like(counts, { messages: 2, rejectedLines: 1, flushes: 1 });
  ticks$.next();
  t.is(out.length, 1);
});

test('times of flushes grow, even when the clock does not', (t) => {
  const { ticks$, send, texts } = make();
  send('a:1|c');
  ticks$.next();
  send('a:1|c');
  ticks$.next();
  t.deepEqual(
    texts().map((text) => text.trim().split(' ').at(-1)),
    ['7', '8'],
  );
});

test('while writing stands still collecting goes on, and nothing is lost when it works again', (t) => {
  const { ticks$, out, send, texts, counts } = make(2);
  for (let i = 0; i < 10; i++) {
    send('a:1|c');
    ticks$.next();
  }
  t.is(out.length, 2);
  t.is(counts.skippedTicks, 8);
  out[0]?.settle({ outcome: 'failed', fault: fault('network', Codes.networkUnavailable, 'down') });
  ticks$.next();
  t.deepEqual(
    texts().map((text) => /value=(\d+)/.exec(text)?.[1]),
    ['1', '1', '8'],
  );
});

test('a flush of many series goes out in blocks, as many at once as there are workers', (t) => {
  const { ticks$, out, send, texts } = make(2, 2048);
  send(Array.from({ length: 200 }, (_, i) => `name.${i}:1|c`).join('\n'));
  ticks$.next();
  t.is(out.length, 2);
  for (let i = 0; i < out.length; i++) out[i]?.settle(delivered(1));
  t.true(out.length > 5);
  t.is(texts().join('').trim().split('\n').length, 200);
  t.is(
    out.reduce((rows, batch) => rows + batch.rows, 0),
    200,
  );
});

test('the event loop runs between the blocks of a flush', async (t) => {
  let [blocks, rows] = [0, 0];
  const { ticks$, send } = make(2, 2048, (batch) => {
    nowMs += 11;
    blocks++;
    rows += batch.rows;
    batch.settle(delivered(batch.rows));
  });
  send(Array.from({ length: 200 }, (_, i) => `name.${i}:1|c`).join('\n'));
  ticks$.next();
  t.is(blocks, 1);
  t.true(await until(() => rows === 200));
});

test('the end of the text flushes what is left and waits for it', (t) => {
  const { texts$, out, send, state, texts } = make();
  send('a:5|c');
  texts$.complete();
  t.deepEqual(texts(), ['a,metric_type=counter value=5 7\n']);
  t.false(state.ended);
  out[0]?.settle(delivered(1));
  t.true(state.ended);
});

test('the end of the text finishes the running flush, and then writes the rest', (t) => {
  const { texts$, ticks$, out, send, state, texts } = make(1, 2048);
  send(Array.from({ length: 60 }, (_, i) => `name.${i}:1|c`).join('\n'));
  ticks$.next();
  send('name.0:1|c');
  texts$.complete();
  for (let i = 0; i < out.length; i++) out[i]?.settle(delivered(1));
  t.true(state.ended);
  t.is(texts().join('').trim().split('\n').length, 61);
});

test('without anything to write the end comes at once', (t) => {
  const { texts$, state } = make();
  texts$.complete();
  t.true(state.ended);
});
