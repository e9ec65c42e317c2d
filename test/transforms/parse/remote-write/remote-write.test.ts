import { createHash } from 'node:crypto';
import test from 'ava';
import { FaultError } from '../../../../src/model/fault.js';
import { parseRemoteWrite } from '../../../../src/transforms/parse/remote-write/remote-write.js';
import { SeriesDictionary } from '../../../../src/transforms/points/series-dictionary.js';
import { LineProtocolDesk, superTable } from '../../../support/messages/line-protocol.js';
import {
  encode,
  labelsOf,
  packed,
  recordings,
  type TestLabel,
  type TestSeries,
  writeBody,
  writeBody2,
} from '../../../support/messages/remote-messages.js';
import {
  jsonOf,
  parseBody,
  type ReadSample,
  readSamples,
  samplesOf,
} from '../../../support/messages/remote-reading.js';

function refusal(body: Uint8Array, more = {}): string {
  try {
    const desk = new LineProtocolDesk();
    const parsed = parseRemoteWrite(body, { ...desk.options(), ...more });
    return parsed.rejects.map(({ row, fault }) => `${row}: ${fault.message}`).join('; ');
  } catch (error) {
    if (error instanceof FaultError) return error.fault.message;
    throw error;
  }
}

const one = { samples: [{ value: 1.5, timestamp: 1700000000123 }] };

for (const { name, body, timeseries } of recordings('WriteRequest')) {
  test(`reads what ${name} recorded`, (t) => {
    const expected = timeseries.flatMap(({ labels, samples }) =>
      samples.map(({ value, timestamp }) => [jsonOf(labels), timestamp, typeof value === 'number' ? value : undefined]),
    );
    t.deepEqual(readSamples(body), expected);
  });
}

test('names sub-tables after their sorted labels, as clients know them', (t) => {
  const names = (labels: Record<string, string>): string[] => {
    const desk = new LineProtocolDesk();
    return desk.rows(parseBody(desk, writeBody([{ labels: labelsOf(labels), ...one }]))).map((row) => row.subTable);
  };
  t.deepEqual(names({ k2: 'v2', k1: 'v1' }), ['t_38afbaaeb3ee3f52623389a3af60f647']);
  t.deepEqual(names({ __name__: 'up', job: 'n' }), ['t_e0cd0714bd97e68c4f32ea38f4e49b33']);
  const plain = createHash('md5').update('a=1,2,b=x=y').digest('hex');
  t.deepEqual(names({ a: '1,2', b: 'x=y' }), [`t_${plain}`]);
});

test('label sets whose plain text is the same are different series', (t) => {
  const sets: Record<string, string>[] = [
    { a: '1', b: '2' },
    { a: '1,b=2' },
    { 'a=1,b': '2' },
    { a: '1', 'b=2': '', b: '2' },
    { 'a=1,b=2': 'x' },
    { a: '1,b=2=x' },
  ];
  const desk = new LineProtocolDesk();
  const parsed = parseBody(desk, writeBody(sets.map((labels) => ({ labels: labelsOf(labels), ...one }))));
  t.is(parsed.rejectedRows, 0);
  t.is(new Set(desk.rows(parsed).map((row) => row.subTable)).size, sets.length - 1);
});

test('a label set is one series in whatever order it comes, with or without empty labels', (t) => {
  const labels = labelsOf({ __name__: 'up', job: 'n', zone: 'z' });
  const orders = [labels, labels.toReversed(), [...labels, { name: 'empty', value: '' }]];
  const desk = new LineProtocolDesk();
  for (const order of orders) parseBody(desk, writeBody([{ labels: order, ...one }]));
  t.is(desk.subTables.size, 1);
  t.is(desk.subTables.values().next().value?.tags.get('labels'), '{"__name__":"up","job":"n","zone":"z"}');
});

test('labels whose names look like numbers keep the order of their bytes', (t) => {
  t.is(
    readSamples(writeBody([{ labels: labelsOf({ a: 'x', 10: 'y', 9: 'z' }), ...one }]))[0]?.[0],
    '{"10":"y","9":"z","a":"x"}',
  );
});

