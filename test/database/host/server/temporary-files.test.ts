import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { exceptionReply } from '../../../../src/database/host/connection/exception.js';
import { TemporaryFiles } from '../../../../src/database/host/server/temporary-files.js';
import { temporaryDirectory } from '../../../support/engine/engine.js';
import { smallDisk } from '../../../support/small-disk.js';

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('a body becomes a file with the bytes that were read already and the rest', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const files = new TemporaryFiles(directoriesIn(path), 1000);
  const body = await files.take(Buffer.from('a'), pieces('bc', 'd'), undefined);
  t.is(readFileSync(body.path, 'utf8'), 'abcd');
  t.is(body.bytes, 4);
  t.is(files.heldBytes, 4);
  body.discard();
  body.discard();
  t.is(files.heldBytes, 0);
  t.deepEqual(readdirSync(path), []);
});

test('a body that does not fit waits until another is discarded', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const files = new TemporaryFiles(directoriesIn(path), 10);
  const first = await files.take(Buffer.alloc(0), pieces('12345678'), 8);
  let taken = false;
  const second = files.take(Buffer.alloc(0), pieces('12345'), 5).then((body) => {
    taken = true;
    return body;
  });
  for (let i = 0; i < 10; i++) await turn();
  t.false(taken);
  first.discard();
  (await second).discard();
  t.is(files.heldBytes, 0);
});

test('bodies of unknown length that exceed the limit together all arrive', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const files = new TemporaryFiles(directoriesIn(path), 10);
  const grow = async () => {
    const body = await files.take(Buffer.alloc(0), pieces('1234', '5678', '9012', '3456'), undefined);
    t.is(body.bytes, 16);
    body.discard();
  };
  await Promise.all([grow(), grow(), grow(), grow()]);
  t.is(files.heldBytes, 0);
});

test('an aborted body leaves no file', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const files = new TemporaryFiles(directoriesIn(path), 100);
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('abc');
    throw new Error('gone');
  }
  await t.throwsAsync(files.take(Buffer.alloc(0), broken(), 50), { message: 'gone' });
  t.is(files.heldBytes, 0);
  t.deepEqual(readdirSync(path), []);
});

test('a body that does not fit in memory moves to the disk, and fails with NOT_ENOUGH_SPACE if it does not fit there either', async (t) => {
  const memory = smallDisk(t, 64);
  const disk = smallDisk(t, 256);
  if (memory === undefined || disk === undefined) return;
  const files = new TemporaryFiles({ first: memory, fallback: join(disk, 'files') }, 1e6);
  const rows = `${'x'.repeat(50_000)}${'y'.repeat(50_000)}z`;
  const body = await files.take(Buffer.from('ab'), pieces(rows.slice(0, 50_000), rows.slice(50_000)), undefined);
  t.is(dirname(body.path), join(disk, 'files'));
  t.is(readFileSync(body.path, 'utf8'), `ab${rows}`);
  const error = await t.throwsAsync(files.take(Buffer.alloc(0), pieces('x'.repeat(300_000)), undefined));
  t.is(
    exceptionReply(error).text,
    `Code: 243. DB::Exception: No space left in ${disk} for rows to insert (NOT_ENOUGH_SPACE)`,
  );
  body.discard();
  t.is(files.heldBytes, 0);
  t.deepEqual([readdirSync(memory), readdirSync(join(disk, 'files'))], [[], []]);
});

function directoriesIn(path: string): { readonly first: string; readonly fallback: string } {
  return { first: path, fallback: join(path, 'fallback') };
}
