import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { EngineRefusal } from '../../../src/database/engine/engine-http.js';
import { type Frame, FrameKind, FrameReader, frameOf, frameSocket } from '../../../src/database/engine/frames.js';
import { ShortAsks } from '../../../src/database/engine/short-asks.js';
import { settingsOf } from '../../../src/sql/engine/settings.js';
import { startEngine, temporaryDirectory } from '../../support/engine/engine.js';
import { traits } from '../../support/sql/traits.js';
import { until } from '../../support/until.js';

const { supervisor, end } = await startEngine();
test.after.always(end);

const asks = new ShortAsks(() => supervisor.handover);
/** Waits for a connection; the first statement makes it. */
const isOpen = (asking: ShortAsks) => until(() => asking.ask('SELECT 1', {})?.catch(() => {}) !== undefined);
test.before(async () => {
  await isOpen(asks);
});

const text = async (sql: string): Promise<string | undefined> => (await asks.ask(`${sql} FORMAT TSV`, {}))?.toString();

test('frames are read as they were written, however they are cut', (t) => {
  const frame = fc.record({ id: fc.nat(2 ** 32 - 1), kind: fc.nat(3), content: fc.uint8Array({ maxLength: 40 }) });
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (frames, cuts) => {
      const all = Buffer.concat(frames.map(({ id, kind, content }) => frameOf(id, kind, content)));
      const reader = new FrameReader();
      const readFrames: Frame[] = [];
      for (let at = 0, cut = 0; at < all.length; cut++) {
        const length = cuts[cut % cuts.length]!;
        readFrames.push(...reader.read(all.subarray(at, at + length)));
        at += length;
      }
      t.deepEqual(
        readFrames.map(({ id, kind, bytes }) => ({ id, kind, content: new Uint8Array(bytes) })),
        frames,
      );
    }),
  );
  const tooLong = Buffer.alloc(4, 0xff);
  t.throws(() => [...new FrameReader().read(tooLong)], { message: /A frame of/ });
  t.throws(() => [...new FrameReader().read(Buffer.alloc(4))], { message: /A frame of/ });
});

test('statements that are asked at the same time have their own answers, and refusals in the words of the engine', async (t) => {
  const numbers = Array.from({ length: 50 }, (_, at) => at);
  const answers = await Promise.all(numbers.map((at) => text(`SELECT ${at}, '${'ä'.repeat(at * 100)}'`)));
  t.deepEqual(
    answers,
    numbers.map((at) => `${at}\t${'ä'.repeat(at * 100)}\n`),
  );
  t.is((await text('SELECT repeat(toString(number), 100000) FROM numbers(9)'))?.length, 900_009);
  const refused = await t.throwsAsync(async () => text('SELECT * FROM nothing_there'), { instanceOf: EngineRefusal });
  t.is(refused?.type, 'UNKNOWN_TABLE');
  t.is(await text('SELECT 2'), '2\n');
});

test('rows come as arrays, whether a statement asks for the settings of that or the session has them', async (t) => {
  const rowSettings = settingsOf('SELECT 1', traits);
  for (const settings of [rowSettings, `${rowSettings}, max_threads = 1`]) {
    const rows = await asks.ask(`SELECT number, 'a"b' FROM numbers(2) SETTINGS ${settings} FORMAT CustomSeparated`, {});
    t.is(String(rows), '[0,"a\\"b"]\n[1,"a\\"b"]\n');
  }
  t.is(String(await asks.ask('SELECT 1, 2 FORMAT CustomSeparated', {})), '[1,2]\n');
});

test('a statement that nobody waits for is ended', async (t) => {
  const over = new AbortController();
  const mark = 'nobody-waits-for-this';
  const running = () =>
    text(`SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%LIKE%'`);
  const sql = `SELECT '${mark}', count() FROM numbers(1e12) WHERE NOT ignore(sipHash64(number)) FORMAT TSV`;
  const asked = asks.ask(sql, { signal: over.signal, owner: 'somebody' });
  t.true(await until(async () => (await running()) === '1\n'));
  over.abort(new Error('gone'));
  await t.throwsAsync(async () => asked, { message: 'gone' });
  t.true(await until(async () => (await running()) === '0\n'));
  await t.throwsAsync(async () => asks.ask('SELECT 1', { signal: over.signal }), { message: 'gone' });
});

test('nothing is asked without a place, by long statements and while all are refused', async (t) => {
  t.is(new ShortAsks(() => undefined).ask('SELECT 1', {}), undefined);
  t.is(asks.ask(`SELECT '${'x'.repeat(300_000)}'`, {}), undefined);
  const refusing = new ShortAsks(() => supervisor.handover);
  t.true(await isOpen(refusing));
  const asked = refusing.ask('SELECT sleep(3)', {});
  refusing.refuseAll('it does not answer');
  await t.throwsAsync(async () => asked, { message: 'it does not answer' });
  t.is(refusing.ask('SELECT 1', {}), undefined);
  refusing.refuseAll(undefined);
  t.is((await refusing.ask('SELECT 1 FORMAT TSV', {}))?.toString(), '1\n');
  refusing.close();
});

test('what is waited for fails when the connection ends, and the next one is made', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    const reader = new FrameReader();
    socket.on('data', (piece) => {
      for (const { id, bytes } of reader.read(piece)) {
        if (bytes.toString() === '\nend') socket.destroy();
        else socket.write(frameOf(id, FrameKind.answer, bytes));
      }
    });
  }).listen(join(path, frameSocket));
  t.teardown(() => server.close());
  const asking = new ShortAsks(() => ({ path, maxBytes: 1 }));
  t.true(await isOpen(asking));
  t.is((await asking.ask('two', { owner: 'a b' }))?.toString(), 'a%20b\ntwo');
  await t.throwsAsync(async () => asking.ask('end', {}), { message: 'the connection was closed' });
  t.true(await isOpen(asking));
  t.is(connections, 2);
  asking.close();
});

test('what is waited for fails when the host is another one', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const silent = createServer((socket) => socket.resume()).listen(join(path, frameSocket));
  t.teardown(() => silent.close());
  let place = { path, maxBytes: 1 };
  const asking = new ShortAsks(() => place);
  let asked: Promise<unknown> | undefined;
  const isAsked = () => {
    asked = asking.ask('SELECT 1', {});
    return asked !== undefined;
  };
  t.true(await until(isAsked));
  place = { path: join(path, 'elsewhere'), maxBytes: 1 };
  t.is(asking.ask('SELECT 2', {}), undefined);
  await t.throwsAsync(async () => asked, { message: 'the connection was closed' });
  asking.close();
});