test('a series that was met before is found by its bytes and made only once', (t) => {
  const desk = new LineProtocolDesk();
  const body = writeBody([
    {
      labels: labelsOf({ __name__: 'a' }),
      samples: [
        { value: 1, timestamp: 1 },
        { value: 2, timestamp: 2 },
      ],
    },
    { labels: labelsOf({ __name__: 'b' }), samples: [{ value: 3, timestamp: 1 }] },
    { labels: labelsOf({ __name__: 'a' }), samples: [{ value: 4, timestamp: 3 }] },
  ]);
  const expected: ReadSample[] = [
    ['{"__name__":"a"}', 1, 1],
    ['{"__name__":"a"}', 2, 2],
    ['{"__name__":"b"}', 1, 3],
    ['{"__name__":"a"}', 3, 4],
  ];
  for (let i = 0; i < 3; i++) {
    const parsed = parseBody(desk, body);
    t.deepEqual(samplesOf(desk, parsed), expected);
    t.is(parsed.blocks[0]?.newSubTables.length, 2);
  }
  t.is(desk.created, 2);
  for (const subTable of desk.subTables.values()) subTable.registered = true;
  t.is(parseBody(desk, body).blocks[0]?.newSubTables.length, 0);
});

test('version 2 of the message says the same as version 1', (t) => {
  const series: TestSeries[] = [
    {
      labels: labelsOf({ __name__: 'up', job: 'n' }),
      samples: [
        { value: 1, timestamp: 5 },
        { value: -0.5, timestamp: 7 },
      ],
    },
    { labels: labelsOf({ __name__: 'histogram' }), histograms: [{ count_int: '0' }] },
    { labels: labelsOf({ __name__: 'x'.repeat(300), job: '"\n\\' }), samples: [{ value: 2, timestamp: 0 }] },
  ];
  const both = [writeBody(series), writeBody2(series)].map((body) => readSamples(body));
  t.deepEqual(both[0], both[1]);
  t.is(both[0]?.length, 3);
});

test('what is not finite is an explicit NULL in a block that leaves nothing out', (t) => {
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const samples = values.map((value, timestamp) => ({ value, timestamp }));
  const desk = new LineProtocolDesk();
  const { blocks } = parseBody(desk, writeBody([{ labels: labelsOf({ a: 'b' }), samples }]));
  t.is(blocks.length, 1);
  t.is(blocks[0]?.nullMeaning, 'overwrite');
  t.deepEqual([...(blocks[0]?.columns[0]?.nulls ?? [])], [1, 1, 1]);
  t.deepEqual([...(blocks[0]?.columns[0]?.values ?? [])], values, 'their bits stand beside the NULLs');
  t.is(blocks[0]?.columns[0]?.name, 'v');
});

test('zeros that the encoding leaves out are zeros', (t) => {
  t.deepEqual(readSamples(packed(Buffer.from('0a0a0a060a016112016212 00'.replaceAll(' ', ''), 'hex'))), [
    ['{"a":"b"}', 0, 0],
  ]);
});

test('labels that stand behind samples, or among them, are labels all the same', (t) => {
  const [a, b] = ['a', 'b'].map((name) => encode('TimeSeries', { labels: [{ name, value: 'x' }] }));
  const sample = encode('TimeSeries', { samples: [{ value: 1, timestamp: 1 }] });
  for (const order of [
    [a, sample, b, sample],
    [sample, b, sample, a],
    [b, sample, a, sample],
  ]) {
    const series = Buffer.concat(order.map((part) => part ?? Buffer.alloc(0)));
    const message = Buffer.concat([Buffer.from([0x0a, series.length]), series]);
    t.deepEqual(readSamples(packed(message)), [
      ['{"a":"x","b":"x"}', 1, 1],
      ['{"a":"x","b":"x"}', 1, 1],
    ]);
  }
});

