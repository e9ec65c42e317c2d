import { Readable } from 'node:stream';
import test from 'ava';
import fc from 'fast-check';
import { lastValueFrom, toArray } from 'rxjs';
import { ByteCreditGate } from '../../../src/pipelines/credit-gate.js';
import { fromBytes } from '../../../src/sources/support/bridges.js';
import {
  type Frame,
  type FramingLimits,
  framesOf,
  framing,
  type LineCutter,
} from '../../../src/sources/support/framing.js';
import { ElementCutter } from '../../../src/transforms/wire/json-elements.js';
import { LineCutter as LineprotoCutter } from '../../../src/transforms/wire/line-cutter.js';
import { standsStill } from '../../support/until.js';

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
      const blocks = await frames(chunks);
      const text = chunks.join('');
      t.is(Buffer.concat(blocks.map((frame) => frame.bytes)).toString(), text);
      for (const frame of blocks.slice(0, -1)) t.is(frame.bytes.at(-1), 10);
      const lines = blocks.reduce((sum, frame) => sum + frame.lines, 0);
      t.is(lines, text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0));
    }),
    { numRuns: 100 },
  );
});

test('a line above the limit becomes one dropped frame, and its neighbours are kept', async (t) => {
  const long = 'x'.repeat(300);
  const blocks = await frames(['first\n', long, long, '\nlast\n'], { blockBytes: 8, maxLineBytes: 100 });
  t.deepEqual(
    blocks.map((frame) => [frame.tooLong, Buffer.from(frame.bytes).toString()]),
    [
      [false, 'first\n'],
      [true, ''],
      [false, 'last\n'],
    ],
  );
});

test('text with very many rows is cut into frames of fewer, with a turn of others between them', async (t) => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `m${at} v=1`);
  const array = `[${Array.from({ length: 20_000 }, (_, at) => `{"metric":"m${at}","tags":{}}`).join(',')}]`;
  for (const [text, newCutter] of [
    [lines.join('\n'), () => new LineprotoCutter(1000)],
    [array, () => new ElementCutter()],
  ] as const) {
    const blocks = [];
    const turns = new Set<number>();
    let turn = 0;
    for await (const frame of framesOf(Buffer.from(text), newCutter, 1000) ?? []) {
      blocks.push(frame);
      turns.add(turn);
      setImmediate(() => turn++);
    }
    t.is(Buffer.concat(blocks.map(({ bytes }) => bytes)).toString(), text);
    t.is(
      blocks.reduce((sum, frame) => sum + frame.lines, 0),
      20_000,
    );
    t.true(turns.size > 2);
    t.true(
      blocks.length > 2 && blocks.every((frame) => frame.lines <= 10_000),
      blocks.map(({ lines: of }) => of).join(),
    );
    t.deepEqual(
      blocks.map(({ first, last }) => [first, last]),
      blocks.map((_, at) => [at === 0, at === blocks.length - 1]),
    );
  }
  const streamed = await frames([lines.join('\n')], { blockBytes: 1e7, maxLineBytes: 1000 });
  t.true(streamed.length > 3);
  const long = Array.from({ length: 7_000 }, (_, at) => `m${at} v="${'x'.repeat(100)}"`).join('\n');
  t.is(framesOf(Buffer.from(long), atLineFeed, 1000), undefined);
  t.not(
    framesOf(Buffer.from(`[${','.repeat(300_000)}]`), () => new ElementCutter(), 1000),
    undefined,
  );
  const points = Array.from({ length: 6_000 }, (_, at) => `{"metric":"m${at}","tags":{"a":"${'x'.repeat(100)}"}}`);
  t.is(
    framesOf(Buffer.from(`[${points.join()}]`), () => new ElementCutter(), 1000),
    undefined,
  );
});

/** Lines of the frames of a text, where its reader takes so many ms for each of them, by a clock that nothing else moves. */
async function linesOfFrames(text: string, readMs: number): Promise<number[]> {
  const { now } = performance;
  let readingMs = 0;
  const begun = performance.now();
  performance.now = () => begun + readingMs;
  try {
    const lines: number[] = [];
    for await (const frame of framesOf(Buffer.from(text), atLineFeed, 1000) ?? []) {
      lines.push(frame.lines);
      readingMs += readMs;
    }
    return lines;
  } finally {
    performance.now = now;
  }
}

test.serial(
  'frames grow to eight times their size while they are read quickly, and shrink to an eighth while slowly',
  async (t) => {
    const text = 'm v=1\n'.repeat(60_000);
    const quick = await linesOfFrames(text, 0);
    const first = quick[0]!;
    for (const [at, factor] of [1, 2, 4, 8, 8].entries())
      t.true(Math.abs(quick[at]! - factor * first) <= 16, quick.join());
    const slow = await linesOfFrames(text, 11);
    for (const [at, divisor] of [1, 2, 4, 8, 8].entries()) {
      t.true(Math.abs(slow[at]! - slow[0]! / divisor) <= 2, slow.slice(0, 8).join());
    }
    const steady = await linesOfFrames(text, 7);
    t.true(
      steady.slice(0, -1).every((lines) => Math.abs(lines - steady[0]!) <= 1),
      steady.join(),
    );
  },
);

test('very many small chunks are sent on before they are a block', async (t) => {
  const blocks = await frames(Array(1500).fill('a\n'), { blockBytes: 1e6, maxLineBytes: 1000 });
  t.deepEqual(
    blocks.map(({ lines }) => lines),
    [1024, 476],
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
  await standsStill(() => read);
  t.true(read < 30, `read ${read} chunks ahead of a shut gate`);
  t.is(bytes, 128);
  const drip = setInterval(() => gate.give(gate.bytes), 0);
  await done;
  clearInterval(drip);
  t.is(bytes, 64_000);
});

test('eager frames go on as soon as a line is whole, and not before', async (t) => {
  const blocks = await frames(['a', 'b', 'c\nd', 'e\n', 'f'], { blockBytes: 1000, maxLineBytes: 1000, eager: true });
  t.deepEqual(
    blocks.map((frame) => Buffer.from(frame.bytes).toString()),
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
