import { createServer } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { BufferBudget, BufferedResult } from '../../../src/database/engine/buffered-result.js';
import { EngineError } from '../../../src/database/engine/engine-http.js';
import {
  channelSocket,
  type Frame,
  FrameKind,
  FrameReader,
  frameHead,
  frameOf,
  readRequestFrame,
  requestFrame,
} from '../../../src/database/engine/frames.js';
import { HostChannel } from '../../../src/database/engine/host-channel.js';
import { noEffect } from '../../../src/database/engine/request.js';
import { startEngine, temporaryDirectory } from '../../support/engine/engine.js';
import { formattedQuery } from '../../support/engine/formatted-query.js';
import { until } from '../../support/until.js';

const { supervisor, end } = await startEngine();
test.after.always(end);

const budget = new BufferBudget(1e9);
const channel = new HostChannel(() => supervisor.directory, budget);
test.after.always(() => channel.close());

const query = (sql: string) => ({ kind: 'query', ...formattedQuery(`${sql} FORMAT TSV`) }) as const;

async function text(sql: string, over = channel): Promise<string> {
  const result = await over.send(query(sql));
  if (Buffer.isBuffer(result)) return result.toString();
  const pieces: Buffer[] = [];
  for await (const piece of result) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('frames are read as they were written, however the bytes are split', (t) => {
  const frame = fc.record({ id: fc.nat(2 ** 32 - 1), kind: fc.nat(6), content: fc.uint8Array({ maxLength: 40 }) });
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (frames, cuts) => {
      const all = Buffer.concat(
        frames.flatMap(({ id, kind, content }) => [frameHead(id, kind, content.length), Buffer.from(content)]),
      );
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

test('a request keeps its head and its rows apart, and one that is cut off is refused', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (head, rows) => {
      const [frame] = new FrameReader().read(Buffer.concat([requestFrame(7, head, rows.length), rows]));
      const read = readRequestFrame(frame!.bytes);
      t.is(read.head, Buffer.from(head).toString());
      t.deepEqual(new Uint8Array(read.rows), rows);
    }),
  );
  t.throws(() => readRequestFrame(Buffer.from([9, 0, 0, 0, 1])), { message: /cut off/ });
});

test('concurrent queries get their own results, short and long, and the errors of the engine', async (t) => {
  const numbers = Array.from({ length: 50 }, (_, at) => at);
  const answers = await Promise.all(numbers.map((at) => text(`SELECT ${at}, '${'ä'.repeat(at * 100)}'`)));
  t.deepEqual(
    answers,
    numbers.map((at) => `${at}\t${'ä'.repeat(at * 100)}\n`),
  );
  const long = await Promise.all(['a', 'b', 'c'].map((name) => text(`SELECT '${name}', number FROM numbers(500000)`)));
  for (const [at, name] of ['a', 'b', 'c'].entries()) {
    const lines = long[at]!.split('\n');
    t.is(lines.length, 500_001);
    t.true(lines.every((line, row) => line === (row === 500_000 ? '' : `${name}\t${row}`)));
  }
  const refused = await t.throwsAsync(text('SELECT * FROM nothing_there'), { instanceOf: EngineError });
  t.is(refused?.type, 'UNKNOWN_TABLE');
  const late = 'SELECT throwIf(number = 900000), number FROM numbers(1000000)';
  await t.throwsAsync(text(late), { message: /throwIf/ });
  t.is(await text('SELECT 2'), '2\n');
});

test('a statement of many megabytes and rows beside the request arrive whole', async (t) => {
  t.is((await text(`SELECT length('${'x'.repeat(5_000_000)}')`)).trim(), '5000000');
  const change = (statement: string) => channel.send({ kind: 'change', statement, effect: noEffect });
  await change('CREATE TABLE default.sent (a UInt64) ENGINE = MergeTree ORDER BY a');
  const rows = Array.from({ length: 100 }, (_, part) => Buffer.from(`${part}\n`.repeat(10_000)));
  await channel.send({ kind: 'insert', insert: { table: 'default.sent', format: 'TSV' } }, { rows });
  t.is(await text('SELECT count(), sum(a) FROM default.sent'), '1000000\t49500000\n');
  await channel.send({ kind: 'ping' });
});

test('a result that nobody reads stops the engine, and others go on', async (t) => {
  const own = new BufferBudget(1e9);
  const unread = new HostChannel(() => supervisor.directory, own);
  t.teardown(() => unread.close());
  const result = await unread.send(query("SELECT number, repeat('x', 1000) FROM numbers(10000000)"));
  if (!(result instanceof BufferedResult)) return t.fail();
  t.true(await until(() => result.stalledMs() > 50));
  const held = own.used;
  t.true(held < 20_000_000, `${held} bytes are buffered`);
  t.is(await text('SELECT 3', unread), '3\n');
  t.true(own.used < held + 1_000_000);
  const running = "SELECT count() FROM system.processes WHERE query LIKE '%10000000%' AND query NOT LIKE '%processes%'";
  t.is(await text(running), '1\n');
  let bytes = 0;
  for await (const piece of result) {
    bytes += piece.length;
    if (bytes > 50_000_000) break;
  }
  t.true(await until(async () => (await text(running)) === '0\n'));
  t.is(own.used, 0);
});

test('a result that was paused ends in the engine once its reader has left', async (t) => {
  const mark = '20000001';
  const running = `SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%processes%'`;
  for (let i = 0; i < 4; i++) {
    const result = await channel.send(query(`SELECT number, repeat('x', 1000) FROM numbers(${mark})`));
    if (!(result instanceof BufferedResult)) return t.fail();
    await until(() => result.stalledMs() > 50);
    t.not(await text(running), '0\n');
    await result.return();
  }
  t.true(await until(async () => (await text(running)) === '0\n'));
});

test('an aborted query is cancelled in the engine', async (t) => {
  const over = new AbortController();
  const mark = 'nobody-waits-for-this';
  const running = () =>
    text(`SELECT count() FROM system.processes WHERE query LIKE '%${mark}%' AND query NOT LIKE '%LIKE%'`);
  const sql = `SELECT '${mark}', count() FROM numbers(1e12) WHERE NOT ignore(sipHash64(number))`;
  const result = channel.send({ ...query(sql), owner: 'somebody' }, { signal: over.signal });
  t.true(await until(async () => (await running()) === '1\n'));
  over.abort(new Error('gone'));
  await t.throwsAsync(result, { message: 'gone' });
  t.true(await until(async () => (await running()) === '0\n'));
  await t.throwsAsync(channel.send(query('SELECT 1'), { signal: over.signal }), { message: 'gone' });
});

test('requests fail without a directory and while the channel refuses all', async (t) => {
  await t.throwsAsync(new HostChannel(() => undefined, budget).send({ kind: 'ping' }), { message: 'it does not run' });
  const refusing = new HostChannel(() => supervisor.directory, budget);
  t.is(await text('SELECT 1', refusing), '1\n');
  const result = refusing.send(query('SELECT sleep(3)'));
  refusing.refuseAll('it does not answer');
  await t.throwsAsync(result, { message: 'it does not answer' });
  await t.throwsAsync(refusing.send({ kind: 'ping' }), { message: 'it does not answer' });
  refusing.refuseAll(undefined);
  t.is(await text('SELECT 1', refusing), '1\n');
  refusing.close();
  await t.throwsAsync(refusing.send({ kind: 'ping' }), { message: 'the connections were given up' });
});

test('requests in flight fail when the connection closes, and the next one connects again', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    const reader = new FrameReader();
    socket.on('data', (piece) => {
      for (const { id, bytes } of reader.read(piece)) {
        const { head } = readRequestFrame(bytes);
        if (head.includes('cut')) socket.write(frameOf(id, FrameKind.piece, 'begun'), () => socket.destroy());
        else socket.write(frameOf(id, FrameKind.end, head));
      }
    });
  }).listen(join(path, channelSocket));
  t.teardown(() => server.close());
  const channel = new HostChannel(() => ({ path, maxBytes: 1 }), budget);
  const request = { kind: 'query', statement: 'two', format: 'TSV', owner: 'a b' } as const;
  t.deepEqual(JSON.parse(String(await channel.send(request))), request);
  const begun = await channel.send({ ...request, statement: 'cut' });
  if (!(begun instanceof BufferedResult)) return t.fail();
  t.is(String((await begun.next()).value), 'begun');
  await t.throwsAsync(begun.next(), { message: 'the connection was closed' });
  t.deepEqual(JSON.parse(String(await channel.send(request))), request);
  t.is(connections, 2);
  channel.close();
});

test('requests in flight fail when another host takes over', async (t) => {
  const [path, remove] = temporaryDirectory();
  t.teardown(remove);
  let received = 0;
  const silent = createServer((socket) => socket.on('data', () => received++)).listen(join(path, channelSocket));
  t.teardown(() => silent.close());
  let directory = { path, maxBytes: 1 };
  const channel = new HostChannel(() => directory, budget);
  const result = channel.send({ kind: 'ping' });
  const failed = t.throwsAsync(result, { message: 'the connection was closed' });
  t.true(await until(() => received > 0));
  directory = { path: join(path, 'elsewhere'), maxBytes: 1 };
  await t.throwsAsync(channel.send({ kind: 'ping' }), { code: 'ENOENT' });
  await failed;
  channel.close();
});
