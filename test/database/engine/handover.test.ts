import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { EngineClient } from '../../../src/database/engine/client.js';
import {
  Handover,
  type HandoverFile,
  handoverHeader,
  readHandoverDirectory,
} from '../../../src/database/engine/handover.js';
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

test('few rows use the connection, and so do rows without space, without a directory, or with a removed one', (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  t.is(new Handover(() => undefined).put([rows]), undefined);
  t.is(new Handover(() => ({ path: join(path, 'gone'), maxBytes: 1e6 })).put([rows]), undefined);
  const handover = new Handover(() => ({ path, maxBytes: 250_000 }));
  t.is(handover.put([rows.subarray(0, 100)]), undefined);
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
  t.deepEqual(readHandoverDirectory({ handover: directory }), directory);
  for (const message of [
    {},
    { handover: null },
    { handover: { path: '/x' } },
    { handover: { path: 1, maxBytes: 1 } },
  ]) {
    t.is(readHandoverDirectory(message), undefined);
  }
});

test('the engine takes rows that were handed over, and no other file', async (t) => {
  const engine = await startEngine();
  t.teardown(engine.end);
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  let requests = 0;
  const handover = () => {
    requests++;
    return engine.supervisor.handover ?? { path, maxBytes: 0 };
  };
  const client = new EngineClient({ ...engine.endpoint, handover });
  t.teardown(() => client.close());
  await client.exec('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a');
  await client.insert(
    'INSERT INTO t FORMAT TSV',
    Buffer.from(Array.from({ length: 50_000 }, (_, i) => `${i}\n`).join('')),
  );
  t.deepEqual(await client.rows('SELECT toUInt32(count()), toUInt32(sum(a)) FROM t'), [[50_000, 1_249_975_000]]);
  t.is(requests, 1);
  const directory = engine.supervisor.handover;
  if (directory === undefined) return;
  mkdirSync(join(directory.path, 'other'));
  writeFileSync(join(directory.path, 'other', 'rows-77'), '7\n');
  const { url, user, password } = engine.endpoint;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  for (const name of ['other/rows-77', '../rows-77', '/etc/passwd', 'rows-1.tsv']) {
    const headers = { authorization, [handoverHeader]: name };
    const answer = await fetch(`${url}/?query=INSERT+INTO+t+FORMAT+TSV`, { method: 'POST', headers });
    t.is(answer.headers.get('x-clickhouse-exception-code'), '36', name);
  }
  const headers = { authorization, [handoverHeader]: 'rows-77' };
  const missing = await fetch(`${url}/?query=INSERT+INTO+t+FORMAT+TSV`, { method: 'POST', headers });
  t.true(missing.status >= 400);
  t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM t'), [[50_000]]);
});

test('rows whose file is missing use the connection, and the engine restarts when its directory is removed', async (t) => {
  const engine = await startEngine();
  t.teardown(engine.end);
  const { supervisor } = engine;
  const client = new EngineClient({ ...engine.endpoint, handover: () => supervisor.handover });
  t.teardown(() => client.close());
  await client.exec('CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a');
  const lines = Buffer.from('1\n'.repeat(50_000));
  const insert = () => client.insert('INSERT INTO t FORMAT TSV', lines);
  await insert();
  const directory = supervisor.handover?.path;
  if (directory === undefined) return;
  for (const name of readdirSync(directory)) if (name.startsWith('rows-')) rmSync(join(directory, name));
  await insert();
  t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM t'), [[100_000]]);
  rmSync(directory, { recursive: true });
  await t.throwsAsync(insert());
  t.true(await until(() => supervisor.handover?.path !== directory && supervisor.state === 'up'));
  await insert();
  t.deepEqual(await client.rows('SELECT toUInt32(count()) FROM t'), [[150_000]]);
});
