import type { TestFn } from 'ava';
import type { Batch, BlockGroup } from '../../src/model/batch.js';
import type { Sink } from '../../src/model/component.js';

/** One sink under test with batches that end in different ways. */
export interface SinkUnderTest {
  readonly sink: Sink<BlockGroup>;
  /** A good batch of new rows, another one with every call. */
  good(): Batch<BlockGroup>;
  /** A batch that can never be written, such as one for a database that does not exist. */
  impossible(): Batch<BlockGroup>;
  /** Rows that a reader finds now. */
  stored(): Promise<number>;
  /** Makes every write fail as an outage does; the result ends the outage. */
  outage(): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

const soon = () => AbortSignal.timeout(20_000);

/**
 * What every sink must hold: a row it calls delivered is found once by a reader, expected trouble is a delivery and not
 * an exception, the deadline is kept, and it never settles a batch itself.
 */
export function sinkContract(test: TestFn, name: string, make: () => Promise<SinkUnderTest>): void {
  test(`${name}: every delivered row is found exactly once, also when writes overlap`, async (t) => {
    const made = await make();
    const batches = Array.from({ length: 5 }, () => made.good());
    const endings = await Promise.all(batches.map((batch) => made.sink.write(batch, soon())));
    t.deepEqual(
      endings.map((ending) => ending.outcome),
      batches.map(() => 'delivered'),
    );
    t.is(
      await made.stored(),
      batches.reduce((sum, batch) => sum + batch.rows, 0),
    );
    await made.end();
  });

  test(`${name}: a write that can never work is rejected, an outage fails for now, and neither is thrown`, async (t) => {
    const made = await make();
    t.is((await made.sink.write(made.impossible(), soon())).outcome, 'rejected');
    const batch = made.good();
    const endOutage = await made.outage();
    t.is((await made.sink.write(batch, soon())).outcome, 'failed');
    await endOutage();
    t.is((await made.sink.write(batch, soon())).outcome, 'delivered');
    t.is(await made.stored(), batch.rows);
    await made.end();
  });

  test(`${name}: a deadline that has passed ends the write as failed`, async (t) => {
    const made = await make();
    t.is((await made.sink.write(made.good(), AbortSignal.abort())).outcome, 'failed');
    await made.end();
  });

  test(`${name}: may be stopped without a start, and twice`, async (t) => {
    const made = await make();
    await made.sink.stop();
    await made.sink.stop();
    await made.end();
    t.pass();
  });
}
