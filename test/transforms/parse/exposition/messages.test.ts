import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { expositionHead } from '../../../../src/model/exposition-head.js';
import { parseExposition } from '../../../../src/transforms/parse/exposition/exposition.js';
import { familiesOf } from '../../../support/messages/exposition-messages.js';
import { LineProtocolDesk, nowTicks, type ReadRow } from '../../../support/messages/line-protocol.js';
import { fixturePath } from '../../../support/recordings.js';
import { spoiltCopies } from '../../../support/spoilt.js';

const source = new Map([['job', 'backup']]);

function read(body: Uint8Array, from: string | ReadonlyMap<string, string> = source, desk = new LineProtocolDesk()) {
  const parsed = parseExposition(Buffer.concat([expositionHead('protobuf', from), body]), desk.options());
  return { rows: desk.rows(parsed).map(shown), reasons: parsed.rejects.map(({ fault }) => fault.message), parsed };
}

/** A row; its time only when it has one of its own. */
function shown({ table, tags, fields, time }: ReadRow): unknown[] {
  const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  return time === nowTicks ? [table, tags, values] : [table, tags, values, time];
}

test('what the Go client pushes is what the same samples are as text', (t) => {
  const { rows, reasons, parsed } = read(
    readFileSync(join(fixturePath('hostexporter'), 'client_golang-1.25.0-push.bin')),
  );
  t.deepEqual(reasons, []);
  const job = 'backup';
  t.deepEqual(
    rows,
    [
      ['jobs_total', { job }, { counter: 3 }],
      ['load_seconds', { job }, { '0.5': 2, '0.9': 2, sum: 2, count: 1 }],
      ['room_temperature_celsius', { job, room: 'cellar' }, { gauge: -3 }],
      ['room_temperature_celsius', { job, room: 'hall "A"\\ü' }, { gauge: 21.5 }],
      ['size_bytes', { job }, { '+Inf': 1, sum: 100, count: 1 }],
      ['wait_seconds', { job, queue: 'a' }, { '0.1': 0, '1': 1, '1e+06': 2, '+Inf': 2, sum: 5.5, count: 2 }],
      ['idle_seconds', { job }, { sum: 0, count: 0 }],
    ].sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
  );
  t.is(parsed.leftOut, 1, 'the buckets of the native histogram');
});

test('exemplars are rows of their own, with the labels of their metric or bucket', (t) => {
  const label = [{ name: 'trace_id', value: 'x"' }];
  const timestamp = { seconds: 1_700_000_000, nanos: 5 };
  const exemplar = { label, value: 1, timestamp };
  const buckets = [
    { upper_bound: 0.1, exemplar: { value: Number.NaN } },
    { upper_bound: 1, exemplar: { ...exemplar, timestamp: { seconds: -1 } } },
  ];
  const body = familiesOf(
    {
      name: 'c_total',
      metric: [{ counter: { value: 3, exemplar }, label: [{ name: 'a', value: 'ü' }], timestamp_ms: 7 }],
    },
    { name: 'h', metric: [{ histogram: { bucket: buckets, exemplars: [{ label, value: 2 }] }, timestamp_ms: 9 }] },
  );
  const { rows, parsed } = read(body);
  const exemplars = rows.filter(([table]) => table === 'metric_exemplars').map(([_, ...rest]) => rest);
  const [said, own] = ['{"trace_id":"x\\""}', 1_700_000_000_000_000_005n];
  t.deepEqual(exemplars, [
    [{ labels: '{"__name__":"c_total","a":"ü","job":"backup"}' }, { v: 1, exemplar: said }, own],
    [{ labels: '{"__name__":"h_bucket","job":"backup","le":"0.1"}' }, { exemplar: '{}' }, 9_000_000n],
    [{ labels: '{"__name__":"h","job":"backup"}' }, { v: 2, exemplar: said }, 9_000_000n],
  ]);
  t.is(parsed.leftOut, 1, 'the time before 1970');
});

test('of very many exemplars of one metric some are left out', (t) => {
  const exemplars = Array.from({ length: 1_100 }, (_, value) => ({ value, timestamp: { seconds: 1 + value } }));
  const { parsed } = read(familiesOf({ name: 'h', metric: [{ histogram: { exemplars } }] }));
  t.is(parsed.leftOut, 100);
});

