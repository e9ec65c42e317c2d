import test from 'ava';
import fc from 'fast-check';
import { parseGraphite } from '../../../src/transforms/parse/graphite.js';
import { LineProtocolDesk, nowTicks } from '../../support/messages/line-protocol.js';
import { propertyRuns } from '../../support/property-seed.js';
import { spoiltCopies } from '../../support/spoilt.js';

/** Rows as `table{tags} value time`, and what was rejected. */
function read(text: string | Uint8Array, desk = new LineProtocolDesk()): string[] {
  const parsed = parseGraphite(Buffer.from(text), desk.options());
  const rows = desk.rows(parsed).map(({ table, tags, time, fields }) => {
    return `${table}${JSON.stringify(tags)} ${fields._value?.value} ${time}`;
  });
  return [...rows, ...parsed.rejects.map(({ row, fault }) => `${row + 1}: ${fault.message}`)];
}

test('a line is metric, value and seconds, tags behind semicolons', (t) => {
  const text = [
    'servers.web01.load 0.42 1700000000',
    'disk;host=a;mount=/var -1e3\t1700000000.25\r',
    '',
    'now 1 -1',
    'also.now 2',
    'not.there nan 1700000000',
    'last 5 1700000000',
  ].join('\n');
  t.deepEqual(read(text), [
    'servers_web01_load{} 0.42 1700000000000000000',
    'disk{"host":"a","mount":"/var"} -1000 1700000000250000000',
    `now{} 1 ${nowTicks}`,
    `also_now{} 2 ${nowTicks}`,
    'last{} 5 1700000000000000000',
  ]);
});

test('a bad line is said with its column and costs no other', (t) => {
  const cases: [string, RegExp][] = [
    ['m', /^1: the value is missing \(column 2\)$/],
    ['m x 1700000000', /^1: "x" is not a finite number \(column 3\)$/],
    ['m inf 1700000000', /"inf" is not a finite number/],
    ['m 1e999 1700000000', /"1e999" is not a finite number/],
    ['m 1 yesterday', /"yesterday" is not a timestamp \(column 5\)$/],
    ['m 1 -5', /the timestamp "-5" is before 1970/],
    ['m 1 1700000000 more', /there is more than metric, value and timestamp \(column 16\)$/],
    ['m;a 1 1700000000', /tag "a" has no value/],
    ['m;=v 1 1700000000', /a tag has no name/],
    ['m;a= 1 1700000000', /tag "a" has an empty value/],
    ['m;a=1;a=2 1 1700000000', /tag "a" occurs twice/],
    [';a=1 1 1700000000', /the metric is missing/],
    [`${'m'.repeat(193)} 1 1700000000`, /is longer than 192 bytes/],
  ];
  for (const [line, said] of cases) {
    const [good, problem] = read(`${line}\nfine 1 1700000000\n`);
    t.is(good, 'fine{} 1 1700000000000000000', line);
    t.regex(problem ?? '', said, line);
  }
});

const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const point = fc.record({
  metric: word,
  tags: fc.dictionary(word, word, { maxKeys: 3 }),
  value: fc.double({ noNaN: true, noDefaultInfinity: true }),
  seconds: fc.integer({ min: 1, max: 4_000_000_000 }),
});

test('whatever is written is read back', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(point, { maxLength: 10 }), (points) => {
        const lines = points.map(({ metric, tags, value, seconds }) => {
          const tagText = Object.entries(tags).map(([name, tag]) => `;${name}=${tag}`);
          return `${metric}${tagText.join('')} ${value} ${seconds}\n`;
        });
        const parsed = parseGraphite(Buffer.from(lines.join('')), new LineProtocolDesk().options());
        return parsed.rows === points.length && parsed.rejectedRows === 0;
      }),
      { numRuns: propertyRuns(100) },
    ),
  );
});

test('spoilt lines never stop the reading', (t) => {
  const text = Buffer.from('servers.web01.load;a=b;c=d 0.42 1700000000\nm 1 -1\nz;q=1 2e5 1700000000.5\r\n');
  const desk = new LineProtocolDesk();
  for (const copy of spoiltCopies(text, propertyRuns(3000))) t.true(Array.isArray(read(copy, desk)));
});

test('times beyond what the database takes are refused on both sides', (t) => {
  const desk = new LineProtocolDesk();
  const options = { ...desk.options(), minTicks: 2_000_000_000n, maxTicks: 5_000_000_000n };
  const parsed = parseGraphite(Buffer.from('m 1 1\nm 2 2\nm 5 5\nm 6 6'), options);
  t.deepEqual(
    desk.rows(parsed).map(({ time }) => time),
    [2_000_000_000n, 5_000_000_000n],
  );
  t.deepEqual(
    parsed.rejects.map(({ fault }) => fault.message.replace(/^.*?: /, '')),
    ['the time is older than the database keeps (column 5)', 'the time is too far in the future (column 5)'],
  );
});
