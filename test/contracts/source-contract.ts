import type { TestFn } from 'ava';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import type { Source } from '../../src/model/component.js';
import { type Delivery, delivered } from '../../src/model/delivery.js';
import { Codes, fault } from '../../src/model/fault.js';
import type { ByteCreditGate } from '../../src/pipelines/credit-gate.js';
import { withCredit } from '../../src/pipelines/write/intake.js';
import { until } from '../support/until.js';

/** One source under test, with the means to feed it and to learn what its sender was told. */
export interface SourceUnderTest {
  readonly source: Source<ByteBlock>;
  readonly gate: ByteCreditGate;
  /** Sends text as a client would; resolves with the ending the client learns, or undefined when nothing was taken. */
  send(text: string): Promise<Delivery | undefined>;
  /** How often it has shed something, where it does so instead of letting senders wait. */
  readonly shed?: () => number;
}

/** More than any gate has. */
const allCredit = 2 ** 40;

const failed: Delivery = { outcome: 'failed', fault: fault('network', Codes.networkUnavailable, 'down') };
const rejected: Delivery = {
  outcome: 'rejected',
  fault: fault('database', Codes.databaseNotExist, 'no such database'),
};

/** Settles every batch with the endings given in turn, the last one again and again. */
function settleWith({ source, gate }: SourceUnderTest, ...endings: Delivery[]): Batch<ByteBlock>[] {
  const seen: Batch<ByteBlock>[] = [];
  source.batches$.pipe(withCredit(gate)).subscribe((batch) => {
    seen.push(batch);
    const ending = endings.length > 1 ? endings.shift()! : endings[0]!;
    setImmediate(() => batch.settle(ending));
  });
  return seen;
}

function text(batches: readonly Batch<ByteBlock>[]): string {
  return Buffer.concat(batches.map((batch) => Buffer.from(batch.payload.bytes))).toString();
}

async function soon<T>(work: Promise<T>): Promise<T | 'waiting'> {
  return Promise.race([work, new Promise<'waiting'>((resolve) => setTimeout(() => resolve('waiting'), 50))]);
}

/**
 * What every source must hold: all it reads comes out once, the sender learns the worst ending, credit comes back in
 * every case, a shut gate stops the reading, a drain waits for what was taken. `large` is text that becomes several batches.
 * A gate that is held makes senders wait, or what they send is shed where they cannot.
 */
export function sourceContract(
  test: TestFn,
  name: string,
  make: () => Promise<SourceUnderTest>,
  large: string,
  whenHeld: 'waits' | 'sheds' = 'waits',
): void {
  test(`${name}: everything that is read comes out once and the sender learns that it was delivered`, async (t) => {
    const rig = await make();
    const seen = settleWith(rig, delivered(1));
    t.is((await rig.send(large))?.outcome, 'delivered');
    t.is(text(seen), large);
    t.true(seen.length > 1);
    t.is(rig.gate.bytes, 0);
  });

  test(`${name}: the worst ending of several batches is the sender's, and all credit comes back`, async (t) => {
    for (const [endings, expected] of [
      [[delivered(1), failed, delivered(1)], 'failed'],
      [[delivered(1), rejected, delivered(1)], 'rejected'],
      [[delivered(1), failed, rejected, delivered(1)], 'failed'],
    ] as const) {
      const rig = await make();
      settleWith(rig, ...endings);
      t.is((await rig.send(large))?.outcome, expected);
      t.is(rig.gate.bytes, 0);
    }
  });

  test(`${name}: a gate without credit stops the reading, and reading goes on when there is credit`, async (t) => {
    const rig = await make();
    const seen = settleWith(rig, delivered(1));
    rig.gate.take(allCredit);
    const ending = rig.send(large);
    t.is(await soon(ending), 'waiting');
    t.true(text(seen).length < large.length);
    rig.gate.give(allCredit);
    t.is((await ending)?.outcome, 'delivered');
    t.is(text(seen), large);
  });

  test(`${name}: a gate that is held ${whenHeld === 'waits' ? 'stops the reading' : 'sheds what comes'}`, async (t) => {
    const rig = await make();
    const seen = settleWith(rig, delivered(1));
    const release = rig.gate.hold('test');
    const ending = rig.send(large);
    if (whenHeld === 'sheds') t.true(await until(() => (rig.shed?.() ?? 0) > 0));
    else await soon(ending);
    t.true(text(seen).length < large.length);
    release();
    if (whenHeld === 'sheds') return;
    t.is((await ending)?.outcome, 'delivered');
    t.is(text(seen), large);
  });

  test(`${name}: a drain waits for what was taken, and nothing new is taken after it`, async (t) => {
    const rig = await make();
    const open: Batch<ByteBlock>[] = [];
    rig.source.batches$.pipe(withCredit(rig.gate)).subscribe((batch) => open.push(batch));
    const ending = rig.send('one line\n');
    t.true(await until(() => open.length > 0));
    const drained = rig.source.drain();
    t.is(await soon(drained.then(() => 'drained')), 'waiting');
    for (const batch of open) batch.settle(delivered(1));
    await drained;
    t.is((await ending)?.outcome, 'delivered');
    const count = open.length;
    t.not(await soon(rig.send('too late\n').then((delivery) => delivery?.outcome)), 'delivered');
    t.is(open.length, count);
  });

  test(`${name}: a stop releases what a drain still waits for`, async (t) => {
    const rig = await make();
    rig.source.batches$.pipe(withCredit(rig.gate)).subscribe(() => {});
    void rig.send('one line\n');
    await soon(new Promise(() => {}));
    void rig.source.drain();
    await rig.source.stop();
    t.pass();
  });

  test(`${name}: may be stopped without a start, and twice`, async (t) => {
    const { source } = await make();
    await source.stop();
    await source.stop();
    t.pass();
  });
}
