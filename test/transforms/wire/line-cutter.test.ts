import test from 'ava';
import fc from 'fast-check';
import { endOfLine, LineCutter } from '../../../src/transforms/wire/line-cutter.js';

const limit = 1024;

/** Feeds a text in pieces as a reader would and returns the blocks of whole lines, the rest last. */
function cutInPieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const cutter = new LineCutter(limit);
  const blocks: Buffer[] = [];
  let rest = Buffer.alloc(0);
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes.length === 0 ? bytes.length : sizes[i % sizes.length]!;
    rest = Buffer.concat([rest, bytes.subarray(at, at + size)]);
    at += size;
    const cut = cutter.lastLineBreak(rest);
    if (cut > 0) blocks.push(rest.subarray(0, cut));
    rest = rest.subarray(cut);
  }
  return [...blocks, rest];
}

/** Ends of all lines, by looking at one after the other. */
function lineEnds(bytes: Buffer): number[] {
  const ends: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    at = endOfLine(bytes, at, bytes.length, limit);
    ends.push(at);
  }
  return ends;
}

function lines(text: string): string[] {
  const bytes = Buffer.from(text);
  const ends = lineEnds(bytes);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end).toString());
}

test('cuts after the last line break', (t) => {
  t.is(new LineCutter(limit).lastLineBreak(Buffer.from('m v=1\nm v=2\nm v')), 12);
  t.is(new LineCutter(limit).lastLineBreak(Buffer.from('m v=1')), 0);
  t.is(new LineCutter(limit).lastLineBreak(Buffer.alloc(0)), 0);
});

test('does not cut inside a string', (t) => {
  t.is(new LineCutter(limit).lastLineBreak(Buffer.from('m v=1\nm s="a\nb')), 6);
  t.is(new LineCutter(limit).lastLineBreak(Buffer.from('m v=1\nm s="a\nb" 1\nm v')), 18);
  t.is(new LineCutter(limit).lastLineBreak(Buffer.from('m s=L"a\\"\n')), 0);
});

test('a quote outside a field value means nothing', (t) => {
  t.deepEqual(lines('# say "hi\nm,t="a v=1\nm"b x"y=1\nm f\\="=1\nm v=1" 5\n'), [
    '# say "hi\n',
    'm,t="a v=1\n',
    'm"b x"y=1\n',
    'm f\\="=1\n',
    'm v=1" 5\n',
  ]);
});

test('a string that does not end properly ends with its first line', (t) => {
  t.deepEqual(lines('m s="a\nm s="b"\nm v=1\n'), ['m s="a\n', 'm s="b"\n', 'm v=1\n']);
  t.deepEqual(lines('m s="a\nm v=1\n'), ['m s="a\n', 'm v=1\n']);
  const endless = `m s="a\n${'m v=1\n'.repeat(limit)}m s="b"\n`;
  t.is(lines(endless).length, limit + 2);
  t.is(new LineCutter(limit).lastLineBreak(Buffer.from(endless)), endless.length);
});

test('lines put together again are the text, and pieces of any size are cut at ends of lines', (t) => {
  const word = fc.constantFrom(
    'm',
    ' ',
    ',',
    '=',
    '"',
    '\\',
    '\n',
    '\r\n',
    's="',
    'x="a\nb"',
    'v=1',
    '#',
    '\t',
    'L"',
    'ü',
    'm v=1\n',
  );
  const text = fc.array(word, { maxLength: 60 }).map((words) => Buffer.from(words.join('')));
  t.notThrows(() =>
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }), (bytes, sizes) => {
        const blocks = cutInPieces(bytes, sizes);
        t.true(Buffer.concat(blocks).equals(bytes));
        const ends = new Set(lineEnds(bytes));
        let at = 0;
        for (const block of blocks.slice(0, -1)) {
          at += block.length;
          t.true(ends.has(at));
        }
        // Whole text in one piece: everything that certainly is a line is taken.
        const cut = new LineCutter(limit).lastLineBreak(bytes);
        t.true(cut === 0 || ends.has(cut));
        t.true([...ends].filter((end) => end > cut && bytes[end - 1] === 0x0a).length === 0 || bytes.includes(0x22));
      }),
      { numRuns: 1000 },
    ),
  );
});
