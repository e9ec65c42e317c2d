import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { BehaviorSubject, Subject } from 'rxjs';
import { BodyBudget } from '../../src/async/body-budget.js';
import { Catalogue } from '../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../src/database/engine/client.js';
import { SubTables } from '../../src/database/store/sub-tables.js';
import type { Batch, ByteBlock } from '../../src/model/batch.js';
import type { Source } from '../../src/model/component.js';
import type { Delivery } from '../../src/model/delivery.js';
import { ByteCreditGate } from '../../src/pipelines/credit-gate.js';
import { WritePipeline } from '../../src/pipelines/writes.js';
import { HttpBodySource } from '../../src/sources/http-body/source.js';
import { LineCutter } from '../../src/transforms/wire/line-cutter.js';
import { blockOf, int } from '../support/blocks/blocks.js';
import { silentLog } from '../support/engine/engine.js';
import { until } from '../support/until.js';

const perText = { smallBodyBytes: 1000, blockBytes: 1000, maxLineBytes: 1000 };
const limits = {
  workers: 1,
  batchSize: 10,
  maxRows: 10,
  maxBytes: 1e6,
  flushIntervalMs: 1000,
  maxLineBytes: 1000,
  maxMessageBytes: 1000,
  writeTimeoutMs: 1000,
  creditBytes: 1e6,
};

/** A source of batches of ten bytes, with the deliveries that they got. */
class TestSource implements Source<ByteBlock> {
  readonly name = 'test';
  readonly batches$ = new Subject<Batch<ByteBlock>>();
  readonly deliveries: Delivery[] = [];

  emit(): void {
    const target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' } as const;
    const payload = { kind: 'bytes', format: 'lineproto', bytes: Buffer.from('m v=1i 123') } as const;
    const settle = (delivery: Delivery) => this.deliveries.push(delivery);
    this.batches$.next({ origin: 'test', target, payload, rows: 1, bytes: 10, settle });
  }

  async drain(): Promise<void> {
    await until(() => this.deliveries.length > 0);
  }

  async stop(): Promise<void> {
    this.batches$.complete();
  }
}

test('what was read before a pause waits at the entry of the chain, and goes on after it, or when the service stops', async (t) => {
  const engine = new EngineClient({ url: 'http://127.0.0.1:9', user: '', password: '' });
  const catalogue = new Catalogue(engine, silentLog);
  for (const isStopped of [false, true]) {
    const source = new TestSource();
    const gate = new ByteCreditGate(1e6);
    const paused$ = new BehaviorSubject(false);
    let received = 0;
    const bodies = new BodyBudget({ limitBytes: 1e6, maxWaiting: 10, waitMs: 1000 });
    const body = { origin: 'lineproto', ...perText, newCutter: () => new LineCutter(1000), weigh: () => 1 };
    const writes = new WritePipeline({
      bodies: new HttpBodySource(body, new ByteCreditGate(1e6), bodies),
      inputs: [{ source, gate, retry: 'sender' }],
      paused$,
      sink: { write: () => new Promise(() => undefined) },
      gate: new ByteCreditGate(1e6),
      catalogue,
      subTables: new SubTables(engine, catalogue),
      definer: { isDefined: () => true, define: async () => undefined },
      log: silentLog,
      meter: {
        received: () => {
          received++;
        },
        settled: () => undefined,
        wrote: () => undefined,
        leftOut: () => undefined,
      },
      limits,
    });
    await writes.start();
    paused$.next(true);
    source.emit();
    await turn();
    t.deepEqual([received, gate.bytes, source.deliveries], [0, 10, []]);
    if (isStopped) await writes.drain();
    else paused$.next(false);
    t.true(await until(() => source.deliveries.length === 1));
    t.deepEqual([received, gate.bytes], [1, 0]);
    await writes.stop();
  }
  await engine.close();
});

test('when a stage throws, what is open fails, nothing more is taken, and the service is told', async (t) => {
  // Nothing is asked of the engine.
  const engine = new EngineClient({ url: 'http://127.0.0.1:9', user: '', password: '' });
  let isBroken = false;
  const catalogue = new (class extends Catalogue {
    override table(database: string, name: string) {
      if (isBroken) throw new TypeError('a defect');
      return super.table(database, name);
    }
  })(engine, silentLog);
  const gate = new ByteCreditGate(1e6);
  const bodies = new BodyBudget({ limitBytes: 1e6, maxWaiting: 10, waitMs: 1000 });
  const source = { origin: 'lineproto', ...perText, newCutter: () => new LineCutter(1000), weigh: () => 1 };
  const told: unknown[] = [];
  const writes = new WritePipeline({
    bodies: new HttpBodySource(source, gate, bodies),
    inputs: [],
    // The first write never ends.
    sink: { write: () => new Promise(() => undefined) },
    gate,
    catalogue,
    subTables: new SubTables(engine, catalogue),
    definer: { isDefined: () => true, define: async () => undefined },
    log: silentLog,
    meter: { received: () => undefined, settled: () => undefined, wrote: () => undefined, leftOut: () => undefined },
    limits,
    broke: (error) => told.push(error),
  });
  await writes.start();
  const insert = (table: string) =>
    writes.insert({ blocks: [blockOf(table, { v: int }, [[1n, 1n, { v: 1 }]])], user: 'root', bytes: 10 });
  const waiting = insert('a');
  await until(() => gate.bytes > 0);
  isBroken = true;
  const broken = insert('b');
  for (const ending of await Promise.all([waiting, broken, insert('c')])) t.is(ending.outcome, 'failed');
  t.true(writes.failure instanceof TypeError);
  t.deepEqual(told, [writes.failure]);
  t.is(gate.bytes, 0);
  await writes.stop();
  await engine.close();
});
