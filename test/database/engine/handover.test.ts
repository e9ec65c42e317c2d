import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { BufferBudget } from '../../../src/database/engine/buffered-result.js';
import { EngineClient } from '../../../src/database/engine/client.js';
import { EngineError } from '../../../src/database/engine/engine-http.js';
import { Handover, type HandoverFile, readHostDirectory } from '../../../src/database/engine/handover.js';
import { HostChannel } from '../../../src/database/engine/host-channel.js';
import { startEngine, temporaryDirectory } from '../../support/engine/engine.js';
import { smallDisk } from '../../support/small-disk.js';
import { until } from '../../support/until.js';

const rows = Buffer.alloc(100_000, 'x');

test('rows get a file of their own, which is reused once they were read', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const handover = new Handover(() => ({ path, maxBytes: 1e6 }));
  const read = (handed: HandoverFile | undefined) => readFileSync(join(path, handed?.name ?? ''));
  const first = handover.put([rows]);
  const other = handover.put([Buffer.alloc(90_000, 'y')]);
  t.deepEqual(read(first), rows);
  first?.end(true);
  const shorter = handover.put([Buffer.alloc(70_000, 'z')]);
  t.is(shorter?.name, first?.name);
  t.deepEqual(read(shorter), Buffer.alloc(70_000, 'z'));
  t.deepEqual(read(other), Buffer.alloc(90_000, 'y'));
  other?.end(false);
  t.deepEqual(readdirSync(path), [shorter?.name]);
  shorter?.end(true);
  handover.close();
  t.deepEqual(readdirSync(path), []);
});

test('few files of at most 16 MB in all are kept, and none in the directory of an earlier host', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  let directory = { path: join(path, 'a'), maxBytes: 1e8 };
  for (const name of ['a', 'b']) mkdirSync(join(path, name));
  const handover = new Handover(() => directory);
  const handed = Array.from({ length: 10 }, () => handover.put([rows]));
  const large = handover.put([Buffer.alloc(12_000_000)]);
  const larger = handover.put([Buffer.alloc(13_000_000)]);
  large?.end(true);
  t.true(readdirSync(directory.path).includes(large?.name ?? ''));
  larger?.end(true);
  t.false(readdirSync(directory.path).includes(larger?.name ?? ''));
  t.is(readdirSync(directory.path).length, 11);
  for (const one of handed.slice(1)) one?.end(true);
  t.is(readdirSync(directory.path).length, 5);
  directory = { path: join(path, 'b'), maxBytes: 1e8 };
  const later = handover.put([rows]);
  t.deepEqual(readdirSync(join(path, 'a')), [handed[0]?.name]);
  t.deepEqual(readdirSync(join(path, 'b')), [later?.name]);
  handed[0]?.end(true);
  t.deepEqual(readdirSync(join(path, 'a')), []);
});

test('rows without space, without a directory, or with a removed one use the connection', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  t.is(new Handover(() => undefined).put([rows]), undefined);
  t.is(new Handover(() => ({ path: join(path, 'gone'), maxBytes: 1e6 })).put([rows]), undefined);
  const handover = new Handover(() => ({ path, maxBytes: 250_000 }));
  const two = [handover.put([rows]), handover.put([rows])];
  t.true(two.every((one) => one !== undefined));
  t.is(handover.put([rows]), undefined);
  two[0]?.end(true);
  t.not(handover.put([rows]), undefined);
});

test('rows without space in memory use the connection, also with a reused file', (t) => {
  const path = smallDisk(t, 256);
  if (path === undefined) return;
  const handover = new Handover(() => ({ path, maxBytes: 1e9 }));
  handover.put([rows])?.end(true);
  writeFileSync(join(path, 'of-others'), Buffer.alloc(120_000));
  t.is(handover.put([Buffer.alloc(200_000)]), undefined);
  t.deepEqual(readdirSync(path), ['of-others']);
  const handed = handover.put([rows]);
  t.deepEqual(readFileSync(join(path, handed?.name ?? '')), rows);
});

test('a directory is read from a message with path and size', (t) => {
  const directory = { path: '/x', maxBytes: 1 };
  t.deepEqual(readHostDirectory({ directory: directory }), directory);
  for (const message of [
    {},
    { directory: null },
    { directory: { path: '/x' } },
    { directory: { path: 1, maxBytes: 1 } },
  ]) {
    t.is(readHostDirectory(message), undefined);
  }
});

test('the engine takes rows that were handed over, and no other file', async (t) => {
  const engine = await startEngine();
  t.teardown(engine.end);
  const client = new EngineClient(engine.endpoint);
  t.teardown(() => client.close());
  await client.exec('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a');
  const insert = { table: 't', format: 'TSV' };
  await client.insert(insert, Buffer.from(Array.from({ length: 50_000 }, (_, i) => `${i}\n`).join('')));
  t.deepEqual(await client.rows('SELECT toUInt32(count()), toUInt32(sum(a)) FROM t'), [[50_000, 1_249_975_000]]);
  const { directory } = engine.supervisor;
  if (directory === undefined) return t.fail();
  mkdirSync(join(directory.path, 'other'));
  writeFileSync(join(directory.path, 'other', 'rows-77'), '7\n');
  const channel = new HostChannel(() => directory, new BufferBudget(0));
  t.teardown(() => channel.close());
  for (const file of ['other/rows-77', '../rows-77', '/etc/passwd', 'rows-1.tsv']) {
    const error = await t.throwsAsync(channel.send({ kind: 'insert', insert, file }), { instanceOf: EngineError });
    t.is(error?.code, 36, file);
  }
  await t.throwsAsync(channel.send({ kind: 'insert', insert, file: 'rows-77' }), { instanceOf: EngineError });
  t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM t'), [[50_000]]);
});

test('rows whose file is missing use the connection, and the engine restarts when its directory is removed', async (t) => {
  const engine = await startEngine();
  t.teardown(engine.end);
  const { supervisor } = engine;
  const client = new EngineClient(engine.endpoint);
  t.teardown(() => client.close());
  await client.exec('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a');
  const lines = Buffer.from('1\n'.repeat(50_000));
  const insert = () => client.insert({ table: 't', format: 'TSV' }, lines);
  await insert();
  const directory = supervisor.directory?.path;
  if (directory === undefined) return t.fail();
  for (const name of readdirSync(directory)) if (name.startsWith('rows-')) rmSync(join(directory, name));
  await insert();
  t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM t'), [[100_000]]);
  rmSync(directory, { recursive: true });
  await t.throwsAsync(insert());
  t.true(await until(() => supervisor.directory?.path !== directory && supervisor.state === 'up'));
  await insert();
  t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM t'), [[150_000]]);
});
