import test from 'ava';
import { parseRemoteWrite } from '../../../../src/transforms/parse/remote-write/remote-write.js';
import type { ParseOptions } from '../../../../src/transforms/points/parse-options.js';
import { LineProtocolDesk } from '../../../support/messages/line-protocol.js';
import {
  encode,
  labelsOf,
  packed,
  type TestSeries,
  writeBody,
  writeBody2,
} from '../../../support/messages/remote-messages.js';
import { propertyRuns } from '../../../support/property-seed.js';
import { spoiltCopies } from '../../../support/spoilt.js';

const timestamp = 1_700_000_000_123;
const labels = labelsOf({ __name__: 'latency', job: 'shop' });
const histogram = {
  count_int: '12',
  sum: 18.5,
  schema: -1,
  zero_threshold: 0.001,
  zero_count_int: '2',
  positive_spans: [
    { offset: -3, length: 2 },
    { offset: 1, length: 1 },
  ],
  positive_deltas: ['1', '2', '-1'],
  negative_spans: [{ offset: 0, length: 1 }],
  negative_deltas: ['4'],
  timestamp,
};
const everything: TestSeries[] = [
  {
    labels,
    samples: [{ value: 1.5, timestamp }],
    exemplars: [{ labels: labelsOf({ trace_id: 'a1', user: 'Zoë' }), value: 0.25, timestamp }],
    histograms: [histogram],
  },
  { labels: labelsOf({ __name__: 'next' }), samples: [{ value: 2, timestamp }] },
];

/** Rows by table, and what was rejected. */
function read(body: Uint8Array, desk = new LineProtocolDesk(), more: Partial<ParseOptions> = {}): string[] {
  const parsed = parseRemoteWrite(body, { ...desk.options(), ...more });
  const rows = desk.rows(parsed).map(({ table, tags, fields, time }) => {
    const values = Object.entries(fields).map(([name, field]) => `${name}=${field?.value}`);
    return `${table} ${tags.labels} ${values.join(' ')} ${time / 1_000_000n}`;
  });
  return [...rows, ...parsed.rejects.map(({ row, fault }) => `${row}: ${fault.message}`)];
}

const shown = '{"__name__":"latency","job":"shop"}';

test('histograms and exemplars stand in tables beside the samples, in both versions', (t) => {
  const expected = [
    `metrics ${shown} v=1.5 ${timestamp}`,
    `metrics {"__name__":"next"} v=2 ${timestamp}`,
    `metric_exemplars ${shown} v=0.25 exemplar={"trace_id":"a1","user":"Zoë"} ${timestamp}`,
    `metric_histograms ${shown} count=12 sum=18.5 schema=-1 zero_threshold=0.001 zero_count=2 positive_spans=[[-3,2],[1,1]] positive_counts=[1,3,2] negative_spans=[[0,1]] negative_counts=[4] ${timestamp}`,
  ];
  const bodies = [true, false].flatMap((isPacked) => [
    writeBody(everything, [], isPacked),
    writeBody2(everything, isPacked),
  ]);
  for (const body of bodies) {
    const tally = { histograms: 0, exemplars: 0, metadata: 0 };
    const desk = new LineProtocolDesk();
    t.deepEqual(read(body, desk, { tally }).toSorted(), expected.toSorted());
    t.deepEqual(tally, { histograms: 1, exemplars: 1, metadata: 0 });
    // The second reading finds every series among those it knows.
    t.deepEqual(read(body, desk).toSorted(), expected.toSorted());
  }
});

test('repeated numbers may stand in several parts, packed or not', (t) => {
  const inner = (field: number, ...parts: readonly Uint8Array[]): Buffer => {
    const bytes = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([8 * field + 2, bytes.length]), bytes]);
  };
  const refs = (type: string, ...parts: readonly (readonly [boolean, number[]])[]): Uint8Array[] =>
    parts.map(([isPacked, labels_refs]) => encode(type, { labels_refs }, isPacked));
  const symbols = encode('WriteRequest2', { symbols: ['', '__name__', 'm', 'job', 'n'] });
  const exemplar = inner(
    4,
    ...refs('Exemplar2', [true, [1]], [false, [2, 3]], [true, [4]]),
    encode('Exemplar2', { value: 2, timestamp: 5 }),
  );
  const series = inner(
    5,
    ...refs('TimeSeries2', [true, [1, 2, 3]], [false, [4]]),
    encode('TimeSeries2', { samples: [{ value: 1, timestamp: 5 }] }),
    exemplar,
  );
  const named = '{"__name__":"m","job":"n"}';
  t.deepEqual(read(packed(Buffer.concat([symbols, series]))), [
    `metrics ${named} v=1 5`,
    `metric_exemplars ${named} v=2 exemplar=${named} 5`,
  ]);
  const cut = inner(5, ...refs('TimeSeries2', [true, [1, 2]], [false, [3]]));
  t.throws(() => read(packed(Buffer.concat([symbols, cut]))), { message: /a label has a name and no value/ });
});

