import test from 'ava';
import { Codes } from '../../../../src/model/fault.js';
import type { ContextOverrides } from '../../../support/engine/query-fixture.js';
import { metersFixture } from '../../../support/sql/meters.js';

const fixture = metersFixture();
const minute = 1700000040000;
fixture.normalTable(
  'm',
  'months',
  ['v INT'],
  ['2021-01-01', '2021-01-14', '2021-01-29', '2021-02-01', '2021-02-14', '2021-02-28', '2021-03-01', '2021-03-29'].map(
    (day, at) => [Date.parse(`${day}T00:00:00+08:00`), at],
  ),
);
fixture.normalTable(
  'm',
  'w',
  ['v INT'],
  [1, 6, 10, 16, 20, 26, 30, 36].map((second) => [minute + second * 1000, second]),
);
fixture.normalTable(
  'm',
  'early',
  ['v INT'],
  [
    [-1, 1],
    [0, 2],
  ],
);
// both sides of the night in which New York sets its clocks forward
fixture.normalTable(
  'm',
  'spring',
  ['v INT'],
  [
    ['1710046800000', 1],
    ['1710129600000', 2],
  ],
);
test.after.always(() => fixture.close());

function answers(title: string, sql: string, lines: readonly string[], overrides: ContextOverrides = {}): void {
  test(title, (t) => {
    t.deepEqual(fixture.rows(sql, overrides), [...lines]);
  });
}

