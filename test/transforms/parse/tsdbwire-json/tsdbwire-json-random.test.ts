import test from 'ava';
import fc from 'fast-check';
import type { ParsedPoints } from '../../../../src/transforms/points/parse-options.js';
import { ElementCutter } from '../../../../src/transforms/wire/json-elements.js';
import type { LineProtocolDesk, ReadRow, ReadValue } from '../../../support/messages/line-protocol.js';
import { newDesk, object } from '../../../support/messages/tsdbwire-objects.js';

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
  .filter((text) => !/\p{Surrogate}/u.test(text) && Buffer.byteLength(text) <= 64);

const value = fc.oneof(
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((number): [string, ReadValue] => [
      Object.is(number, -0) ? '-0' : JSON.stringify(number),
      { type: 'DOUBLE', value: number },
    ]),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((number): [string, ReadValue] => [`{"type":"bigint","value":${number}}`, { type: 'BIGINT', value: number }]),
  fc.boolean().map((bool): [string, ReadValue] => [`${bool}`, { type: 'BOOL', value: bool }]),
  word.map((text): [string, ReadValue] => [JSON.stringify(text), { type: 'VARCHAR', value: text }]),
  word.map((text): [string, ReadValue] => [
    `{ "value" : ${JSON.stringify(text)}, "type" : "nchar"}`,
    { type: 'NCHAR', value: text },
  ]),
);

const point: fc.Arbitrary<Point> = fc.record({
  metric: word,
  seconds: fc.integer({ min: 1_000_000_000, max: 9_223_372_035 }),
  value,
  tags: fc.dictionary(word, word, { minKeys: 1, maxKeys: 4 }),
  order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
});

interface Point {
  readonly metric: string;
  readonly seconds: number;
  readonly value: readonly [text: string, value: ReadValue];
  readonly tags: Readonly<Record<string, string>>;
  readonly order: readonly number[];
}

function printed({ metric, seconds, value: [text], tags, order }: Point): string {
  const members = [
    `"metric":${JSON.stringify(metric)}`,
    `"timestamp":${seconds}`,
    `"value":${text}`,
    `"tags":${JSON.stringify(tags)}`,
  ];
  return `{${order.map((i) => members[i]).join(',')}}`;
}

test('any point printed as JSON comes back equal', (t) => {
  fc.assert(
    fc.property(point, (sent) => {
      const desk = newDesk();
      const parsed = desk.parse(printed(sent));
      t.deepEqual(parsed.rejects, []);
      const [row] = desk.rows(parsed);
      t.is(row?.table, sent.metric.replaceAll('.', '_'));
      t.deepEqual(row?.tags, { ...sent.tags });
      t.is(row?.time, BigInt(sent.seconds) * 1_000_000_000n);
      t.deepEqual(row?.fields._value, sent.value[1]);
    }),
    { numRuns: 500 },
  );
});

/** Feeds a text to a cutter in pieces and parses block by block, as the streaming source does. */
function parseInBlocks(desk: LineProtocolDesk, bytes: Buffer, sizes: readonly number[]): ParsedPoints[] {
  const cutter = new ElementCutter();
  const blocks: Buffer[] = [];
  const rows: number[] = [];
  let rest = Buffer.alloc(0);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    rest = Buffer.concat([rest, bytes.subarray(at, at + size)]);
    at += size;
    const cut = cutter.lastLineBreak(rest);
    if (cut > 0) {
      blocks.push(rest.subarray(0, cut));
      rows.push(cutter.rows());
    }
    rest = rest.subarray(cut);
  }
  blocks.push(rest);
  let firstLine = 0;
  return blocks.map((block, i) => {
    const parsed = desk.parse(block, { part: { first: i === 0, last: i === blocks.length - 1 }, firstLine });
    firstLine += rows[i] ?? 0;
    return parsed;
  });
}

function shown(rows: readonly ReadRow[]): string[] {
  return rows
    .map((row) => JSON.stringify([row.table, String(row.time), String(row.fields._value?.value), row.subTable]))
    .sort();
}