test('the sub-tables of one label set have names of their own in each table', (t) => {
  const desk = new LineProtocolDesk();
  const names = desk.rows(parseRemoteWrite(writeBody(everything), desk.options())).map(({ subTable }) => subTable);
  t.is(new Set(names).size, 4);
});

test('histograms of floats and with bounds of their own keep both', (t) => {
  const floats = {
    count_float: 2.5,
    sum: Number.NaN,
    schema: -53,
    zero_count_float: 0.5,
    positive_spans: [{ offset: 0, length: 2 }],
    positive_counts: [0.5, 2],
    custom_values: [1, 5],
    timestamp,
  };
  const text = 'count=2.5 schema=-53 zero_threshold=0 zero_count=0.5';
  t.deepEqual(read(writeBody([{ labels, histograms: [floats] }])), [
    `metric_histograms ${shown} ${text} positive_spans=[[0,2]] positive_counts=[0.5,2] custom_values=[1,5] ${timestamp}`,
  ]);
});

test('what cannot be stored is rejected alone', (t) => {
  const old = { ...histogram, timestamp: -1 };
  const long = {
    count_int: '20000',
    positive_spans: [{ offset: 0, length: 20_000 }],
    positive_deltas: ['1', ...Array.from({ length: 19_999 }, () => '0')],
    timestamp,
  };
  const rows = read(writeBody([{ labels, histograms: [old, long, histogram] }]));
  t.is(rows.length, 3);
  t.regex(rows[0] ?? '', /^metric_histograms /);
  t.deepEqual(rows.slice(1), [
    '0: timestamp -1 is older than the database keeps',
    '0: column "positive_counts" would take more than 16384 bytes',
  ]);
});

test('a histogram whose numbers contradict each other is rejected, in both versions', (t) => {
  const cases: [object, string | undefined][] = [
    [{ count_int: '99' }, 'the histogram counts 99 values, its buckets 12'],
    [{ count_int: '99', sum: Number.NaN }, undefined],
    [{ count_int: '11', sum: Number.NaN }, 'the histogram counts 11 values, its buckets 12'],
    [{ count_int: 0, count_float: 99 }, undefined],
    [{ positive_deltas: ['1', '2'] }, 'the positive spans of the histogram have 3 buckets, the counts 2'],
    [{ negative_spans: [] }, 'the negative spans of the histogram have 0 buckets, the counts 1'],
    [{ schema: 77 }, 'the histogram has schema 77, which is none'],
    [{ schema: -10 }, 'the histogram has schema -10, which is none'],
    [{ schema: 52 }, undefined],
    [{ schema: -53, custom_values: [-1, 0, 2.5] }, undefined],
    [
      { schema: -53, custom_values: [1, 1] },
      'custom value 2 of the histogram, 1, is not finite or not above the one before',
    ],
    [
      { schema: -53, custom_values: [1, Infinity] },
      'custom value 2 of the histogram, Infinity, is not finite or not above the one before',
    ],
    [
      { schema: -53, custom_values: [Number.NaN] },
      'custom value 1 of the histogram, NaN, is not finite or not above the one before',
    ],
    [{ custom_values: [1] }, 'the histogram has custom values beside schema -1'],
    [{ negative_deltas: ['-4'] }, 'the histogram has a negative count in a negative bucket'],
    [
      { positive_spans: [histogram.positive_spans[0], { offset: -1, length: 1 }] },
      'positive span 2 of the histogram has a negative offset',
    ],
  ];
  for (const [changed, message] of cases) {
    const series: TestSeries[] = [{ labels, histograms: [{ ...histogram, ...changed }] }];
    for (const body of [writeBody(series), writeBody2(series)]) {
      const rows = read(body);
      if (message === undefined) t.regex(rows.join(), /^metric_histograms [^:]*/);
      else t.deepEqual(rows, [`0: ${message}`]);
    }
  }
});

test('spoilt messages are refused or read, and never anything else', (t) => {
  const desk = new LineProtocolDesk();
  const plain = encode('WriteRequest', { timeseries: everything });
  for (const copy of spoiltCopies(plain, propertyRuns(1500))) {
    try {
      t.true(Array.isArray(read(packed(copy), desk)));
    } catch (error) {
      t.is(error instanceof Error && error.name, 'FaultError');
    }
  }
});
