import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { leadOf, seriesId } from '../../../src/database/catalogue/identity.js';
import type { Operation } from '../../../src/database/catalogue/operations.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import type { InsertData } from '../../../src/database/engine/engine.js';
import { type Insert, insertText } from '../../../src/database/engine/request.js';
import { createNamed } from '../../../src/database/store/create-named.js';
import { removeOrphanedTables } from '../../../src/database/store/orphaned-tables.js';
import { staleSchema } from '../../../src/database/store/stale-schema.js';
import { Storage } from '../../../src/database/store/storage.js';
import { SubTables } from '../../../src/database/store/sub-tables.js';
import { Codes } from '../../../src/model/fault.js';
import { type DatabaseDef, dataType } from '../../../src/model/schema.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';

const { endpoint, client, end } = await sharedEngine();
test.after.always(end);

/** What one process knows of the shared engine. */
function startProcess(engine: EngineClient = client) {
  const catalogue = new Catalogue(engine, silentLog);
  const storage = new Storage(engine, catalogue);
  return { catalogue, storage, subTables: new SubTables(engine, catalogue) };
}

/** A client that notes the statements of its inserts. */
class NotingClient extends EngineClient {
  readonly inserts: string[] = [];

  override insert(insert: Insert, data: InsertData): Promise<void> {
    this.inserts.push(insertText(insert));
    return super.insert(insert, data);
  }
}

function table(database: string, name: string, kind: 'super' | 'normal') {
  return {
    op: 'create-table',
    database,
    name,
    kind,
    timeColumn: 'ts',
    columns: [{ name: 'v', type: dataType('INT') }],
    tags: kind === 'super' ? [{ name: 'g', type: dataType('NCHAR', 8) }] : [],
    comment: undefined,
    ttl: 0,
  } as const satisfies Operation;
}

/** A process that has made a database of this name with the super tables `a` and `b`. */
async function startWith(database: string, engine?: EngineClient) {
  const process = startProcess(engine);
  await process.catalogue.submit([
    { op: 'create-database', name: database, precision: 'ms', keepDays: 3650, options: {} },
    table(database, 'a', 'super'),
    table(database, 'b', 'super'),
  ]);
  const def = process.catalogue.database(database)!;
  const [a, b] = [process.catalogue.table(database, 'a')!, process.catalogue.table(database, 'b')!];
  await process.storage.ensure(def, a);
  await process.storage.ensure(def, b);
  const named = (superTable: 'a' | 'b', name: string) =>
    process.subTables.make(def, superTable, name, new Map([['g', 'x']]), 0);
  return { ...process, def, a, b, named };
}

test('of two super tables that get a sub-table of the same name at once only one has it', async (t) => {
  const { subTables, def, a, b, named } = await startWith('both');
  const results = await Promise.all([
    subTables.register(def, a, [named('a', 's'), named('a', 'a1')]),
    subTables.register(def, b, [named('b', 'b1'), named('b', 's')]),
  ]);
  t.deepEqual(
    results.map((refused) => refused?.code),
    [undefined, Codes.tableInOtherStable],
  );
  t.is((await startProcessOn('both')).get('s'), 'a');
});

/** The super table of each sub-table, as a process sees it that has just been started. */
async function startProcessOn(database: string): Promise<ReadonlyMap<string, string>> {
  const { catalogue, subTables } = startProcess();
  await catalogue.sync();
  const subTablesByName = await subTables.lookUp(catalogue.database(database)!, ['s', 'a1', 'b1']);
  return new Map([...subTablesByName].map(([name, { superTable }]) => [name, superTable]));
}

test('many sub-tables are registered in steps, which are reported', async (t) => {
  const noting = new NotingClient(endpoint);
  const { subTables, def, a, named } = await startWith('many', noting);
  const names = Array.from({ length: 20_000 }, (_, at) => `s${at}`);
  const children = names.map((name) => named('a', name));
  let steps = 0;
  t.is(await subTables.register(def, a, children, () => steps++), undefined);
  t.is(steps, 3);
  t.true(children.every(({ registered, tags }) => registered && tags.size === 0));
  t.is(noting.inserts.filter((statement) => statement.includes('sluice.sub_tables')).length, 3);
  const stored = await client.rows("SELECT count() FROM sluice.sub_tables FINAL WHERE startsWith(name, 's1')");
  t.is(stored[0]?.[0], 11_111);
  await noting.close();
});

test('a sub-table that is dropped while it waits for its registration is not remembered under its dead id', async (t) => {
  const { catalogue, subTables, def, a, named } = await startWith('late');
  const waiting = named('a', 's');
  t.is(await subTables.register(def, a, [named('a', 's')]), undefined);
  const drop = { op: 'drop-sub-table', database: 'late', superTable: 'a', name: 's', generation: 0 } as const;
  // The drop is read while the look-up is on its way.
  const looking = subTables.lookUp(def, ['s', 'other']);
  await catalogue.submit([drop]);
  await looking;
  t.is(subTables.known(def, 's'), undefined);
  t.is(await subTables.register(def, a, [waiting]), staleSchema);
  t.is(subTables.known(def, 's'), undefined);
  const anew = named('a', 's');
  t.not(anew.id, waiting.id);
  t.is(await subTables.register(def, a, [anew]), undefined);
  t.is(subTables.known(def, 's')?.id, anew.id);
});

