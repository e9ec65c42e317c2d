import { PassThrough } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import { BodyBudget, type BodyLease } from '../../src/async/body-budget.js';
import { collectBytes, firstBytes } from '../../src/async/collect-bytes.js';
import { FaultError } from '../../src/model/fault.js';
import { until } from '../support/until.js';

const mebibyte = 1024 * 1024;
const never = new AbortController().signal;

function newBudget(more: Partial<ConstructorParameters<typeof BodyBudget>[0]> = {}): BodyBudget {
  return new BodyBudget({ limitBytes: 64 * mebibyte, maxWaiting: 100, waitMs: 60_000, ...more });
}

/** Leases in the order they were given. */
function asking(budget: BodyBudget, leases: Map<string, BodyLease>) {
  return async (name: string, user: string, bytes: number): Promise<void> => {
    leases.set(name, await budget.lease(user, bytes, never));
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('long bodies of one user take half of the room, short ones pass them, and others find room', async (t) => {
  const budget = newBudget();
  const leases = new Map<string, BodyLease>();
  const request = asking(budget, leases);
  for (let at = 0; at < 4; at++) void request(`long ${at}`, 'a', 16 * mebibyte);
  await settled();
  t.deepEqual([...leases.keys()], ['long 0', 'long 1']);
  void request('short', 'a', 1000);
  void request('other', 'b', 8 * mebibyte);
  await settled();
  t.deepEqual([...leases.keys()], ['long 0', 'long 1', 'short', 'other']);
  t.is(budget.waiting, 2);
  for (const name of ['short', 'long 0', 'long 0', 'long 1']) leases.get(name)?.release();
  await settled();
  t.deepEqual([...leases.keys()].slice(4), ['long 2'], 'one fits beside what the other user holds');
  leases.get('other')?.release();
  await settled();
  t.true(leases.has('long 3'));
  for (const lease of leases.values()) lease.release();
  t.is(budget.bytes, 0);
  t.is(budget.waiting, 0);
});

test('a body that is longer than all the room passes alone', async (t) => {
  const budget = newBudget();
  const lease = await budget.lease('a', 1000 * mebibyte, never);
  const other = budget.lease('b', 10, never);
  t.is(budget.waiting, 1);
  lease.release();
  (await other).release();
  t.is(budget.bytes, 0);
});

test('a body waits so long and no longer, only so many wait, and one that leaves waits no more', async (t) => {
  const budget = newBudget({ waitMs: 20, maxWaiting: 1 });
  const lease = await budget.lease('a', 64 * mebibyte, never);
  const waiting = budget.lease('a', mebibyte, never);
  const refused = await t.throwsAsync(budget.lease('b', mebibyte, never), { instanceOf: FaultError });
  t.is(refused?.fault.kind, 'resource');
  await t.throwsAsync(waiting, { message: /too many request bodies/ });
  const leaving = new AbortController();
  const gone = budget.lease('a', mebibyte, leaving.signal);
  leaving.abort(new Error('gone'));
  await t.throwsAsync(gone, { message: 'gone' });
  t.is(budget.waiting, 0);
  lease.release();
  t.is(budget.bytes, 0);
});

test('bodies of one user leave places to wait to others', async (t) => {
  const budget = newBudget({ maxWaiting: 8 });
  const lease = await budget.lease('a', 64 * mebibyte, never);
  const waiting = Array.from({ length: 6 }, () => budget.lease('a', mebibyte, never));
  await t.throwsAsync(budget.lease('a', mebibyte, never), { message: /too many request bodies/ });
  waiting.push(budget.lease('b', mebibyte, never), budget.lease('b', mebibyte, never));
  await t.throwsAsync(budget.lease('b', mebibyte, never), { message: /too many request bodies/ });
  lease.release();
  for (const other of await Promise.all(waiting)) other.release();
  t.deepEqual([budget.bytes, budget.waiting], [0, 0]);
});

test('a body that comes slowly is given up while others wait, and only then', async (t) => {
  const budget = newBudget({ paceMs: 10 });
  const body = new PassThrough();
  const lease = await budget.lease('a', 60 * mebibyte, never);
  const collected = collectBytes(body, { length: 60 * mebibyte, maxBytes: 60 * mebibyte, lease, aborted: never });
  body.write('so much of it');
  t.is(await Promise.race([collected, settled().then(() => 'coming')]), 'coming');
  const other = budget.lease('b', 60 * mebibyte, never);
  const result = await collected;
  t.true(typeof result === 'object' && 'message' in result && result.message.includes('too slowly'));
  lease.release();
  (await other).release();
  t.is(budget.bytes, 0);
});

test('a body is slow when two looks in a row find too few new bytes, and none that wait to be read', async (t) => {
  const lease = await newBudget().lease('a', 1, never);
  let unread = 0;
  lease.unread = () => unread;
  const looks: [received: number, unread: number, isSlow: boolean][] = [
    [9, 0, false],
    [18, 0, true],
    [28, 0, false],
    [28, 0, false],
    [28, 1, false],
    [28, 0, false],
    [37, 0, true],
  ];
  for (const [received, waiting, isSlow] of looks) {
    lease.received = received;
    unread = waiting;
    t.is(lease.isSlow(10), isSlow, `${received} bytes, ${waiting} unread`);
  }
});

test('collected bytes are those of the stream, whatever its pieces, and nothing of the room is left behind', async (t) => {
  const streams = fc.record({
    pieces: fc.array(fc.uint8Array({ maxLength: 70_000 }), { maxLength: 6 }),
    maxBytes: fc.integer({ min: 1, max: 250_000 }),
    known: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(streams, async ({ pieces, maxBytes, known }) => {
      const budget = newBudget();
      const body = new PassThrough();
      const whole = Buffer.concat(pieces);
      const length = known ? whole.length : undefined;
      const lease = await budget.lease('a', length ?? Math.min(firstBytes, maxBytes), never);
      const collected = collectBytes(body, {
        length,
        maxBytes: known ? whole.length : maxBytes,
        lease,
        aborted: never,
      });
      for (const piece of pieces) body.write(piece);
      body.end();
      const result = await collected;
      if (known || whole.length <= maxBytes) t.deepEqual(result, whole);
      else t.is(result, 'too-long');
      t.true(lease.bytes >= (Buffer.isBuffer(result) ? result.length : 0));
      lease.release();
      t.is(budget.bytes, 0);
    }),
  );
});

test('what was taken of a long body stays in it where it is to be read on', async (t) => {
  const body = new PassThrough();
  const lease = await newBudget().lease('a', 4, never);
  const collected = collectBytes(body, { length: undefined, maxBytes: 4, lease, aborted: never, patienceMs: 60_000 });
  body.write('abc');
  body.write('def');
  t.is(await collected, 'too-long');
  body.end('ghi');
  t.is((await body.toArray()).join(''), 'abcdefghi');
});

test('what was taken of a body that takes too long stays in it, also where it waits for room', async (t) => {
  const slow = new PassThrough();
  const lease = await newBudget().lease('a', 4, never);
  const collected = collectBytes(slow, { length: undefined, maxBytes: 8, lease, aborted: never, patienceMs: 5 });
  slow.write('abc');
  t.is(await collected, 'too-long');
  slow.end('def');
  t.is((await slow.toArray()).join(''), 'abcdef');
  lease.release();

  const budget = newBudget({ limitBytes: 4 * firstBytes });
  const waiting = new PassThrough();
  const own = await budget.lease('a', firstBytes, never);
  const others = await budget.lease('b', 2 * firstBytes, never);
  const rules = { length: undefined, maxBytes: mebibyte, lease: own, aborted: never, patienceMs: 5 };
  const [first, second] = [Buffer.alloc(firstBytes, 'x'), Buffer.alloc(firstBytes, 'y')];
  const ending = collectBytes(waiting, rules);
  waiting.write(first);
  waiting.write(second);
  setTimeout(() => others.release(), 20);
  t.is(await ending, 'too-long');
  waiting.end('z');
  t.deepEqual(Buffer.concat(await waiting.toArray()), Buffer.concat([first, second, Buffer.from('z')]));
  own.release();
  t.is(budget.bytes, 0);
});

test('a stream that breaks off, or lies about its length, is broken', async (t) => {
  const budget = newBudget();
  for (const [sent, length] of [
    ['abc', 4],
    ['abcde', 4],
  ] as const) {
    const body = new PassThrough();
    const lease = await budget.lease('a', length, never);
    const collected = collectBytes(body, { length, maxBytes: length, lease, aborted: never });
    body.end(sent);
    t.is(await collected, 'broken');
    lease.release();
  }
  const body = new PassThrough();
  const lease = await budget.lease('a', 4, never);
  body.on('error', () => {}).destroy(new Error('gone'));
  t.is(await collectBytes(body, { length: 4, maxBytes: 4, lease, aborted: never }), 'broken');
  lease.release();
  t.true(await until(() => budget.bytes === 0));
});
