import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import type { InsertData } from '../../../src/database/engine/engine.js';
import type { Insert } from '../../../src/database/engine/request.js';
import { Codes } from '../../../src/model/fault.js';
import { silentLog } from '../../support/engine/engine.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';
import { until } from '../../support/until.js';

const { endpoint, client, end } = await sharedEngine();
test.after.always(end);

function create(name: string) {
  return { op: 'create-database', name, precision: 'ms', keepDays: 3650, options: {} } as const;
}

test.serial('every submission is applied once, whatever reads overlap with it', async (t) => {
  const catalogue = new Catalogue(client, silentLog);
  const names = Array.from({ length: 60 }, (_, i) => `own${i}`);
  let reading = true;
  const readers = Array.from({ length: 4 }, async () => {
    while (reading) await catalogue.sync();
  });
  const results = await Promise.all(names.map((name) => catalogue.submit([create(name)])));
  reading = false;
  await Promise.all(readers);
  t.deepEqual(
    results,
    names.map(() => [undefined]),
  );
});

test.serial('an entry is folded once when readings follow each other closely', async (t) => {
  const [writer, reader] = [new Catalogue(client, silentLog), new Catalogue(client, silentLog)];
  for (let round = 1; round <= 20; round++) {
    const name = `folded${round}`;
    const outcome = writer.submit([create(name)]);
    const first = reader.sync();
    // One waits for the read after the first, the other requests one as soon as the first has ended.
    await Promise.all([reader.sync(), first.then(() => reader.sync())]);
    t.deepEqual(await outcome, [undefined]);
    await reader.sync();
    t.is(reader.database(name)?.id, writer.database(name)?.id);
  }
});

/** Notes the statements that read. */
class NotingClient extends EngineClient {
  readonly statements: string[] = [];

  override rows(sql: string): ReturnType<EngineClient['rows']> {
    this.statements.push(sql);
    return super.rows(sql);
  }
}

test.serial('entries are read only when there are more of them than are known', async (t) => {
  const noting = new NotingClient(endpoint);
  const [writer, reader] = [new Catalogue(client, silentLog), new Catalogue(noting, silentLog)];
  await writer.submit([create('counted1')]);
  await reader.sync();
  t.truthy(reader.database('counted1'));
  noting.statements.length = 0;
  await reader.sync();
  t.deepEqual(noting.statements, ['SELECT count() FROM sluice.catalogue']);
  await writer.submit([create('counted2')]);
  await reader.sync();
  t.truthy(reader.database('counted2'));
  await noting.close();
});

test.serial('of two processes that create the same name one gets an error, and both know the same', async (t) => {
  const two = [new Catalogue(client, silentLog), new Catalogue(client, silentLog)] as const;
  const results = await Promise.all(two.map((catalogue) => catalogue.submit([create('shared')])));
  const codes = results.map(([refused]) => refused?.code).sort();
  t.deepEqual(codes, [Codes.databaseAlreadyExists, undefined]);
  await Promise.all(two.map((catalogue) => catalogue.sync()));
  t.truthy(two[0].database('shared'));
  t.is(two[0].database('shared')?.id, two[1].database('shared')?.id);
  t.deepEqual(await two[0].sharedSecret(), await two[1].sharedSecret());
});

test.serial('what one process defines another one sees within a second', async (t) => {
  const two = [new Catalogue(client, silentLog), new Catalogue(client, silentLog)] as const;
  await two[1].sync();
  two[1].start();
  await two[0].submit([create('late')]);
  t.true(await until(() => two[1].database('late') !== undefined));
  two[1].stop();
});

test.serial('new entries are read as soon as the engine reports them', async (t) => {
  const [writer, reader] = [new Catalogue(client, silentLog), new Catalogue(client, silentLog)] as const;
  await writer.sync();
  const report: ((entries: number) => void)[] = [];
  let reads = 0;
  const sync = reader.sync.bind(reader);
  reader.sync = () => {
    reads++;
    return sync();
  };
  reader.start({ watchLog: (listener) => report.push(listener) });
  t.true(await until(() => reads === 1 && reader.entries === writer.entries));
  report[0]?.(reader.entries);
  await writer.submit([create('reported')]);
  t.deepEqual([reads, reader.database('reported')], [1, undefined]);
  report[0]?.(writer.entries);
  // Without that it would take ten seconds.
  t.true(await until(() => reader.database('reported') !== undefined, 5_000));
  reader.stop();
  report[0]?.(writer.entries + 1);
  t.is(reads, 2);
});

test.serial(
  'lists submitted at once become few entries of the log, and each caller gets its own refusals',
  async (t) => {
    const entries = async () => Number((await client.rows('SELECT toUInt32(count()) FROM sluice.catalogue'))[0]?.[0]);
    const catalogue = new Catalogue(client, silentLog);
    await catalogue.sync();
    const before = await entries();
    const lists = Array.from({ length: 100 }, (_, i) =>
      i % 3 === 0 ? [create(`many${i}`)] : [create(`own${i}x`), create('many0'), create(`second${i}`)],
    );
    const results = await Promise.all(lists.map((list) => catalogue.submit(list)));
    t.deepEqual(
      results.map((refused) => refused.map((fault) => fault?.code)),
      lists.map((_, i) => (i % 3 === 0 ? [undefined] : [undefined, Codes.databaseAlreadyExists, undefined])),
    );
    t.true((await entries()) - before <= 2);
    const other = new Catalogue(client, silentLog);
    await other.sync();
    t.deepEqual(other.databases(), catalogue.databases());
    const ids = catalogue.databases().map(({ id }) => id);
    t.is(new Set(ids).size, ids.length);
  },
);

test.serial(
  'a submission that the engine does not take fails for every caller, and the next one is taken',
  async (t) => {
    let broken = false;
    class Breaking extends EngineClient {
      override insert(insert: Insert, data: InsertData): Promise<void> {
        return broken ? Promise.reject(new Error('broken off')) : super.insert(insert, data);
      }
    }
    const breaking = new Breaking(endpoint);
    const catalogue = new Catalogue(breaking, silentLog);
    await catalogue.sync();
    broken = true;
    const results = await Promise.allSettled(['f1', 'f2'].map((name) => catalogue.submit([create(name)])));
    broken = false;
    t.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'rejected'],
    );
    t.deepEqual(await catalogue.submit([create('f1')]), [undefined]);
    t.is(catalogue.database('f2'), undefined);
    await breaking.close();
  },
);