test('a series with bad labels is rejected with all its samples, and the others are kept', (t) => {
  const bad: [readonly TestLabel[], RegExp][] = [
    [[{ name: '', value: 'x' }], /^1: a label has no name$/],
    [[{ name: '', value: '' }], /^1: a label has no name$/],
    [[], /^1: it has no labels$/],
    [[{ name: 'a', value: '' }], /^1: it has no labels$/],
    [
      [
        { name: 'a', value: 'x' },
        { name: 'b', value: 'x' },
        { name: 'a', value: 'y' },
      ],
      /^1: label "a" occurs twice$/,
    ],
    [
      [
        { name: 'a', value: 'x' },
        { name: 'a', value: '' },
      ],
      /^1: label "a" occurs twice$/,
    ],
    [[{ name: 'a', value: 'x'.repeat(17_000) }], /^1: its labels take more than 16384 bytes$/],
    [[{ name: 'a', value: 'x'.repeat(70_000) }], /^1: its labels take more than 65536 bytes$/],
  ];
  const good = labelsOf({ __name__: 'good' });
  const samples = [
    { value: 1, timestamp: 1 },
    { value: 2, timestamp: 2 },
  ];
  for (const [labels, reason] of bad) {
    const series = [
      { labels: good, samples },
      { labels, samples },
      { labels: good, samples: [{ value: 3, timestamp: 3 }] },
    ];
    for (const body of [writeBody(series), writeBody2(series)]) {
      const desk = new LineProtocolDesk();
      const parsed = parseBody(desk, body);
      t.is(parsed.rows, 3);
      t.is(parsed.rejectedRows, 2);
      t.regex(parsed.rejects.map(({ row, fault }) => `${row}: ${fault.message}`)[0] ?? '', reason);
    }
  }
  t.is(refusal(writeBody([{ labels: [{ name: '', value: 'x' }] }])), '', 'without samples there is nothing to reject');
});

test('ill-formed UTF-8 in a label is rejected', (t) => {
  const label = (name: string, value: string) =>
    Buffer.from(`0a${hex(Buffer.concat([text(0x0a, name), text(0x12, value)]))}`, 'hex');
  const hex = (bytes: Buffer) => `${bytes.length.toString(16).padStart(2, '0')}${bytes.toString('hex')}`;
  const text = (key: number, value: string) =>
    Buffer.concat([Buffer.from([key, value.length]), Buffer.from(value, 'latin1')]);
  for (const [name, value, said] of [
    ['a', '\xff', 'the value of label "a" is not well-formed UTF-8'],
    ['\xc0\x80', 'x', 'the name of a label is not well-formed UTF-8'],
  ] as const) {
    const series = Buffer.concat([label(name, value), encode('TimeSeries', { samples: one.samples })]);
    t.is(refusal(packed(Buffer.concat([Buffer.from([0x0a, series.length]), series]))), `0: ${said}`);
  }
});

test('times are exact in every precision, and bad ones are rejected one by one', (t) => {
  const millis = ['0', '1', '1700000000123', '4294967295', '4294967296', '9007199254740'];
  const body = writeBody([
    { labels: labelsOf({ a: 'b' }), samples: millis.map((timestamp) => ({ value: 1, timestamp })) },
  ]);
  for (const [precision, factor] of [
    ['ms', 1n],
    ['us', 1000n],
    ['ns', 1_000_000n],
  ] as const) {
    const desk = new LineProtocolDesk(precision);
    t.deepEqual(
      desk.rows(parseBody(desk, body)).map((row) => row.time),
      millis.map((time) => BigInt(time) * factor),
    );
  }
  const bounds = { minTicks: -5_000_000n, maxTicks: 10_000_000n };
  const samples = ['-6', '-5', '-1', '10', '11', '9223372036854775807', '-9223372036854775808', '9007199254740993'];
  const bounded = writeBody([
    { labels: labelsOf({ a: 'b' }), samples: samples.map((timestamp) => ({ value: 1, timestamp })) },
  ]);
  const desk = new LineProtocolDesk();
  const parsed = parseRemoteWrite(bounded, { ...desk.options(), ...bounds });
  t.deepEqual(
    desk.rows(parsed).map((row) => row.time),
    [-5_000_000n, -1_000_000n, 10_000_000n],
  );
  t.deepEqual(
    parsed.rejects.map(({ fault }) => fault.message),
    [
      'timestamp -6 is older than the database keeps',
      'timestamp 11 is too far in the future',
      'timestamp 9223372036854775807 is too far in the future',
      'timestamp -9223372036854775808 is older than the database keeps',
      'timestamp 9007199254740993 is too far in the future',
    ],
  );
});

