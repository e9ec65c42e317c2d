import test, { type ExecutionContext } from 'ava';
import { Catalogue } from '../../src/database/catalogue/catalogue.js';
import { isGrown, logHas } from '../../src/database/catalogue/log.js';
import { EngineClient } from '../../src/database/engine/client.js';
import { isStaleSchema } from '../../src/database/store/stale-schema.js';
import type { Batch, BlockGroup } from '../../src/model/batch.js';
import { FaultError } from '../../src/model/fault.js';
import { DatabaseSink } from '../../src/sinks/database.js';
import { defineTable } from '../../src/sinks/table-preparation.js';
import { sinkContract } from '../contracts/sink-contract.js';
import { blockOf, double, type recordedBatch, varchar } from '../support/blocks/blocks.js';
import { makeSink, type Rig } from '../support/blocks/database-sink.js';
import { silentLog } from '../support/engine/engine.js';
import { sharedEngine } from '../support/engine/shared-engine.js';
import { until } from '../support/until.js';

const engine = await sharedEngine();
test.after.always(engine.end);
const make = (how?: { countsLog: boolean }): Promise<Rig> => makeSink(engine, how);
sinkContract(test.serial, 'database', () => make());

const findsOut = (countsLog: boolean) => async (t: ExecutionContext) => {
  const rig = await make({ countsLog });
  const { client, sink, catalogue, batchOf } = rig;
  const write = (...rows: [bigint, bigint, Record<string, number>][]) =>
    sink.write(batchOf(blockOf('n', { a: double }, rows, 'keep')), AbortSignal.timeout(60_000));
  await write([1n, 1n, { a: 1 }]);
  const other = new Catalogue(client, silentLog);
  await other.sync();
  for (const name of ['b', 'c']) {
    const before = catalogue.entries;
    const column = { name, type: double };
    await other.submit([
      { op: 'extend-table', database: 'db', name: 'n', timeColumn: 'ts', columns: [column], tags: [] },
    ]);
    t.is(catalogue.entries, before);
    t.is((await write([1n, 2n, { a: 2 }])).outcome, 'delivered');
    t.is(catalogue.entries, other.entries);
    t.is(catalogue.table('db', 'n')!.columns.at(-1)?.name, name);
  }
  const { storage } = catalogue.table('db', 'n')!;
  t.deepEqual(await client.rows(`SELECT toUInt32(count()) FROM ${storage}`), [[3]]);
  await rig.end();
};

test.serial(
  'a write finds out by itself that another process has changed the catalogue, and is stored once',
  findsOut(false),
);

test.serial('a write to a host that counts the log does so, too', findsOut(true));

test.serial(
  'a write whose sub-table is dropped while it waits for its turn stores nothing, and its text is to be read again',
  async (t) => {
    const rig = await make();
    const { sink, catalogue, storage, good } = rig;
    const early = good();
    t.is((await sink.write(early, AbortSignal.timeout(60_000))).outcome, 'delivered');
    const stored = await rig.stored(early.rows);
    const table = catalogue.table('db', 'm')!;
    let pass = (): void => {};
    const turn = storage.withTablesLocked([table], () => new Promise<void>((resolve) => (pass = resolve)));
    const late = good();
    const reading = { epoch: catalogue.epoch('db'), nowMicros: 0n };
    const write = sink.write({ ...late, target: { ...late.target, reading } }, AbortSignal.timeout(60_000));
    await new Promise((resolve) => setImmediate(resolve));
    const dropped = { op: 'drop-sub-table', database: 'db', superTable: 'm', name: 't_site', generation: 0 } as const;
    t.deepEqual(await catalogue.submit([dropped]), [undefined]);
    pass();
    await turn;
    const ending = await write;
    t.is(ending.outcome, 'failed');
    if (ending.outcome === 'failed') t.true(isStaleSchema(ending.fault));
    t.is(await rig.stored(early.rows), stored);
    await rig.end();
  },
);

class CountingClient extends EngineClient {
  inserts = 0;

  override insert(...args: Parameters<EngineClient['insert']>): Promise<void> {
    this.inserts++;
    return super.insert(...args);
  }
}

test.serial('where the catalogue changes all the time, inserts are not made for nothing', async (t) => {
  const { client, catalogue, subTables, storage, batchOf, end } = await make();
  const other = new Catalogue(client, silentLog);
  await other.sync();
  const counting = new CountingClient(engine.endpoint);
  const sink = new DatabaseSink({ engine: counting, catalogue, storage, subTables });
  const write = async (time: bigint): Promise<void> => {
    const block = blockOf('n', { a: double }, [[1n, time, { a: 1 }]], 'keep');
    t.is((await sink.write(batchOf(block), AbortSignal.timeout(60_000))).outcome, 'delivered');
  };
  await write(1n);
  counting.inserts = 0;
  const writes = 20;
  for (let i = 1; i <= writes; i++) {
    await other.submit([{ op: 'create-database', name: `d${i}`, precision: 'ms', keepDays: 36500, options: {} }]);
    await write(BigInt(1 + i));
  }
  t.is(counting.inserts, writes + 1);
  t.is(catalogue.entries, other.entries);
  await counting.close();
  await end();
});

