import test from 'ava';
import fc from 'fast-check';
import { parseExposition } from '../../../../src/transforms/parse/exposition/exposition.js';
import { boundName } from '../../../../src/transforms/points/bound-field.js';
import { LineProtocolDesk, nowTicks, type ReadRow } from '../../../support/messages/line-protocol.js';
import { spoiltCopies } from '../../../support/spoilt.js';

const url = 'http://host:9100';

function scrape(text: string | Uint8Array, format: 'text' | 'openmetrics' = 'text', desk = new LineProtocolDesk()) {
  const parsed = parseExposition(Buffer.concat([Buffer.from(`${format} ${url}\n`), Buffer.from(text)]), desk.options());
  const all = desk.rows(parsed);
  const exemplars = all.filter(({ table }) => table === 'metric_exemplars');
  return {
    rows: all.filter(({ table }) => table !== 'metric_exemplars'),
    exemplars,
    reasons: parsed.rejects.map(({ fault }) => fault.message),
    parsed,
  };
}

/** A row without its address and sub-table; the time only when it is not that of the scrape. */
function shown({ table, tags, fields, time }: ReadRow): unknown[] {
  const { url: _, ...labels } = tags;
  const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  return time === nowTicks ? [table, labels, values] : [table, labels, values, time];
}

function read(text: string, format: 'text' | 'openmetrics' = 'text'): unknown[] {
  const { rows, reasons } = scrape(text, format);
  return reasons.length > 0 ? reasons : rows.map(shown);
}

test('gauges, counters and samples without a type', (t) => {
  const text = `# HELP temp How \\n warm
# TYPE temp gauge
temp{room="a"} 21.5
# TYPE hits_total counter
hits_total 7
odd{k="v",} 1 1490802350000
`;
  t.deepEqual(read(text), [
    ['temp', { room: 'a' }, { gauge: 21.5 }],
    ['hits_total', {}, { counter: 7 }],
    ['odd', { k: 'v' }, { value: 1 }, 1_490_802_350_000_000_000n],
  ]);
  t.is(scrape(text).rows[0]?.tags.url, url);
});

test('values later than the database can hold, or older than it keeps, are refused and named, and the others stay', (t) => {
  const text = 'now 1\nlate 1 1490802350000\nearly 1 1000\n';
  const desk = new LineProtocolDesk();
  const bounds = {
    minTicks: 1_000_000_000_000n,
    maxTicks: 1_490_802_349_999_999_999n,
    nowTicks: 1_400_000_000_000_000_000n,
  };
  const parsed = parseExposition(Buffer.from(`text ${url}\n${text}`), desk.options(bounds));
  t.deepEqual(
    desk.rows(parsed).map(({ table }) => table),
    ['now'],
  );
  const [late, early] = parsed.rejects.map(({ fault }) => fault.message);
  t.regex(late ?? '', /too far in the future/);
  t.regex(early ?? '', /older than the database keeps/);
});

test('a summary and a histogram are one row of each set of labels', (t) => {
  const text = `# TYPE rpc summary
rpc{quantile="0.5",m="a"} 47
rpc{quantile="0.9",m="a"} 76
rpc_sum{m="a"} 1.7e3
rpc_count{m="a"} 26
# TYPE size histogram
size_bucket{le="0.1"} 1
size_bucket{le="1000000.0"} 2
size_bucket{le="+Inf"} 3
size_sum 55
size_count 3
`;
  t.deepEqual(read(text), [
    ['rpc', { m: 'a' }, { '0.5': 47, '0.9': 76, sum: 1700, count: 26 }],
    ['size', {}, { '0.1': 1, '1e+06': 2, '+Inf': 3, sum: 55, count: 3 }],
  ]);
});

test('bounds are named by their shortest digits', (t) => {
  const cases = {
    0.1: '0.1',
    1: '1',
    500000: '500000',
    1e6: '1e+06',
    2.5e6: '2.5e+06',
    1e-5: '1e-05',
    0.0001: '0.0001',
    1e-10: '1e-10',
    1e100: '1e+100',
  };
  for (const [bound, name] of Object.entries(cases)) t.is(boundName(Number(bound)), name);
  t.is(boundName(Infinity), '+Inf');
  t.is(boundName(0), '0');
  t.is(boundName(-2), '-2');
});

