import test from 'ava';
import { Subject } from 'rxjs';
import type { Batch, ByteBlock } from '../../../src/model/batch.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { gather } from '../../../src/pipelines/write/gather.js';
import { stamp } from '../../../src/pipelines/write/stamp.js';

/** The operator, what comes out of it, and how each text that was sent has ended. */
function startGathering() {
  const texts$ = new Subject<Batch<ByteBlock>>();
  const batches: Batch<ByteBlock>[] = [];
  const endings: (readonly [text: string, outcome: Delivery['outcome']])[] = [];
  let isOver = false;
  const subscription = texts$.pipe(gather(), stamp()).subscribe({
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

test('texts of one turn go on as one, which counts for all of them, and one alone as it is', async (t) => {
  const { batches, contents, send } = startGathering();
  send('m v=1 1');
  send('m v=2 2\n');
  await turn();
  send('m v=3 3');
  await turn();
  t.deepEqual(contents(), ['m v=1 1\nm v=2 2\n', 'm v=3 3']);
  t.like(batches[0], { rows: 2, bytes: 15 });
  t.is(batches[1]!.payload.turn, undefined);
});

test('texts that are divided come alone, each ends by itself, and the batch of all of them says nothing to them', async (t) => {
  const { batches, contents, endings, send } = startGathering();
  send('m v=1 1');
  send('m v=2 2');
  await turn();
  const [both] = batches;
  both!.payload.turn!.divide(undefined);
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
  const { batches, send } = startGathering();
  send('m v=1');
  send('m v=2');
  await turn();
  const arrived = { epoch: 1, nowMicros: 1_700_000_000_000_000n };
  batches[0]!.payload.turn!.divide(arrived);
  t.deepEqual(
    batches.slice(1).map(({ target }) => target.reading?.nowMicros),
    [arrived.nowMicros, arrived.nowMicros + 1n],
  );
});

test('texts that are divided after the last one has come still go on, and the end is behind them', (t) => {
  const { batches, contents, send, texts$, isOver } = startGathering();
  send('m v=1 1');
  send('m v=2 2');
  texts$.complete();
  const [both] = batches;
  t.false(isOver());
  both!.payload.turn!.divide(undefined);
  t.deepEqual(contents().slice(1), ['m v=1 1', 'm v=2 2']);
  t.false(isOver());
  both!.settle(delivered(0));
  t.true(isOver());
});

test('where later stages have ended, texts fail: those that are divided, and those of the turn', async (t) => {
  const { batches, endings, send, subscription } = startGathering();
  for (const text of ['m v=1 1', 'm v=2 2']) send(text);
  await turn();
  send('m v=3 3');
  subscription.unsubscribe();
  batches[0]!.payload.turn!.divide(undefined);
  await turn();
  t.deepEqual(endings, [
    ['m v=1 1', 'failed'],
    ['m v=2 2', 'failed'],
    ['m v=3 3', 'failed'],
  ]);
});
