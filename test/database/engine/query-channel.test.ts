import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { EngineError } from '../../../src/database/engine/engine-http.js';
import {
  type Frame,
  FrameKind,
  FrameReader,
  frameOf,
  queryChannelSocket,
} from '../../../src/database/engine/frames.js';
import { QueryChannel } from '../../../src/database/engine/query-channel.js';
import { settingsOf } from '../../../src/sql/engine/settings.js';
import { shapeOf } from '../../../src/sql/engine/shape.js';
import { startEngine, temporaryDirectory } from '../../support/engine/engine.js';
import { traits } from '../../support/sql/traits.js';
import { until } from '../../support/until.js';

const { supervisor, end } = await startEngine();
test.after.always(end);

const channel = new QueryChannel(() => supervisor.handover);
/** Waits for a connection; the first statement makes it. */
const isOpen = (channel: QueryChannel) => until(() => channel.query('SELECT 1', {})?.catch(() => {}) !== undefined);
test.before(async () => {
  await isOpen(channel);
});

const text = async (sql: string): Promise<string | undefined> =>
  (await channel.query(`${sql} FORMAT TSV`, {}))?.toString();

test('frames are read as they were written, however the bytes are split', (t) => {
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

test('concurrent queries get their own results and the errors of the engine', async (t) => {
  const numbers = Array.from({ length: 50 }, (_, at) => at);
  const answers = await Promise.all(numbers.map((at) => text(`SELECT ${at}, '${'ä'.repeat(at * 100)}'`)));
  t.deepEqual(
    answers,
    numbers.map((at) => `${at}\t${'ä'.repeat(at * 100)}\n`),
  );
  t.is((await text('SELECT repeat(toString(number), 100000) FROM numbers(9)'))?.length, 900_009);
  const refused = await t.throwsAsync(async () => text('SELECT * FROM nothing_there'), { instanceOf: EngineError });
  t.is(refused?.type, 'UNKNOWN_TABLE');
  t.is(await text('SELECT 2'), '2\n');
});

test('rows come as arrays, whether the statement or the session has the settings for that', async (t) => {
  const rowSettings = settingsOf('SELECT 1', shapeOf({ raw: 'SELECT 1' }), traits);
  for (const settings of [rowSettings, `${rowSettings}, max_threads = 1`]) {
    const rows = await channel.query(
      `SELECT number, 'a"b' FROM numbers(2) SETTINGS ${settings} FORMAT CustomSeparated`,
      {},
    );
    t.is(String(rows), '[0,"a\\"b"]\n[1,"a\\"b"]\n');
  }
  t.is(String(await channel.query('SELECT 1, 2 FORMAT CustomSeparated', {})), '[1,2]\n');
});

test('an aborted query is cancelled in the engine', async (t) => {
  const over = new AbortController();
  const mark = 'nobody-waits-for-this';
  const running = () =>
    text(`SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%LIKE%'`);
  const sql = `SELECT '${mark}', count() FROM numbers(1e12) WHERE NOT ignore(sipHash64(number)) FORMAT TSV`;
  const result = channel.query(sql, { signal: over.signal, owner: 'somebody' });
  t.true(await until(async () => (await running()) === '1\n'));
  over.abort(new Error('gone'));
  await t.throwsAsync(async () => result, { message: 'gone' });
  t.true(await until(async () => (await running()) === '0\n'));
  await t.throwsAsync(async () => channel.query('SELECT 1', { signal: over.signal }), { message: 'gone' });
});

test('the channel returns undefined without a directory, for long statements and while it refuses all', async (t) => {
  t.is(new QueryChannel(() => undefined).query('SELECT 1', {}), undefined);
  t.is(channel.query(`SELECT '${'x'.repeat(300_000)}'`, {}), undefined);
  const refusing = new QueryChannel(() => supervisor.handover);
  t.true(await isOpen(refusing));
  const result = refusing.query('SELECT sleep(3)', {});
  refusing.refuseAll('it does not answer');
  await t.throwsAsync(async () => result, { message: 'it does not answer' });
  t.is(refusing.query('SELECT 1', {}), undefined);
  refusing.refuseAll(undefined);
  t.is((await refusing.query('SELECT 1 FORMAT TSV', {}))?.toString(), '1\n');
  refusing.close();
});

test('queries in flight fail when the connection closes, and the next query connects again', async (t) => {
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
        else socket.write(frameOf(id, FrameKind.result, bytes));
      }
    });
  }).listen(join(path, queryChannelSocket));
  t.teardown(() => server.close());
  const channel = new QueryChannel(() => ({ path, maxBytes: 1 }));
  t.true(await isOpen(channel));
  t.is((await channel.query('two', { owner: 'a b' }))?.toString(), 'a%20b\ntwo');
  await t.throwsAsync(async () => channel.query('end', {}), { message: 'the connection was closed' });
  t.true(await isOpen(channel));
  t.is(connections, 2);
  channel.close();
});

test('queries in flight fail when another host takes over', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  const silent = createServer((socket) => socket.resume()).listen(join(path, queryChannelSocket));
  t.teardown(() => silent.close());
  let directory = { path, maxBytes: 1 };
  const channel = new QueryChannel(() => directory);
  let result: Promise<unknown> | undefined;
  const isSent = () => {
    result = channel.query('SELECT 1', {});
    return result !== undefined;
  };
  t.true(await until(isSent));
  directory = { path: join(path, 'elsewhere'), maxBytes: 1 };
  t.is(channel.query('SELECT 2', {}), undefined);
  await t.throwsAsync(async () => result, { message: 'the connection was closed' });
  channel.close();
});