answers('puts rows into half-open windows', 'SELECT _wstart, _wend, _wduration, count(*) FROM w INTERVAL(20s)', [
  '["2023-11-14T22:14:00.000Z","2023-11-14T22:14:20.000Z",20000,4]',
  '["2023-11-14T22:14:20.000Z","2023-11-14T22:14:40.000Z",20000,4]',
]);
answers('shifts windows by an offset', 'SELECT _wstart, count(*) FROM w INTERVAL(10s, 2s)', [
  '["2023-11-14T22:13:52.000Z",1]',
  '["2023-11-14T22:14:02.000Z",2]',
  '["2023-11-14T22:14:12.000Z",2]',
  '["2023-11-14T22:14:22.000Z",2]',
  '["2023-11-14T22:14:32.000Z",1]',
]);
answers(
  'lets months begin at steps of weeks',
  'SELECT _wstart, _wend, count(*) FROM months INTERVAL(1n) SLIDING(4w)',
  [
    '["2020-12-24T00:00:00.000+08:00","2021-01-24T00:00:00.000+08:00",2]',
    '["2021-01-21T00:00:00.000+08:00","2021-02-21T00:00:00.000+08:00",3]',
    '["2021-02-18T00:00:00.000+08:00","2021-03-18T00:00:00.000+08:00",2]',
    '["2021-03-18T00:00:00.000+08:00","2021-04-18T00:00:00.000+08:00",1]',
  ],
  { connectionZone: 'Asia/Shanghai', outputZone: 'Asia/Shanghai' },
);
answers(
  'fills months that begin at steps of weeks',
  `SELECT _wstart, count(*) FROM months WHERE ts >= '2021-01-08' AND ts < '2021-02-01' INTERVAL(1n) SLIDING(2w) FILL(VALUE, 0)`,
  [
    '["2020-12-10T00:00:00.000Z",0]',
    '["2020-12-24T00:00:00.000Z",1]',
    '["2021-01-07T00:00:00.000Z",3]',
    '["2021-01-21T00:00:00.000Z",2]',
  ],
);
test('lets windows overlap with SLIDING', (t) => {
  t.is(fixture.rows('SELECT count(*) FROM w INTERVAL(10s, 2s) SLIDING(5s)').length, 9);
  t.is(fixture.rows('SELECT count(*) FROM w WHERE v = 1 INTERVAL(1d) SLIDING(1h)').length, 24);
});
answers('floors below the epoch', 'SELECT _wstart, sum(v) FROM early INTERVAL(1s)', [
  '["1969-12-31T23:59:59.000Z",1]',
  '["1970-01-01T00:00:00.000Z",2]',
]);
answers('begins weeks on Thursdays', 'SELECT _wstart, count(*) FROM w INTERVAL(1w)', [
  '["2023-11-09T00:00:00.000Z",8]',
]);
answers(
  'cuts days at midnight of the connection zone, also when the clock changes',
  'SELECT _wstart, _wend, sum(v) FROM spring INTERVAL(1d)',
  [
    '["2024-03-10T00:00:00.000-05:00","2024-03-11T00:00:00.000-04:00",1]',
    '["2024-03-11T00:00:00.000-04:00","2024-03-12T00:00:00.000-04:00",2]',
  ],
  { connectionZone: 'America/New_York', outputZone: 'America/New_York' },
);
answers(
  'has days of 23 and 25 hours, and weeks of them',
  'SELECT _wstart, _wduration, count(*) FROM spring INTERVAL(1w)',
  ['["2024-03-07T00:00:00.000-05:00",601200000,2]'],
  { connectionZone: 'America/New_York', outputZone: 'America/New_York' },
);
answers(
  'slides days by days where the clock changes',
  'SELECT _wstart, _wduration, sum(v) FROM spring INTERVAL(2d) SLIDING(1d)',
  [
    '["2024-03-09T00:00:00.000-05:00",169200000,1]',
    '["2024-03-10T00:00:00.000-05:00",169200000,3]',
    '["2024-03-11T00:00:00.000-04:00",172800000,2]',
  ],
  { connectionZone: 'America/New_York', outputZone: 'America/New_York' },
);
answers(
  'begins weeks on Mondays by an offset of days',
  'SELECT _wstart, _wend, sum(v) FROM spring INTERVAL(1w, 4d)',
  [
    '["2024-03-04T00:00:00.000-05:00","2024-03-11T00:00:00.000-04:00",1]',
    '["2024-03-11T00:00:00.000-04:00","2024-03-18T00:00:00.000-04:00",2]',
  ],
  { connectionZone: 'America/New_York', outputZone: 'America/New_York' },
);
answers(
  'begins months on a day of theirs',
  'SELECT _wstart, _wend, sum(v) FROM spring INTERVAL(1n, 10d)',
  [
    '["2024-02-11T00:00:00.000-05:00","2024-03-11T00:00:00.000-04:00",1]',
    '["2024-03-11T00:00:00.000-04:00","2024-04-11T00:00:00.000-04:00",2]',
  ],
  { connectionZone: 'America/New_York', outputZone: 'America/New_York' },
);
// Sixty days after the first of January and of April.
answers(
  'ends a window where the one behind it begins',
  'SELECT _wstart, _wend, sum(v) FROM spring INTERVAL(3n, 60d)',
  ['["2024-03-01T00:00:00.000-05:00","2024-05-31T00:00:00.000-04:00",3]'],
  { connectionZone: 'America/New_York', outputZone: 'America/New_York' },
);
test('windows with an offset of hours meet each other where the clock changes', (t) => {
  const overrides = { connectionZone: 'America/New_York', outputZone: 'America/New_York' };
  const [first, second] = fixture.rows(
    'SELECT _wstart, _wend FROM (SELECT _wstart, _wend, count(*) FROM spring INTERVAL(1d, 8h))',
    overrides,
  );
  t.is(first?.split(',')[1]?.slice(0, -1), second?.split(',')[0]?.slice(1));
});
answers('has months and years', 'SELECT _wstart, _wend, count(*) FROM w INTERVAL(1n)', [
  '["2023-11-01T00:00:00.000Z","2023-12-01T00:00:00.000Z",8]',
]);
answers('slides years by months', 'SELECT _wstart, count(*) FROM w WHERE v = 1 INTERVAL(1y) SLIDING(6n)', [
  '["2023-01-01T00:00:00.000Z",1]',
  '["2023-07-01T00:00:00.000Z",1]',
]);
answers(
  'starts at the lower bound with an AUTO offset',
  `SELECT _wstart, count(*) FROM w WHERE ts >= ${minute + 3000} INTERVAL(20s, AUTO)`,
  ['["2023-11-14T22:14:03.000Z",4]', '["2023-11-14T22:14:23.000Z",3]'],
);
answers(
  'starts months and days at the lower bound, too',
  `SELECT _wstart, _wend, count(*) FROM w WHERE ts >= ${minute} INTERVAL(1q, AUTO)
    UNION ALL SELECT _wstart, _wend, count(*) FROM w WHERE ts >= ${minute} INTERVAL(2d, AUTO) ORDER BY _wend DESC`,
  [
    '["2023-11-14T22:14:00.000Z","2024-02-14T22:14:00.000Z",8]',
    '["2023-11-14T22:14:00.000Z","2023-11-16T22:14:00.000Z",8]',
  ],
);
answers('counts a quarter as three months', 'SELECT _wstart, _wend, count(*) FROM w INTERVAL(1Q)', [
  '["2023-10-01T00:00:00.000Z","2024-01-01T00:00:00.000Z",8]',
]);
answers(
  'shows the limits of the query',
  `SELECT _qstart, _qduration, count(*) FROM w WHERE ts >= ${minute} AND ts < ${minute + 10000} INTERVAL(1h)`,
  ['["2023-11-14T22:14:00.000Z",9999,2]'],
);
answers('merges the sub-tables of a super table', 'SELECT _wstart, count(*), last(voltage) FROM meters INTERVAL(40s)', [
  '["2023-11-14T22:13:20.000Z",12,232]',
  '["2023-11-14T22:14:00.000Z",6,252]',
]);
answers(
  'limits windows slice by slice',
  'SELECT tbname, _wstart, count(*) FROM meters PARTITION BY tbname INTERVAL(30s) LIMIT 1',
  ['["d1","2023-11-14T22:13:00.000Z",1]', '["d2","2023-11-14T22:13:00.000Z",1]', '["d3","2023-11-14T22:13:00.000Z",1]'],
);
answers(
  'groups windows by tag',
  'SELECT location, _wstart, avg(voltage) FROM meters PARTITION BY location INTERVAL(40s)',
  [
    '["north","2023-11-14T22:13:20.000Z",215.5]',
    '["north","2023-11-14T22:14:00.000Z",245.5]',
    '["south","2023-11-14T22:13:20.000Z",217]',
    '["south","2023-11-14T22:14:00.000Z",247]',
  ],
);
answers('takes columns of the row picked in a window', 'SELECT _wstart, max(v), ts FROM w INTERVAL(20s)', [
  '["2023-11-14T22:14:00.000Z",16,"2023-11-14T22:14:16.000Z"]',
  '["2023-11-14T22:14:20.000Z",36,"2023-11-14T22:14:36.000Z"]',
]);
answers(
  'has windows over a subquery',
  'SELECT _wstart, sum(c) FROM (SELECT _wstart AS ts, count(*) AS c FROM w INTERVAL(10s)) INTERVAL(20s)',
  ['["2023-11-14T22:14:00.000Z",4]', '["2023-11-14T22:14:20.000Z",4]'],
);

