import test from 'ava';
import { Subject } from 'rxjs';
import type { Batch, ByteBlock } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { coalesce } from '../../../src/pipelines/write/coalesce.js';
import { stamp } from '../../../src/pipelines/write/stamp.js';

/** The operator, what comes out of it, and how each text that was sent has ended. */
function startCoalescing() {
  const texts$ = new Subject<Batch<ByteBlock>>();
  const batches: Batch<ByteBlock>[] = [];
  const endings: (readonly [text: string, outcome: Delivery['outcome']])[] = [];
  let isOver = false;
  const subscription = texts$.pipe(coalesce(), stamp()).subscribe({
    next: (batch) => batches.push(batch),
    complete: () => {
      isOver = true;
    },
  });
  const send = (text: string): void => {
    const bytes = Buffer.from(text);
    const target = { database: 'demo', user: 'root', createDatabase: false, ttl: 0, precision: 'ns' } as const;
    const payload = { kind: 'bytes', format: 'lineproto', bytes } as const;
    const settle = ({ outcome }: Delivery) => endings.push([text, outcome]);
    texts$.next({ origin: 'lineproto', target, payload, rows: 0, bytes: bytes.length, settle });
  };
  const contents = () => batches.map(({ payload }) => Buffer.from(payload.bytes).toString());
  return { texts$, subscription, batches, endings, send, contents, isOver: () => isOver };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('payloads of one turn go on as one, which counts for all of them, and one alone as it is', async (t) => {
  const { batches, contents, send } = startCoalescing();
  send('m v=1 1');
  send('m v=2 2\n');
  await turn();
  send('m v=3 3');
  await turn();
  t.deepEqual(contents(), ['m v=1 1\nm v=2 2\n', 'm v=3 3']);
  t.like(batches[0], { rows: 2, bytes: 15 });
  t.deepEqual(batches[0]!.payload.merged?.ends, [8, 16]);
  t.is(batches[1]!.payload.merged, undefined);
});

test('texts that are divided come alone, each ends by itself, and the batch of all of them says nothing to them', async (t) => {
  const { batches, contents, endings, send } = startCoalescing();
  send('m v=1 1');
  send('m v=2 2');
  await turn();
  const [both] = batches;
  both!.payload.merged!.divide([0, 1, 2], undefined);
  both!.settle(delivered(0));
  t.deepEqual(contents().slice(1), ['m v=1 1', 'm v=2 2']);
  t.deepEqual(endings, []);
  batches[2]!.settle({ outcome: 'shed', reason: 'draining' });
  batches[1]!.settle(delivered(1));
  t.deepEqual(endings, [
    ['m v=2 2', 'shed'],
    ['m v=1 1', 'delivered'],
  ]);
});

test('texts that are divided later have come when they came, and none at the same time as another one', async (t) => {
  const { batches, send } = startCoalescing();
  send('m v=1 1');
  send('m v=2 2');
  await turn();
  const arrived = { epoch: 1, nowMicros: 1_700_000_000_000_000n };
  batches[0]!.payload.merged!.divide([0, 1, 2], arrived);
  t.deepEqual(
    batches.slice(1).map(({ target }) => target.reading?.nowMicros),
    [arrived.nowMicros, arrived.nowMicros + 1n],
  );
});

test('payloads that are divided in parts of several come as such parts, in their order', async (t) => {
  const { batches, contents, endings, send } = startCoalescing();
  for (const text of ['m v=1 1', 'm v=2 2', 'm v=3 3', 'm v=4 4']) send(text);
  await turn();
  batches[0]!.payload.merged!.divide([0, 2, 3, 4], undefined);
  batches[0]!.settle(delivered(0));
  t.deepEqual(contents().slice(1), ['m v=1 1\nm v=2 2\n', 'm v=3 3', 'm v=4 4']);
  batches[1]!.payload.merged!.shares = [delivered(1), delivered(0, 1)];
  batches[1]!.settle(delivered(1, 1));
  t.deepEqual(endings, [
    ['m v=1 1', 'delivered'],
    ['m v=2 2', 'delivered'],
  ]);
});

test('payloads with strings are merged, and those without a time or with an open string are not', async (t) => {
  const { contents, send } = startCoalescing();
  for (const text of ['m s="a\nb" 1', 'm s="c" 2\n', 'm v=3', 'm s="open', 'm v=5 5', 'm s="\\"d" 6']) send(text);
  await turn();
  t.deepEqual(contents(), ['m s="a\nb" 1\nm s="c" 2\n', 'm v=3', 'm s="open', 'm v=5 5\nm s="\\"d" 6\n']);
});

test('texts that are divided after the last one has come still go on, and the end is behind them', (t) => {
  const { batches, contents, send, texts$, isOver } = startCoalescing();
  send('m v=1 1');
  send('m v=2 2');
  texts$.complete();
  const [both] = batches;
  t.false(isOver());
  both!.payload.merged!.divide([0, 1, 2], undefined);
  t.deepEqual(contents().slice(1), ['m v=1 1', 'm v=2 2']);
  t.false(isOver());
  both!.settle(delivered(0));
  t.true(isOver());
});

test('where later stages have ended, texts fail: those that are divided, and those of the turn', async (t) => {
  const { batches, endings, send, subscription } = startCoalescing();
  for (const text of ['m v=1 1', 'm v=2 2']) send(text);
  await turn();
  send('m v=3 3');
  subscription.unsubscribe();
  batches[0]!.payload.merged!.divide([0, 1, 2], undefined);
  await turn();
  t.deepEqual(endings, [
    ['m v=1 1', 'failed'],
    ['m v=2 2', 'failed'],
    ['m v=3 3', 'failed'],
  ]);
});