test('a table of another kind takes no samples', (t) => {
  const body = writeBody([{ labels: labelsOf({ a: 'b' }), ...one }]);
  const desk = new LineProtocolDesk();
  desk.tables.set('metrics', superTable('metrics', { v: ['DOUBLE'] }, ['host']));
  t.regex(parseBody(desk, body).rejects[0]?.fault.message ?? '', /has other tags than one of type JSON/);
  const labels = { name: 'labels', type: { name: 'JSON', length: 4095 }, physical: 'labels' } as const;
  desk.tables.set('metrics', { ...superTable('metrics', { v: ['FLOAT'] }), tags: [labels] });
  t.regex(
    parseBody(desk, body).rejects[0]?.fault.message ?? '',
    /column "v" is DOUBLE, but the column of table "metrics" is FLOAT/,
  );
  desk.tables.set('metrics', { ...superTable('metrics', { v: ['DOUBLE'] }), tags: [labels] });
  t.is(parseBody(desk, body).rows, 1);
  desk.dictionary = new SeriesDictionary();
  const lines = desk.parse('metrics,host=a v=1 1');
  t.regex(lines.rejects[0]?.fault.message ?? '', /has a JSON tag, beside which there is no other/);
});

test('a body that is not a message is refused as a whole', (t) => {
  t.regex(refusal(Buffer.from('up 1')), /^the body is not valid snappy data/);
  t.regex(refusal(Buffer.alloc(0)), /^the body is not valid snappy data/);
  t.regex(refusal(packed(Buffer.from('hello'))), /^the body is not a valid protobuf message/);
  t.regex(
    refusal(packed(encode('WriteRequest', { timeseries: [{ ...one }] }).subarray(0, -1))),
    /longer than its message/,
  );
  t.regex(refusal(writeBody([]), { maxMessageBytes: 0 }), /^$/);
  t.regex(refusal(writeBody([{ labels: [], ...one }]), { maxMessageBytes: 5 }), /limit is 5 \(limits.messageBytes\)/);
  t.is(refusal(packed(Buffer.alloc(0))), '');
});

test('a series without the name of a metric is bad in version 2, and in version 1 it is not', (t) => {
  const series = [
    { labels: labelsOf({ job: 'n' }), ...one },
    { labels: labelsOf({ __name__: '', job: 'n' }), ...one },
    { labels: labelsOf({ __name__: 'up', job: 'n' }), ...one },
    { labels: labelsOf({ name__: 'up', __name: 'n' }), ...one },
  ];
  const desk = new LineProtocolDesk();
  t.is(parseBody(desk, writeBody(series)).rows, 4);
  // The second reading finds the series of the first one among those it knows.
  for (let again = 0; again < 2; again++) {
    const parsed = parseBody(desk, writeBody2(series));
    t.deepEqual(
      parsed.rejects.map(({ row, fault }) => `${row}: ${fault.message}`),
      [0, 1, 3].map((row) => `${row}: it has no label __name__`),
    );
    t.deepEqual(samplesOf(desk, parsed), [['{"__name__":"up","job":"n"}', 1700000000123, 1.5]]);
  }
  const histogram = { labels: labelsOf({ job: 'n' }), histograms: [{ count_int: '3', timestamp: 5 }] };
  t.is(refusal(writeBody2([histogram])), '0: it has no label __name__');
});

test('references that lead nowhere refuse the message', (t) => {
  const refs = (labels_refs: number[], symbols = ['', '__name__', 'b']): string =>
    refusal(packed(encode('WriteRequest2', { symbols, timeseries: [{ labels_refs, ...one }] })));
  t.is(refs([1, 2]), '');
  t.regex(refs([1, 3]), /refers to a symbol that is not there/);
  t.regex(refs([1]), /a name and no value/);
  t.regex(refs([0, 0], []), /not there/);
});

test('labels that references multiply have a bound', (t) => {
  const symbols = ['', '__name__', 'x'.repeat(10_000)];
  const timeseries = Array.from({ length: 200 }, () => ({ labels_refs: [1, 2], ...one }));
  const body = packed(encode('WriteRequest2', { symbols, timeseries }));
  t.is(refusal(body, { maxMessageBytes: 1_000_000 }), '');
  t.regex(refusal(body, { maxMessageBytes: 20_000 }), /the labels written out are too long together/);
});
