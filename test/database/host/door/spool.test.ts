import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { exceptionReply } from '../../../../src/database/host/connection/exception.js';
import { Spool } from '../../../../src/database/host/door/spool.js';
import { temporaryDirectory } from '../../../support/engine/engine.js';
import { smallDisk } from '../../../support/small-disk.js';

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('a body becomes a file that holds what was read already and the rest', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const spool = new Spool(placesIn(path), 1000);
  const body = await spool.take(Buffer.from('a'), pieces('bc', 'd'), undefined);
  t.is(readFileSync(body.path, 'utf8'), 'abcd');
  t.is(body.bytes, 4);
  t.is(spool.heldBytes, 4);
  body.discard();
  body.discard();
  t.is(spool.heldBytes, 0);
  t.deepEqual(readdirSync(path), []);
});

test('a body that does not fit waits until another is discarded', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const spool = new Spool(placesIn(path), 10);
  const first = await spool.take(Buffer.alloc(0), pieces('12345678'), 8);
  let taken = false;
  const second = spool.take(Buffer.alloc(0), pieces('12345'), 5).then((body) => {
    taken = true;
    return body;
  });
  for (let i = 0; i < 10; i++) await turn();
  t.false(taken);
  first.discard();
  (await second).discard();
  t.is(spool.heldBytes, 0);
});

test('bodies of unknown length that grow together beyond the limit all arrive', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const spool = new Spool(placesIn(path), 10);
  const grow = async () => {
    const body = await spool.take(Buffer.alloc(0), pieces('1234', '5678', '9012', '3456'), undefined);
    t.is(body.bytes, 16);
    body.discard();
  };
  await Promise.all([grow(), grow(), grow(), grow()]);
  t.is(spool.heldBytes, 0);
});

test('a body that breaks off leaves nothing behind', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const spool = new Spool(placesIn(path), 100);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('abc');
    throw new Error('gone');
  }
  await t.throwsAsync(spool.take(Buffer.alloc(0), broken(), 50), { message: 'gone' });
  t.is(spool.heldBytes, 0);
  t.deepEqual(readdirSync(path), []);
});

test('a body that finds no room in memory goes on beside the data, and one that finds none there either is told of it', async (t) => {
  const memory = smallDisk(t, 64);
  const disk = smallDisk(t, 256);
  if (memory === undefined || disk === undefined) return;
  const spool = new Spool({ first: memory, otherwise: join(disk, 'spool') }, 1e6);
  const rows = `${'x'.repeat(50_000)}${'y'.repeat(50_000)}z`;
  const body = await spool.take(Buffer.from('ab'), pieces(rows.slice(0, 50_000), rows.slice(50_000)), undefined);
  t.is(dirname(body.path), join(disk, 'spool'));
  t.is(readFileSync(body.path, 'utf8'), `ab${rows}`);
  const error = await t.throwsAsync(spool.take(Buffer.alloc(0), pieces('x'.repeat(300_000)), undefined));
  t.is(
    exceptionReply(error).text,
    `Code: 243. DB::Exception: No space left in ${disk} for rows to insert (NOT_ENOUGH_SPACE)`,
  );
  body.discard();
  t.is(spool.heldBytes, 0);
  t.deepEqual([readdirSync(memory), readdirSync(join(disk, 'spool'))], [[], []]);
});

function placesIn(path: string): { readonly first: string; readonly otherwise: string } {
  return { first: path, otherwise: join(path, 'otherwise') };
}