test('OpenMetrics: times in seconds, exemplars, the suffixes of counters and infos, an end', (t) => {
  const text = `# TYPE orders counter
orders_total{c="de"} 15 1700000000.5 # {trace_id="x"} 1 1795219276.957
orders_created{c="de"} 1600000000
# TYPE build info
build_info{v="1"} 1
# TYPE lat gaugehistogram
lat_bucket{le="1.0"} 2 1700000000.123456789 # {t="1"} 0.5
lat_gsum 3 1700000000.123456789
lat_gcount 2 1.7e9
# EOF
`;
  const created = { gauge: 1_600_000_000 };
  t.deepEqual(read(text, 'openmetrics'), [
    ['orders_total', { c: 'de' }, { counter: 15 }, 1_700_000_000_500_000_000n],
    ['orders_created', { c: 'de' }, created],
    ['build_info', { v: '1' }, { gauge: 1 }],
    ['lat', {}, { '1': 2, sum: 3 }, 1_700_000_000_123_456_789n],
    ['lat', {}, { count: 2 }, 1_700_000_000_000_000_000n],
  ]);
  const times = ['1700000000.000000001', '1700000000.999999999', '1.7e9', '17e8', '17000000005e-1', '.5', '7', '7.'];
  t.deepEqual(
    scrape(`${times.map((time, at) => `t${at} 1 ${time}\n`).join('')}# EOF`, 'openmetrics').rows.map((row) => row.time),
    [
      1_700_000_000_000_000_001n,
      1_700_000_000_999_999_999n,
      1_700_000_000_000_000_000n,
      1_700_000_000_000_000_000n,
      1_700_000_000_500_000_000n,
      500_000_000n,
      7_000_000_000n,
      7_000_000_000n,
    ],
  );
  t.regex(scrape('a 1\n', 'openmetrics').reasons[0] ?? '', /# EOF is missing: the text was cut off$/);
  t.regex(scrape('a 1\n# EOF\nb 1\n', 'openmetrics').reasons[0] ?? '', /behind the end/);
});

test('a label with the name of a column gets another one', (t) => {
  t.deepEqual(read('a{_ts="1",sum="2",ts="3"} 1\n'), [['a', { tag__ts: '1', tag_sum: '2', ts: '3' }, { value: 1 }]]);
});

test('escapes of labels are resolved, and labels without a value are none', (t) => {
  t.deepEqual(read('a{p="C:\\\\d",q="say \\"hi\\"",n="x\\ny",o="\\z",e="",u="ünï, }"} 1\n'), [
    ['a', { p: 'C:\\d', q: 'say "hi"', n: 'x\ny', o: '\\z', u: 'ünï, }' }, { value: 1 }],
  ]);
});

test('names in quotes may hold anything, and that of the sample stands among its labels', (t) => {
  const text = `# TYPE "disk.free" gauge
{"disk.free", "mount.point"="/var", dev = "sda"} 1
{dev="sdb","disk.free",} 2 1490802350000
# TYPE "Größe \\"a\\"" histogram
{"Größe \\"a\\"_bucket","le"="0.5"} 3
{"Größe \\"a\\"_bucket",le="+Inf"} 4
{"Größe \\"a\\"_count"} 4
{"line\\nbreak","back\\\\slash"="x"}5
plain{"not so plain"="y"} 6
`;
  t.deepEqual(read(text), [
    ['disk_free', { dev: 'sda', 'mount.point': '/var' }, { gauge: 1 }],
    ['disk_free', { dev: 'sdb' }, { gauge: 2 }, 1_490_802_350_000_000_000n],
    ['Größe "a"', {}, { '0.5': 3, '+Inf': 4, count: 4 }],
    ['line\nbreak', { 'back\\slash': 'x' }, { value: 5 }],
    ['plain', { 'not so plain': 'y' }, { value: 6 }],
  ]);
  t.deepEqual(read('{"a.b"} 1 # {"trace.id"="x"} 1\n# EOF\n', 'openmetrics'), [['a_b', {}, { value: 1 }]]);
});

test('a name in quotes is never taken for the labels of another', (t) => {
  t.deepEqual(read('a{b="c"} 1\n{"a\\nb=\\"c"} 2\n{"a",b="c"} 3 1490802350000\n'), [
    ['a', { b: 'c' }, { value: 1 }],
    ['a', { b: 'c' }, { value: 3 }, 1_490_802_350_000_000_000n],
    ['a\nb="c', {}, { value: 2 }],
  ]);
});

test('labels that would be in the way get another name', (t) => {
  const { rows } = scrape('a{value="1",url="mine"} 1\n');
  t.deepEqual(rows[0]?.tags, { tag_value: '1', exported_url: 'mine', url });
});

test('series that differ in a label with the name of a field stay apart', (t) => {
  const { rows } = scrape('a{value="1"} 1\na{tag_value="1"} 2\na{value="1",tag_value="2"} 3\na{tag_sums="1"} 4\n');
  t.deepEqual(
    rows.map(({ tags: { url: _, ...tags } }) => tags),
    [{ tag_value: '1' }, { tag_tag_value: '1' }, { tag_value: '1', tag_tag_value: '2' }, { tag_sums: '1' }],
  );
});

test('series that differ in a label with the name of a forced one stay apart', (t) => {
  const text = `# TYPE h histogram
a{url="/a"} 1
a{url="/b"} 2
a{exported_url="/a"} 3
a{exported_url="/a",url="/b"} 4
a{url="${url}"} 5
a 6
h_bucket{url="/a",le="+Inf"} 7
h_bucket{url="/b",le="+Inf"} 8
`;
  const tagsOf = scrape(text).rows.map(({ tags, fields }) => [tags, Object.values(fields)[0]?.value]);
  t.deepEqual(tagsOf, [
    [{ exported_url: '/a', url }, 1],
    [{ exported_url: '/b', url }, 2],
    [{ exported_exported_url: '/a', url }, 3],
    [{ exported_exported_url: '/a', exported_url: '/b', url }, 4],
    [{ exported_url: url, url }, 5],
    [{ url }, 6],
    [{ exported_url: '/a', url }, 7],
    [{ exported_url: '/b', url }, 8],
  ]);
});

test('a byte order mark before the text is no part of it', (t) => {
  const text = '\ufeff# TYPE bm counter\nbm 5\n';
  t.deepEqual(read(text), [['bm', {}, { counter: 5 }]]);
  t.deepEqual(read(`${text}# EOF\n`, 'openmetrics'), [['bm', {}, { counter: 5 }]]);
});

test('special values: nan is no value, infinities are', (t) => {
  t.deepEqual(read('a Nan\na{i="1"} +Inf\na{i="2"} -inf\na{i="3"} NaN\na{i="4"} 1e-9'), [
    ['a', { i: '1' }, { value: Infinity }],
    ['a', { i: '2' }, { value: -Infinity }],
    ['a', { i: '4' }, { value: 1e-9 }],
  ]);
});

test('a bad line is said with its number and costs no other line', (t) => {
  const bad: Record<string, RegExp> = {
    '1a 1': /does not begin with a name/,
    a: /no value/,
    'a b': /not a number/,
    'a -1e309': /out of range/,
    'a{b=1} 1': /not in quotes/,
    'a{b="1} 1': /does not end/,
    'a{b} 1': /equals sign/,
    'a{1="x"} 1': /proper name/,
    'a{b="1" c="2"} 1': /comma/,
    'ä 1': /does not begin with a name/,
    'aä 1': /letter that names cannot have/,
    'a 1 x': /timestamp that is not one/,
    'a 1 -5': /has a timestamp before 1970/,
    'a 1 -3982045': /has a timestamp before 1970/,
    'a 1 1.5': /timestamp that is not one/,
    'a 1 2 3': /text after its timestamp/,
    'a 1 99999999999999999': /too large/,
    'a{b="1",b="2"} 1': /occurs twice/,
    'a{b="\xff"} 1': /well-formed/,
    '{"\xff"} 1': /name that is not well-formed/,
    '{} 1': /has no name/,
    '{b="1"} 1': /has no name/,
    '{"a" 1': /equals sign/,
    '{"a} 1': /quotes do not end/,
    '{""} 1': /empty name/,
    'a{"b"} 1': /second name/,
    '{"a","b"} 1': /second name/,
    '{"a"b="1"} 1': /equals sign/,
  };
  for (const [line, reason] of Object.entries(bad)) {
    const bytes = line.includes('\xff')
      ? Buffer.from(`x 1\n${line}\ny 2\n`, 'latin1')
      : Buffer.from(`x 1\n${line}\ny 2\n`);
    const { rows, reasons } = scrape(bytes);
    t.deepEqual(
      rows.map(({ table }) => table),
      ['x', 'y'],
      line,
    );
    t.regex(reasons[0] ?? '', reason, line);
    t.regex(reasons[0] ?? '', /line 2/);
  }
});

test('the first of two equal samples counts, at another time both do', (t) => {
  const { rows, parsed } = scrape('a 1\na 2\na 3 1490802350000\na 4 1490802350001\n');
  t.deepEqual(
    rows.map(({ fields }) => fields.value?.value),
    [1, 3, 4],
  );
  t.is(parsed.rejectedRows, 1);
});

const label = fc.tuple(
  fc.stringMatching(/^[a-z_][a-z0-9_]{0,6}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
);
const sample = fc.record({
  name: fc.stringMatching(/^[a-z:][a-z0-9_:]{0,8}$/),
  labels: fc.uniqueArray(label, { selector: ([name]) => name, maxLength: 4 }),
  value: fc.double({ noNaN: true }),
  time: fc.option(fc.integer({ min: 1, max: 4_000_000_000_000 })),
});

test('whatever an exporter writes is read back', (t) => {
  const isTaken = ([name, value]: readonly [string, string]): boolean =>
    !/[\ud800-\udfff]/u.test(value) && !['url', 'gauge', 'counter', 'value', 'sum', 'count', '_ts'].includes(name);
  fc.assert(
    fc.property(fc.uniqueArray(sample, { selector: ({ name }) => name, maxLength: 8 }), (samples) => {
      const lines = samples.map(({ name, labels, value, time }) => {
        const pairs = labels.filter(isTaken).map(([key, text]) => {
          const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
          return `${key}="${escaped}"`;
        });
        const number = value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);
        return `${name}{${pairs.join(',')}} ${number}${time === null ? '' : ` ${time}`}\n`;
      });
      const expected = samples.map(({ name, labels, value, time }) => {
        const row = [name, Object.fromEntries(labels.filter(isTaken)), { value: value === 0 ? 0 : value }];
        return time === null ? row : [...row, BigInt(time) * 1_000_000n];
      });
      const byTable = (a: readonly unknown[], b: readonly unknown[]): number => (String(a[0]) < String(b[0]) ? -1 : 1);
      const scraped = scrape(lines.join(''));
      t.deepEqual(scraped.reasons, []);
      const rows = scraped.rows
        .map(shown)
        .map((row) =>
          JSON.stringify(row, (_, v) =>
            typeof v === 'bigint' ? `${v}` : Number.isFinite(v) || typeof v !== 'number' ? v : `${v}`,
          ),
        );
      const expectedRows = expected
        .sort(byTable)
        .map((row) =>
          JSON.stringify(row, (_, v) =>
            typeof v === 'bigint' ? `${v}` : Number.isFinite(v) || typeof v !== 'number' ? v : `${v}`,
          ),
        );
      t.deepEqual(rows.map(sorted).sort(), expectedRows.map(sorted).sort());
    }),
  );
});

/** The characters of a text, so that the order of labels does not matter. */
function sorted(text: string): string {
  return [...text].sort().join('');
}

test('mutated scrapes never stop the reading, and good lines among them are all read', (t) => {
  const seed = Buffer.from(
    '# TYPE rpc summary\nrpc{quantile="0.5",m="a\\n"} 47\nrpc_sum 1.7e3 1490802350000 # {a="b"} 1\n{"q\\"n","l.m"="k"} 2\n',
  );
  const desk = new LineProtocolDesk();
  let readable = 0;
  for (const text of spoiltCopies(seed, 10_000)) {
    const { rows } = scrape(Buffer.concat([text, Buffer.from('\ngood{g="1"} 1\n')]), 'text', desk);
    if (rows.some(({ table, tags }) => table === 'good' && tags.g === '1')) readable++;
  }
  t.is(readable, 10_000);
});

test('a scrape of very many bad lines is not read to its end, unless many are good', (t) => {
  const bad = 'x\n'.repeat(150_000);
  const hopeless = scrape(`good 1\n${bad}late 1\n`);
  t.deepEqual(hopeless.rows.map(shown), [['good', {}, { value: 1 }]]);
  t.is(hopeless.parsed.rejectedRows, 100_000);
  t.regex(hopeless.reasons[0] ?? '', /so the rest was not read$/);
  const half = scrape(
    `${Array.from({ length: 30_000 }, (_, at) => `good{n="${at % 9}"} ${at} ${at + 1}`).join('\n')}\n${bad}late 1\n`,
  );
  t.is(half.rows.length, 30_001);
  t.is(half.parsed.rejectedRows, 150_000);
});
