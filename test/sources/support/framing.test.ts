import { Readable } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { fromBytes } from '../../../src/sources/support/bridges.js';
import { type Frame, type FramingLimits, framing, type LineCutter } from '../../../src/sources/support/framing.js';

const atLineFeed = (): LineCutter => ({ lastLineBreak: (bytes) => bytes.lastIndexOf(10) + 1 });
const never = new AbortController().signal;

function frames(
  chunks: readonly string[],
  limits: FramingLimits = { blockBytes: 16, maxLineBytes: 1000 },
): Promise<Frame[]> {
  const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  const gate = new ByteCreditGate(1e9);
  return lastValueFrom(fromBytes<Frame>(input, framing(atLineFeed, limits), gate, never).pipe(toArray()));
}

test('frames hold whole lines and together all bytes, however the stream is cut', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'ü', '\n') })), async (chunks) => {
      const found = await frames(chunks);
      const text = chunks.join('');
      t.is(Buffer.concat(found.map((frame) => frame.bytes)).toString(), text);
      for (const frame of found.slice(0, -1)) t.is(frame.bytes.at(-1), 10);
      const lines = found.reduce((sum, frame) => sum + frame.lines, 0);
      t.is(lines, text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0));
    }),
    { numRuns: 100 },
  );
});

test('a line above the limit becomes one dropped frame, and its neighbours are kept', async (t) => {
  const long = 'x'.repeat(300);
  const found = await frames(['first\n', long, long, '\nlast\n'], { blockBytes: 8, maxLineBytes: 100 });
  t.deepEqual(
    found.map((frame) => [frame.tooLong, Buffer.from(frame.bytes).toString()]),
    [
      [false, 'first\n'],
      [true, ''],
      [false, 'last\n'],
    ],
  );
});

test('the next block is read only while the gate is open', async (t) => {
  let read = 0;
  const input = Readable.from(
    (function* () {
      for (; read < 1000; read++) yield Buffer.alloc(64, 'a\n');
    })(),
    { highWaterMark: 1 },
  );
  const gate = new ByteCreditGate(100);
  const chain = framing(atLineFeed, { blockBytes: 64, maxLineBytes: 1000 });
  let bytes = 0;
  const done = new Promise<void>((resolve) => {
    fromBytes<Frame>(input, chain, gate, never).subscribe({
      next: (frame) => {
        bytes += frame.bytes.length;
        gate.take(frame.bytes.length);
      },
      complete: resolve,
    });
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.true(read < 30, `read ${read} chunks ahead of a shut gate`);
  t.is(bytes, 128);
  const drip = setInterval(() => gate.give(gate.bytes), 0);
  await done;
  clearInterval(drip);
  t.is(bytes, 64_000);
});

test('eager frames go on as soon as a line is whole, and not before', async (t) => {
  const found = await frames(['a', 'b', 'c\nd', 'e\n', 'f'], { blockBytes: 1000, maxLineBytes: 1000, eager: true });
  t.deepEqual(
    found.map((frame) => Buffer.from(frame.bytes).toString()),
    ['abc\n', 'de\n', 'f'],
  );
});

test('frames say which end of the stream they hold', async (t) => {
  const ends = async (...chunks: string[]) =>
    (await frames(chunks, { blockBytes: 1, maxLineBytes: 1000 })).map(({ first, last }) => [first, last]);
  t.deepEqual(await ends('a\n', 'b\n', 'c'), [
    [true, false],
    [false, false],
    [false, true],
  ]);
  t.deepEqual(await ends('a'), [[true, true]]);
  t.deepEqual(await ends('a\n'), [[true, false]]);
});