test('an array cut anywhere between its elements gives the same rows and the same rejects', (t) => {
  const broken = ['7', '{"a":"]},{["}', '{"metric":"m"}', '[[]]'];
  const element = fc.oneof({ weight: 4, arbitrary: point.map(printed) }, fc.constantFrom(...broken));
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 }),
      (elements, sizes) => {
        const text = Buffer.from(` [ ${elements.join(' ,\n')}] `);
        const whole = newDesk();
        const parsed = whole.parse(text);
        const desk = newDesk();
        const parts = parseInBlocks(desk, text, sizes);
        t.deepEqual(shown(parts.flatMap((part) => desk.rows(part))), shown(whole.rows(parsed)));
        t.deepEqual(
          parts.flatMap((part) => part.rejects),
          parsed.rejects,
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('mutated text never throws, and an array around it never loses what came before', (t) => {
  const good = object({ metric: '"cpu.load"', value: '{"value":1.5,"type":"double"}' });
  fc.assert(
    fc.property(fc.nat(good.length), fc.uint8Array({ maxLength: 4 }), fc.nat(4), (at, bytes, drop) => {
      const mutated = Buffer.concat([
        Buffer.from(good.slice(0, at)),
        Buffer.from(bytes),
        Buffer.from(good.slice(at + drop)),
      ]);
      const text = Buffer.concat([Buffer.from(`[${object()},`), mutated, Buffer.from(`,${object({ value: '2' })}]`)]);
      const desk = newDesk();
      const parsed = desk.parse(text);
      t.true(parsed.rows >= 1);
      t.is(desk.rows(parsed)[0]?.table, 'm');
      newDesk().parse(mutated);
    }),
    { numRuns: 1000 },
  );
});

/** Points of few series, as agents send them, and as they print them: all alike. */
const alike = fc
  .record({
    order: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
    series: fc.array(fc.tuple(fc.constantFrom('m', 'cpu.load', 'a"b'), fc.constantFrom('x', 'long-name-1', '}é')), {
      minLength: 2,
      maxLength: 5,
    }),
    seconds: fc.array(fc.constantFrom(1_700_000_000, 1_700_000_001), { minLength: 5, maxLength: 5 }),
    values: fc.array(fc.constantFrom('0', '-12.5', '1e3', '123456789.25'), { minLength: 5, maxLength: 5 }),
  })
  .map(({ order, series, seconds, values }) =>
    series.map(([metric, host], i) => {
      const value = [values[i]!, { type: 'DOUBLE', value: 0 }] as const;
      return printed({ metric, seconds: seconds[i]!, value, tags: { host, zone: 'z' }, order });
    }),
  );

test('a point is read the same whatever came before it', (t) => {
  const pieces = fc.constantFrom(
    '',
    '"',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '\\',
    ' ',
    '0',
    '-',
    '.',
    'e',
    'm',
    '\n',
    '\x01',
    'é',
  );
  const change = fc.record({ at: fc.nat(), drop: fc.nat(3), pieces: fc.array(pieces, { maxLength: 2 }) });
  fc.assert(
    fc.property(alike, fc.array(change, { maxLength: 2 }), (elements, changes) => {
      const last = changes.reduce((text, { at, drop, pieces }) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + pieces.join('') + text.slice(from + drop);
      }, elements.at(-1)!);
      const before = elements.slice(0, -1);
      // Nothing is expected after these: the series are new, and each object is written in a way of its own.
      const strange = before.map((text, i) => text.replace('{', `{${' '.repeat(i + 1)}`));
      const fresh = newDesk();
      const expected = fresh.parse(`[${[...strange, last].join(',')}]`);
      const desk = newDesk();
      for (let i = 0; i < 3; i++) desk.parse(`[${elements.join(',')}]`);
      const parsed = desk.parse(`[${[...before, last].join(',')}]`);
      t.deepEqual(desk.rows(parsed), fresh.rows(expected));
      t.deepEqual(parsed.rejects, expected.rejects);
      t.is(parsed.lines, expected.lines);
    }),
    { numRuns: 1000 },
  );
});

test('an element cutter never cuts text that is no array, and goes on after an element that is too long', (t) => {
  t.is(new ElementCutter().lastLineBreak(Buffer.from('{"a":1,"b":[1,2],"c":3}')), 0);
  t.is(new ElementCutter().lastLineBreak(Buffer.from('"a",1')), 0);
  t.is(new ElementCutter().lastLineBreak(Buffer.from('[1,2,')), 3);
  const marked = Buffer.from('\ufeff [1,2,');
  const waiting = new ElementCutter();
  t.deepEqual(
    [1, 2, 4, marked.length].map((end) => waiting.lastLineBreak(marked.subarray(0, end))),
    [0, 0, 0, 7],
  );
  const cutter = new ElementCutter();
  t.is(cutter.lastLineBreak(Buffer.from('[1,{"long":"')), 3);
  t.is(cutter.afterOverlong(Buffer.from('},],')), 0);
  t.is(cutter.afterOverlong(Buffer.from('"},{"next":1},')), 3);
  t.is(cutter.lastLineBreak(Buffer.from('{"next":1},2]')), 11);
});
