import type { ExecutionContext } from 'ava';
import type { Delivery } from '../../src/model/delivery.js';

/** One sink under test with batches `B` that end in different ways. */
export interface SinkUnderTest<B extends { readonly rows: number }> {
  readonly sink: { write(batch: B, deadline: AbortSignal): Promise<Delivery>; stop?(): Promise<void> };
  /** A good batch of new rows, another one with every call. */
  good(): B;
  /** A batch that can never be written, such as one for a database that does not exist; undefined when nobody would say so. */
  impossible(): B | undefined;
  /** Rows that a reader finds now; `expected` is how many there will be, for sinks that are not told what is stored. */
  stored(expected: number): Promise<number>;
  /** Makes every write fail as an outage does; the result ends the outage. */
  outage(): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

const soon = () => AbortSignal.timeout(20_000);

/**
 * What every sink must hold: a row it calls delivered is found once by a reader, expected trouble is a delivery and not
 * an exception, the deadline is kept, and it never settles a batch itself.
 */
export function sinkContract<B extends { readonly rows: number }>(
  test: (title: string, run: (t: ExecutionContext) => Promise<void>) => void,
  name: string,
  make: () => Promise<SinkUnderTest<B>>,
): void {
  test(`${name}: every delivered row is found exactly once, also when writes overlap`, async (t) => {
    const rig = await make();
    const batches = Array.from({ length: 5 }, () => rig.good());
    const endings = await Promise.all(batches.map((batch) => rig.sink.write(batch, soon())));
    t.deepEqual(
      endings.map((ending) => ending.outcome),
      batches.map(() => 'delivered'),
    );
    const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
    t.is(await rig.stored(rows), rows);
    await rig.end();
  });

  test(`${name}: a write that can never work is rejected, an outage fails for now, and neither is thrown`, async (t) => {
    const rig = await make();
    const impossible = rig.impossible();
    if (impossible !== undefined) t.is((await rig.sink.write(impossible, soon())).outcome, 'rejected');
    const batch = rig.good();
    const endOutage = await rig.outage();
    t.is((await rig.sink.write(batch, soon())).outcome, 'failed');
    await endOutage();
    t.is((await rig.sink.write(batch, soon())).outcome, 'delivered');
    t.is(await rig.stored(batch.rows), batch.rows);
    await rig.end();
  });

  test(`${name}: a deadline that has passed ends the write as failed`, async (t) => {
    const rig = await make();
    t.is((await rig.sink.write(rig.good(), AbortSignal.abort())).outcome, 'failed');
    await rig.end();
  });

  test(`${name}: may be stopped without a start, and twice`, async (t) => {
    const rig = await make();
    await rig.sink.stop?.();
    await rig.sink.stop?.();
    await rig.end();
    t.pass();
  });
}