for (const [title, clause, code] of [
  ['a step longer than the window', 'INTERVAL(1s) SLIDING(2s)', Codes.slidingTooLarge],
  ['a step that is too short', 'INTERVAL(1000s) SLIDING(2s)', Codes.slidingTooSmall],
  ['an offset as long as the window', 'INTERVAL(1s, 1s)', Codes.offsetTooLong],
  ['a month sliding by hours', 'INTERVAL(1n) SLIDING(1h)', Codes.slidingTooSmall],
  ['a month sliding by five weeks', 'INTERVAL(1n) SLIDING(5w)', Codes.slidingTooLarge],
  ['a window below one tick', 'INTERVAL(1u)', Codes.intervalTooSmall],
] as const) {
  test(`refuses ${title}`, (t) => {
    t.is(fixture.refusal(`SELECT count(*) FROM w ${clause}`), code);
  });
}

test('windows of any length before 1970 begin where others do', (t) => {
  const second = 1_000_000_000;
  fixture.database('nanos', 'ns');
  fixture.normalTable(
    'nanos',
    'early',
    ['v INT'],
    [
      [-100 * second - 1, 1],
      [-100 * second, 2],
      [23 * second, 3],
    ],
  );
  const overrides = { database: 'nanos' };
  const zeros = '.000000000Z';
  t.deepEqual(fixture.rows('SELECT _wstart, sum(v) FROM early INTERVAL(100s)', overrides), [
    `["1969-12-31T23:56:40${zeros}",1]`,
    `["1969-12-31T23:58:20${zeros}",2]`,
    `["1970-01-01T00:00:00${zeros}",3]`,
  ]);
  const times = fixture.rows('SELECT timetruncate(ts, 1d), timetruncate(ts, 1m) FROM early LIMIT 1', overrides);
  t.deepEqual(times, [`["1969-12-31T00:00:00${zeros}","1969-12-31T23:58:00${zeros}"]`]);
  const filled = `SELECT _wstart, sum(v) FROM early WHERE ts >= ${-300 * second} AND ts < 0 INTERVAL(100s, 30s) FILL(VALUE, 0)`;
  const windows = [
    `["1969-12-31T23:53:50${zeros}",0]`,
    `["1969-12-31T23:55:30${zeros}",0]`,
    `["1969-12-31T23:57:10${zeros}",3]`,
    `["1969-12-31T23:58:50${zeros}",0]`,
  ];
  t.deepEqual(fixture.rows(filled, overrides), windows);
  t.deepEqual(fixture.rows(`${filled} HAVING 1 = 1`, overrides), windows);
});

test('refuses windows without a time', (t) => {
  t.is(fixture.refusal('SELECT count(*) FROM (SELECT v FROM w) INTERVAL(1s)'), Codes.windowNeedsTimestamp);
});
