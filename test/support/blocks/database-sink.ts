import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { Storage } from '../../../src/database/store/storage.js';
import { SubTables } from '../../../src/database/store/sub-tables.js';
import { type Batch, type BlockGroup, groupBatches } from '../../../src/model/batch.js';
import type { SubTable } from '../../../src/model/schema.js';
import { DatabaseSink } from '../../../src/sinks/database.js';
import type { SinkUnderTest } from '../../contracts/sink-contract.js';
import { silentLog } from '../engine/engine.js';
import type { SharedEngine } from '../engine/shared-engine.js';
import { until } from '../until.js';
import { blockOf, double, recordedBatch } from './blocks.js';

/** A sink on an engine that is otherwise empty, with what it works with. */
export interface Rig extends SinkUnderTest<Batch<BlockGroup>> {
  readonly client: EngineClient;
  readonly catalogue: Catalogue;
  readonly subTables: SubTables;
  readonly storage: Storage;
  batchOf(block: Parameters<typeof recordedBatch>[0]): Batch<BlockGroup>;
}

/** Empties an engine and makes a sink on it. `countsLog`: the host compares the length of the catalogue's log itself. */
export async function makeSink(engine: SharedEngine, { countsLog = false } = {}): Promise<Rig> {
  await engine.clear();
  const { directory, ...server } = engine.endpoint;
  const client = new EngineClient(countsLog ? { ...server, directory } : server);
  const catalogue = new Catalogue(client, silentLog);
  const subTables = new SubTables(client, catalogue);
  const storage = new Storage(client, catalogue);
  const sink = new DatabaseSink({ engine: client, catalogue, storage, subTables });
  await catalogue.submit([{ op: 'create-database', name: 'db', precision: 'ns', keepDays: 36500, options: {} }]);
  const batchOf = (block: Parameters<typeof recordedBatch>[0]) => groupBatches([recordedBatch(block)]);
  let next = 1n;
  const good = (): Batch<BlockGroup> => {
    const database = catalogue.database('db')!;
    const site = subTables.make(database, 'm', 't_site', new Map([['site', 'north']]), 0);
    const block = blockOf(
      'm',
      { v: double },
      [
        [site.id, next++, { v: 1 }],
        [site.id, next++, { v: 2 }],
      ],
      'keep',
    );
    const newSubTables: SubTable[] = site.registered ? [] : [site];
    return batchOf({ ...block, newSubTables });
  };
  return {
    sink,
    client,
    catalogue,
    subTables,
    storage,
    batchOf,
    good,
    impossible: () => {
      const batch = good();
      return { ...batch, target: { ...batch.target, database: 'nowhere' } };
    },
    stored: async () => {
      const [row] = await client.rows(`SELECT toUInt32(count()) FROM ${catalogue.table('db', 'm')!.storage} FINAL`);
      return Number(row?.[0]);
    },
    outage: async () => {
      process.kill(engine.supervisor.pid!, 'SIGKILL');
      await until(() => engine.supervisor.state !== 'up');
      return async () => {
        await until(() => engine.supervisor.state === 'up');
      };
    },
    end: () => client.close(),
  };
}

/** Another process on the engine of the first: its own view of the catalogue and of what exists. */
export async function secondWriter({ client, batchOf }: Rig): Promise<Pick<Rig, 'sink' | 'subTables' | 'batchOf'>> {
  const catalogue = new Catalogue(client, silentLog);
  await catalogue.sync();
  const subTables = new SubTables(client, catalogue);
  const storage = new Storage(client, catalogue);
  return { sink: new DatabaseSink({ engine: client, catalogue, storage, subTables }), subTables, batchOf };
}
