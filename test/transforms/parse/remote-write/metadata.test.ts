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
const samples = [{ value: 1, timestamp }];
/** In the afternoon of the second day of 1970. */
const nowTicks = 150_000_000_000_000n;
const day = 86_400_000_000_000n;

/** Rows of metadata as `name fields time`, and what was rejected. */
function metadata(body: Uint8Array, desk = new LineProtocolDesk(), more: Partial<ParseOptions> = {}): string[] {
  const parsed = parseRemoteWrite(body, { ...desk.options(), nowTicks, ...more });
  const rows = desk.rows(parsed).flatMap(({ table, tags, fields, time }) => {
    const values = Object.entries(fields).map(([name, field]) => `${name}=${field?.value}`);
    return table === 'metric_metadata' ? [`${tags.labels} ${values.join(' ')} ${time}`] : [];
  });
  return [...rows, ...parsed.rejects.map(({ row, fault }) => `${row}: ${fault.message}`)];
}

test('metadata of version 1 is a row per metric, at the begin of the day', (t) => {
  const body = writeBody(
    [{ labels: labelsOf({ __name__: 'up' }), samples }],
    [
      { type: 1, metric_family_name: 'requests_total', help: 'Requests.', unit: 'requests' },
      { type: 99, metric_family_name: 'odd', help: 'Odd.' },
      { type: 7, metric_family_name: 'state' },
      { metric_family_name: 'nothing' },
      { type: 1 },
    ],
  );
  const tally = { histograms: 0, exemplars: 0, metadata: 0 };
  const desk = new LineProtocolDesk();
  const expected = [
    `{"__name__":"requests_total"} type=counter help=Requests. unit=requests ${day}`,
    `{"__name__":"odd"} type=unknown help=Odd. ${day}`,
    `{"__name__":"state"} type=stateset ${day}`,
  ];
  t.deepEqual(metadata(body, desk, { tally }), expected);
  t.deepEqual(tally, { histograms: 0, exemplars: 0, metadata: 3 });
  t.deepEqual(metadata(body, desk), expected, 'the same once its series are known');
});

test('metadata of version 2 is told once per metric and message, and start times are counted', (t) => {
  const about = { type: 2, help: 'Is it up?', unit: '' };
  const series = (job: string): TestSeries => ({
    labels: labelsOf({ __name__: 'up', job }),
    samples: [{ value: 1, timestamp, start_timestamp: timestamp - 1 } as never],
    metadata: about,
    created_timestamp: timestamp - 5,
  });
  const body = writeBody2([series('a'), series('b'), { labels: labelsOf({ __name__: 'down' }), metadata: about }]);
  const desk = new LineProtocolDesk();
  t.deepEqual(metadata(body, desk), [
    `{"__name__":"up"} type=gauge help=Is it up? ${day}`,
    `{"__name__":"down"} type=gauge help=Is it up? ${day}`,
  ]);
  t.is(parseRemoteWrite(body, desk.options()).leftOut, 4);
});

test('a long help is cut between characters, a long name and a table of another kind are said', (t) => {
  const [row = ''] = metadata(writeBody([], [{ metric_family_name: 'm', help: `x${'ö'.repeat(4000)}` }]));
  const help = /help=(.*) \d+$/.exec(row)?.[1] ?? '';
  t.is(help, `x${'ö'.repeat(2047)}`);
  t.deepEqual(metadata(writeBody([], [{ type: 1, metric_family_name: 'm'.repeat(5000) }])), [
    '0: its metadata cannot be stored: the name of a metric takes more than 4096 bytes',
  ]);
});

test('spoilt messages are refused or read, and never anything else', (t) => {
  const desk = new LineProtocolDesk();
  const about = { type: 2, help: 'Is it up?', unit: 's' };
  const plain = [
    encode('WriteRequest', {
      timeseries: [{ labels: labelsOf({ __name__: 'up' }), samples }],
      metadata: [{ type: 1, metric_family_name: 'up', help: 'Is it up?', unit: 's' }],
    }),
    encode('WriteRequest2', {
      symbols: ['', '__name__', 'up', 'Is it up?', 's'],
      timeseries: [
        { labels_refs: [1, 2], samples, metadata: { type: about.type, help_ref: 3, unit_ref: 4 } },
        { labels_refs: [1, 3], metadata: { help_ref: 900 } },
      ],
    }),
  ];
  for (const message of plain) {
    for (const copy of spoiltCopies(message, propertyRuns(1000))) {
      try {
        t.true(Array.isArray(metadata(packed(copy), desk)));
      } catch (error) {
        t.is(error instanceof Error && error.name, 'FaultError');
      }
    }
  }
});