test.serial('an insert does nothing unless the log has as many entries as it says', async (t) => {
  const { client, catalogue, end } = await make({ countsLog: true });
  await client.exec('CREATE TABLE checked (a UInt8) ENGINE = MergeTree ORDER BY a');
  const row = Buffer.from('1\n');
  const inserts = [
    (entries: number) =>
      client.insert(
        { table: 'checked', format: 'TSV', through: { structure: 'a UInt8', where: logHas(entries) } },
        row,
      ),
    (logEntries: number) => client.insert({ table: 'checked', columns: 'a', format: 'TSV' }, row, { logEntries }),
  ];
  t.true(client.countsLog);
  for (const [i, insert] of inserts.entries()) {
    for (const entries of [catalogue.entries - 1, catalogue.entries + 1]) {
      const error = await t.throwsAsync(insert(entries), { instanceOf: FaultError });
      t.true(error !== undefined && isGrown(error.fault));
    }
    t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM checked'), [[i]]);
    await insert(catalogue.entries);
    t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM checked'), [[i + 1]]);
  }
  await end();
});

test.serial('creates and grows the table that blocks ask for, and refuses another type for a column', async (t) => {
  const rig = await make();
  const write = (block: Parameters<typeof recordedBatch>[0]) =>
    rig.sink.write(rig.batchOf(block), AbortSignal.timeout(60_000));
  t.is((await write(blockOf('g', { a: double }, [[1n, 1n, { a: 1 }]], 'keep'))).outcome, 'delivered');
  t.is(
    (await write(blockOf('g', { a: double, s: varchar }, [[1n, 2n, { a: 2, s: 'x' }]], 'keep'))).outcome,
    'delivered',
  );
  const conflict = await write(blockOf('g', { a: varchar }, [[1n, 3n, { a: 'x' }]], 'keep'));
  t.is(conflict.outcome, 'rejected');
  t.deepEqual(
    rig.catalogue.table('db', 'g')!.columns.map((column) => column.name),
    ['a', 's'],
  );
  await rig.end();
});

test.serial('completes rows that leave columns out, from the same group and from what is stored', async (t) => {
  const rig = await make();
  const write = (block: Parameters<typeof recordedBatch>[0]) =>
    rig.sink.write(rig.batchOf(block), AbortSignal.timeout(60_000));
  const both = { a: double, b: double };
  await write(
    blockOf(
      'p',
      both,
      [
        [1n, 10n, { a: 1, b: 2 }],
        [1n, 20n, { a: 3, b: 4 }],
      ],
      'keep',
    ),
  );
  await write(blockOf('p', { a: double }, [[1n, 10n, { a: 5 }]], 'keep'));
  await write(
    blockOf(
      'p',
      both,
      [
        [1n, 20n, { b: 6 }],
        [1n, 30n, { b: 7 }],
        [1n, 30n, { a: 8 }],
      ],
      'keep',
    ),
  );
  await write(blockOf('p', { a: double }, [[1n, 30n, { a: null }]]));
  const { storage } = rig.catalogue.table('db', 'p')!;
  const rows = await rig.client.rows(`SELECT toUInt32(ts), * EXCEPT (id, ts) FROM ${storage} FINAL ORDER BY ts`);
  t.deepEqual(rows, [
    [10, 5, 2],
    [20, 3, 6],
    [30, null, 7],
  ]);
  await rig.end();
});

test.serial(
  'a group with a name is inserted once, however often it is tried; without one the same rows are another insert',
  async (t) => {
    const { sink, client, catalogue, good, end } = await make();
    try {
      const group = good();
      const named = { ...group, payload: { ...group.payload, token: 'log-7' } };
      const write = async (batch: Batch<BlockGroup>) => (await sink.write(batch, AbortSignal.timeout(20_000))).outcome;
      t.is(await write(named), 'delivered');
      const { storage } = catalogue.table('db', 'm')!;
      await client.exec(`SYSTEM STOP MERGES ${storage}`);
      const rows = async () => Number((await client.rows(`SELECT toUInt32(count()) FROM ${storage}`))[0]?.[0]);
      t.is(await write(named), 'delivered');
      t.is(await rows(), 2);
      for (const stored of [4, 6]) {
        t.is(await write(group), 'delivered');
        t.is(await rows(), stored);
      }
    } finally {
      await end();
    }
  },
);

test.serial('registers a sub-table once, with its tags, however many blocks bring it', async (t) => {
  const rig = await make();
  await Promise.all(Array.from({ length: 4 }, () => rig.sink.write(rig.good(), AbortSignal.timeout(60_000))));
  const { tagStorage, tags } = rig.catalogue.table('db', 'm')!;
  const tagRows = await rig.client.rows(`SELECT name, ${tags[0]!.physical} FROM ${tagStorage} FINAL`);
  t.deepEqual(tagRows, [['t_site', 'north']]);
  await rig.end();
});