test('times, labels of the source, histograms of floats and values without a type', (t) => {
  const label = [
    { name: 'job', value: 'mine' },
    { name: 'value', value: 'x' },
    { name: 'empty', value: '' },
  ];
  const histogram = { sample_count_float: 2.5, bucket: [{ upper_bound: 1, cumulative_count_float: 1.5 }] };
  const body = familiesOf(
    { name: 'a.b', metric: [{ label, untyped: { value: 1 }, timestamp_ms: 1_490_802_350_000 }] },
    { name: 'h', metric: [{ histogram }] },
  );
  t.deepEqual(read(body).rows, [
    ['a_b', { exported_job: 'mine', job: 'backup', tag_value: 'x' }, { value: 1 }, 1_490_802_350_000_000_000n],
    ['h', { job: 'backup' }, { '1': 1.5, '+Inf': 2.5, sum: 0, count: 2.5 }],
  ]);
  t.deepEqual(read(familiesOf({ name: 'g', metric: [{ gauge: { value: 1 } }] }), 'http://a:1/m').rows, [
    ['g', { url: 'http://a:1/m' }, { gauge: 1 }],
  ]);
});

test('series and exemplars that differ in a label with the name of a forced one stay apart', (t) => {
  const metric = (job: string) => ({
    label: [{ name: 'job', value: job }],
    histogram: { bucket: [], exemplars: [{ value: 3, timestamp: { seconds: 7 } }] },
  });
  const { rows } = read(familiesOf({ name: 'h', metric: [metric('a'), metric('b')] }));
  const labels = (job: string): string => `{"__name__":"h","exported_job":"${job}","job":"backup"}`;
  t.deepEqual(
    rows.map(([table, tags]) => [table, tags]),
    [
      ['h', { exported_job: 'a', job: 'backup' }],
      ['h', { exported_job: 'b', job: 'backup' }],
      ...['a', 'b'].map((job) => ['metric_exemplars', { labels: labels(job) }]),
    ],
  );
});

test('a bad metric is said with its name and costs no other', (t) => {
  const gauge = { value: 1 };
  const twice = [
    { name: 'a', value: '1' },
    { name: 'a', value: '2' },
  ];
  const bad: [object, RegExp][] = [
    [{ name: 'x', metric: [{}] }, /^"x": it has no value$/],
    [{ name: '', metric: [{ gauge }] }, /^"": the metric is missing/],
    [{ name: 'x', metric: [{ gauge, timestamp_ms: -5 }] }, /^"x": its timestamp is before 1970$/],
    [{ name: 'x', metric: [{ gauge, timestamp_ms: 5 }] }, /^"x": /],
    [{ name: 'x', metric: [{ gauge, label: twice }] }, /^"x": tag "a" occurs twice/],
    [{ name: 'x', metric: [{ gauge, label: [{ name: '', value: '1' }] }] }, /^"x": a tag has no name/],
    [{ name: 'x'.repeat(193), metric: [{ gauge }] }, /is longer than 192 bytes/],
  ];
  for (const [family, reason] of bad) {
    const desk = new LineProtocolDesk();
    const body = familiesOf({ name: 'before', metric: [{ gauge }] }, family, { name: 'after', metric: [{ gauge }] });
    const head = expositionHead('protobuf', source);
    const parsed = parseExposition(Buffer.concat([head, body]), desk.options({ minTicks: 1_000_000_000n }));
    t.deepEqual(
      parsed.blocks.map(({ table }) => table),
      ['before', 'after'],
    );
    t.deepEqual(
      parsed.rejects.map(({ row }) => row),
      [1],
    );
    t.regex(parsed.rejects[0]?.fault.message ?? '', reason);
  }
  t.regex(
    read(familiesOf({ name: 'x', metric: [{}] }), 'http://a:1/m').reasons[0] ?? '',
    /^http:\/\/a:1\/m: "x": it has/,
  );
});

test('a body that is no such message is refused, and spoilt ones are refused or read', (t) => {
  t.throws(() => read(Buffer.from('jobs_total 3\n')), { message: /not a valid protobuf message/ });
  t.deepEqual(read(Buffer.alloc(0)).rows, []);
  const plain = readFileSync(join(fixturePath('hostexporter'), 'client_golang-1.25.0-push.bin'));
  const desk = new LineProtocolDesk();
  for (const copy of spoiltCopies(plain, 3000)) {
    try {
      t.true(Array.isArray(read(copy, source, desk).rows));
    } catch (error) {
      t.is(error instanceof Error && error.name, 'FaultError', String(error instanceof Error && error.stack));
    }
  }
});
