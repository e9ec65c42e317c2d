import test from 'ava';
import fc from 'fast-check';
import type { Precision } from '../../../src/model/schema.js';
import { parseTimestamp } from '../../../src/sql/times/timestamp.js';
import { QueryFixture } from '../../support/engine/query-fixture.js';

const fixture = new QueryFixture();
test.after.always(() => fixture.close());

const pad = (most: number, width: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(width, '0')),
    fc.integer({ min: 0, max: most }).map(String),
  );
const year = fc.oneof(fc.integer({ min: 1901, max: 2200 }), fc.constantFrom(1970, 2000, 2100)).map(String);
const date = fc.tuple(year, pad(13, 2), pad(32, 2)).map((parts) => parts.join('-'));
const clock = fc.tuple(pad(24, 2), pad(60, 2), pad(60, 2)).map((parts) => parts.join(':'));
const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{0,12}$/));
const written = fc.constantFrom('', '', '', 'Z', 'z', '+08:00', '-0330', '+14', '+15', '-00:60', ' UTC');
const time = fc
  .tuple(date, fc.constantFrom(' ', 'T', 't', '  '), clock, fraction, written)
  .map((parts) => parts.join(''));

/** What the engine's own reader takes for a time, and this dialect does not, or in another way. */
const strange = [
  ...['12/05/2024', '2024', '20240102', 'Jan 5 2024', '1700000000', '1700000000000', '2024-01-02 03:04', 'today', ''],
  ...[
    '2024-1-2 3:4:5',
    '2024-01-02Z',
    ' 2024-01-02',
    '2024-01-02\n',
    '0000-02-29',
    '9999-12-31T23:59:59.999Z',
    '-2024-01-01',
  ],
  ...[
    '2300-01-01T00:00:00Z',
    '1677-09-21T00:12:43Z',
    '2262-04-11T23:47:16.854775807Z',
    '2262-04-11T23:47:17Z',
    '0001-01-01',
  ],
];
/** Times around changes of the clocks, which some zones skip or show twice. */
const changes = [
  '2024-03-10',
  '2024-11-03',
  '2024-03-31',
  '2024-10-27',
  '2024-04-26',
  '2011-12-30',
  '2024-10-06',
].flatMap((day) =>
  ['00:00:00', '00:30:00', '01:30:00', '02:00:00', '02:30:00', '03:00:00', '23:59:59.9999'].map((at) => `${day} ${at}`),
);

const texts = [...strange, ...changes, ...fc.sample(fc.oneof(date, time, time), { numRuns: 1500, seed: 5 })];

for (const precision of ['ms', 'us', 'ns'] as const satisfies readonly Precision[]) {
  const database = `texts_${precision}`;
  fixture.database(database, precision);
  const rows = texts.map((text, at) => [at, `'${text.replace('\n', '\\n')}'`]);
  fixture.normalTable(database, 'n', ['s VARCHAR(64)'], rows);
  for (const zone of ['UTC', '+05:30', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe', 'Pacific/Apia']) {
    test(`texts of rows are the times that literals are, in ${precision} and ${zone}`, (t) => {
      const lines = fixture.rows(
        `SELECT CAST(CAST(CAST(s AS TIMESTAMP) AS BIGINT) AS VARCHAR(30)) FROM n ORDER BY ts`,
        {
          database,
          connectionZone: zone,
        },
      );
      const got = lines.map((line, at) => `${texts[at]} ${JSON.parse(line)[0]}`);
      const expected = texts.map((text) => `${text} ${parseTimestamp(text, precision, zone) ?? null}`);
      // The engine's offsets before 1970 are a day off where a zone has gone over the date line.
      const isKnown = (text: string): boolean => zone !== 'Pacific/Apia' || !/^(?:0|19[0-6])/.test(text);
      t.deepEqual(got.filter(isKnown), expected.filter(isKnown));
    });
  }
}