test.serial('the storage of a new table is made before any row is written', async (t) => {
  const rig = await make();
  await defineTable(rig, blockOf('early', { v: double }, [[1n, 1n, { v: 1 }]], 'keep'));
  const { storage, tagStorage } = rig.catalogue.table('db', 'early')!;
  const named = `SELECT name FROM system.tables WHERE concat(database, '.', name) IN ('${storage}', '${tagStorage}')`;
  t.true(await until(async () => (await rig.client.rows(named)).length === 2));
  await rig.end();
});

test.serial('a group is told once its table is made, and once its sub-tables are', async (t) => {
  const rig = await make();
  const batch = rig.good();
  const seen: boolean[] = [];
  const progressed = (): void => {
    seen.push(batch.payload.blocks[0]!.newSubTables[0]!.registered);
  };
  await rig.sink.write({ ...batch, payload: { ...batch.payload, progressed } }, AbortSignal.timeout(60_000));
  t.deepEqual(seen, [false, true]);
  await rig.end();
});

test.serial('what the engine refuses is never blamed on the sender', async (t) => {
  const rig = await make();
  const write = () =>
    rig.sink.write(
      rig.batchOf(blockOf('g', { a: double, b: double }, [[1n, 1n, { a: 1, b: 1 }]], 'keep')),
      AbortSignal.timeout(60_000),
    );
  t.is((await write()).outcome, 'delivered');
  const { storage, columns } = rig.catalogue.table('db', 'g')!;
  await rig.client.exec(`ALTER TABLE ${storage} DROP COLUMN ${columns[0]!.physical}`);
  t.is((await write()).outcome, 'failed');
  await rig.end();
});

test.serial('a table that was made as a normal one meanwhile is not written like a super table', async (t) => {
  const rig = await make();
  const columns = [{ name: 'v', type: double }];
  const normal = { kind: 'normal', timeColumn: '_ts', columns, tags: [], comment: undefined, ttl: 0 } as const;
  await rig.catalogue.submit([{ op: 'create-table', database: 'db', name: 'm', ...normal }]);
  const ending = await rig.sink.write(rig.good(), AbortSignal.timeout(60_000));
  t.is(ending.outcome, 'rejected');
  await rig.end();
});

test.serial('many new tables at once share the statements of the catalogue', async (t) => {
  const rig = await make({ countsLog: true });
  const database = rig.catalogue.database('db')!;
  const entries = async () => {
    const [row] = await rig.client.rows('SELECT toUInt32(count()) FROM sluice.catalogue');
    return Number(row?.[0]);
  };
  /** What the engine has counted since it started. */
  const counted = async (event: string) => {
    const [row] = await rig.client.rows(`SELECT toUInt32(value) FROM system.events WHERE event = '${event}'`);
    return Number(row?.[0] ?? 0);
  };
  const before = { entries: await entries(), queries: await counted('Query') };
  const tables = Array.from({ length: 32 }, (_, i) => `many${i}`);
  const endings = await Promise.all(
    tables.map((table) => {
      const subTable = rig.subTables.make(database, table, `${table}_s`, new Map([['site', 'north']]), 0);
      const block = blockOf(table, { v: double }, [[subTable.id, 1n, { v: 1 }]], 'keep');
      return rig.sink.write(rig.batchOf({ ...block, newSubTables: [subTable] }), AbortSignal.timeout(60_000));
    }),
  );
  t.true(endings.every(({ outcome }) => outcome === 'delivered'));
  t.true((await entries()) - before.entries <= 2);
  // The insert itself is the only statement of each table; the others are shared, on a busy machine in more pieces.
  t.true((await counted('Query')) - before.queries < 4 * tables.length);
  const registered = await rig.client.rows(`SELECT name FROM sluice.sub_tables FINAL WHERE name LIKE 'many%'`);
  t.is(registered.length, tables.length);
  for (const table of tables) {
    const { storage, tagStorage, number } = rig.catalogue.table('db', table)!;
    const [row] = await rig.client.rows(
      `SELECT toUInt32(count()) FROM ${storage} AS r INNER JOIN ${tagStorage} AS g ON r.t = g.t AND r.id = g.id WHERE r.t = ${number}`,
    );
    t.deepEqual(row, [1]);
  }
  await rig.end();
});

test.serial('writes that make one table at once with different columns all find their column', async (t) => {
  const rig = await make();
  const names = ['a', 'b', 'c'];
  const endings = await Promise.all(
    names.map((name, i) =>
      rig.sink.write(
        rig.batchOf(blockOf('z', { [name]: double }, [[BigInt(i), 1n, { [name]: i }]], 'keep')),
        AbortSignal.timeout(60_000),
      ),
    ),
  );
  t.deepEqual(
    endings.map(({ outcome }) => outcome),
    ['delivered', 'delivered', 'delivered'],
  );
  const { storage, columns } = rig.catalogue.table('db', 'z')!;
  t.deepEqual(columns.map(({ name }) => name).sort(), names);
  const list = names.map((name) => columns.find((column) => column.name === name)!.physical).join(', ');
  t.deepEqual(await rig.client.rows(`SELECT toUInt32(id), ${list} FROM ${storage} FINAL ORDER BY id`), [
    [0, 0, null, null],
    [1, null, 1, null],
    [2, null, null, 2],
  ]);
  await rig.end();
});
