import test from 'ava';
import { Catalogue } from '../../../src/database/catalogue/catalogue.js';
import { EngineClient } from '../../../src/database/client.js';
import { Codes } from '../../../src/model/fault.js';
import { silentLog, startEngine } from '../../support/engine.js';

const engine = await startEngine();
const client = new EngineClient(engine.endpoint);
test.after.always(async () => {
  await client.close();
  await engine.end();
});

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
    const made = writer.submit([create(name)]);
    const first = reader.sync();
    // One waits for the reading after the first, the other asks for one as soon as the first has ended.
    await Promise.all([reader.sync(), first.then(() => reader.sync())]);
    t.deepEqual(await made, [undefined]);
    await reader.sync();
    t.is(reader.database(name)?.id, writer.database(name)?.id);
  }
});

test.serial('of two processes that create the same name one is told so, and both know the same', async (t) => {
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
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  t.truthy(two[1].database('late'));
  two[1].stop();
});