test('a table and a sub-table never share a name, whichever came first, and however close', async (t) => {
  const { catalogue, subTables, def, a, named } = await startWith('names');
  const other = startProcess();
  await other.catalogue.sync();
  t.is(await subTables.register(def, a, [named('a', 's')]), undefined);
  const create = (name: string) =>
    createNamed(other.catalogue, other.subTables, other.catalogue.database('names')!, table('names', name, 'normal'));
  t.is((await create('s'))?.code, Codes.tableAlreadyExists);
  t.is(await create('n'), undefined);
  // This process has not read of the table yet.
  t.is(catalogue.table('names', 'n'), undefined);
  t.is((await subTables.register(def, a, [named('a', 'n')]))?.code, Codes.tableAlreadyExists);
  for (let round = 0; round < 10; round++) {
    const name = `race${round}`;
    const results = await Promise.all([create(name), subTables.register(def, a, [named('a', name)])]);
    t.true(results.some((refused) => refused?.code === Codes.tableAlreadyExists));
  }
});

/** A database with the table of remote write, and the sub-table of the metric `up`, as a process makes it. */
async function startWithMetrics(database: string) {
  const process = startProcess();
  const labels = [{ name: 'labels', type: dataType('JSON') }];
  await process.catalogue.submit([
    { op: 'create-database', name: database, precision: 'ms', keepDays: 3650, options: {} },
    { ...table(database, 'metrics', 'super'), tags: labels },
  ]);
  const def = process.catalogue.database(database)!;
  const metrics = process.catalogue.table(database, 'metrics')!;
  await process.storage.ensure(def, metrics);
  return { ...process, def, metrics, up: upOf(process.subTables, def) };
}

const upName = 't_e0cd0714bd97e68c4f32ea38f4e49b33';

function upOf(subTables: SubTables, def: DatabaseDef) {
  return subTables.make(def, 'metrics', upName, new Map([['labels', '{"__name__":"up","job":"n"}']]), 0);
}

test('series with labels lie by their metric, and are found by their names, listed and dropped', async (t) => {
  const { catalogue, storage, subTables, def, metrics, up } = await startWithMetrics('labelled');
  t.is(up.id, seriesId(up.key, leadOf('up')));
  t.is(await subTables.register(def, metrics, [up]), undefined);
  t.is(up.madeAs, undefined);
  await subTables.setOption(def, up, { comment: 'steps' });
  const other = startProcess();
  await other.catalogue.sync();
  const seen = (await other.subTables.lookUp(def, [upName])).get(upName)!;
  t.deepEqual([seen.key, seen.id, seen.superTable], [up.key, up.id, 'metrics']);
  t.is(upOf(other.subTables, def), seen);
  const row = `INSERT INTO ${metrics.storage} (id, ts, ${metrics.columns[0]!.physical}) VALUES (${up.id}, 1, 1)`;
  await client.exec(row);
  const drop = {
    op: 'drop-sub-table',
    database: 'labelled',
    superTable: 'metrics',
    name: upName,
    generation: 0,
  } as const;
  await catalogue.submit([drop]);
  await removeOrphanedTables({ engine: client, catalogue, storage, subTables });
  t.deepEqual(await client.rows(`SELECT name FROM ${metrics.tagStorage} FINAL WHERE dropped = 0`), []);
  t.deepEqual(await client.rows(`SELECT count() FROM ${metrics.storage}`), [[0]]);
});

test.serial('a series that was registered before ids said the metric keeps its id', async (t) => {
  const { subTables, def, metrics, up } = await startWithMetrics('old');
  const old = { ...up, id: up.key };
  t.is(await subTables.register(def, metrics, [old]), undefined);
  await client.exec('ALTER TABLE sluice.sub_tables DROP COLUMN lead');
  const later = startProcess();
  await later.catalogue.sync();
  const same = upOf(later.subTables, def);
  const madeAs = same.id;
  t.not(madeAs, same.key);
  t.is(await later.subTables.register(def, metrics, [same]), undefined);
  t.deepEqual([same.id, same.madeAs, same.isAmbiguous, same.registered], [up.key, madeAs, false, true]);
});

test('of two series with the same bits in their ids the later one has its key for an id', async (t) => {
  const { subTables, def, metrics, up } = await startWithMetrics('collision');
  const physical = metrics.tags[0]!.physical;
  await client.exec(
    `INSERT INTO ${metrics.tagStorage} (id, ts, name, ${physical}) VALUES (${up.id}, 1, 'earlier', '{}')`,
  );
  // Made in one text with another one that would have the same id, too.
  const twin = { ...subTables.make(def, 'metrics', 'twin', new Map(), 0), id: 5n };
  const first = { ...subTables.make(def, 'metrics', 'first', new Map(), 0), id: 5n };
  t.is(await subTables.register(def, metrics, [up, first, twin]), undefined);
  t.deepEqual([up.id, up.isAmbiguous], [up.key, true]);
  t.deepEqual([first.id, first.madeAs], [5n, undefined]);
  t.deepEqual([twin.id, twin.isAmbiguous], [twin.key, true]);
  t.is(subTables.known(def, upName)?.id, up.key);
});
