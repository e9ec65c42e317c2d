import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { type StatementCase, statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);

/** 2023-11-14T22:13:20Z. */
const base = 1_700_000_000n;

test.serial.before(async () => {
  const ticks = { ms: 1000n, us: 1_000_000n, ns: 1_000_000_000n } as const;
  const fractions = { ms: 123n, us: 123_400n, ns: 120_000_000n } as const;
  for (const precision of ['ms', 'us', 'ns'] as const) {
    const database = `t_${precision}`;
    await service.run(`CREATE DATABASE ${database} PRECISION '${precision}'`);
    await service.run('CREATE TABLE t (ts TIMESTAMP, at TIMESTAMP)', { database });
    await service.run('CREATE STABLE s (ts TIMESTAMP, v INT) TAGS (since TIMESTAMP)', { database });
    const first = base * ticks[precision] + fractions[precision];
    await service.run(`INSERT INTO t VALUES (${first}, ${first}) (${first + 1n}, -1)`, { database });
    await service.run(`INSERT INTO c USING s TAGS (${first}) VALUES (${first}, 1)`, { database });
  }
});

/** A query of one time, and that time as seen in a zone. */
function zoned(sql: string, seen: Readonly<Record<string, string>>): StatementCase[] {
  return Object.entries(seen).map(([tz, time]) => ({ sql, query: { tz }, rows: [[time]] }));
}

const newest = 'SELECT first(ts) FROM t';

statements('milliseconds have three digits in every zone', service, 't_ms', [
  { sql: newest, rows: [['2023-11-14T22:13:20.123Z']], meta: [['first(ts)', 'TIMESTAMP', 8]] },
  ...zoned(newest, {
    UTC: '2023-11-14T22:13:20.123Z',
    '': '2023-11-14T22:13:20.123Z',
    'Asia/Tokyo': '2023-11-15T07:13:20.123+09:00',
    'America/New_York': '2023-11-14T17:13:20.123-05:00',
    'Asia/Kolkata': '2023-11-15T03:43:20.123+05:30',
    'Asia/Kathmandu': '2023-11-15T03:58:20.123+05:45',
    'America/St_Johns': '2023-11-14T18:43:20.123-03:30',
    'Pacific/Chatham': '2023-11-15T11:58:20.123+13:45',
    'Etc/GMT+8': '2023-11-14T14:13:20.123-08:00',
    EST: '2023-11-14T17:13:20.123-05:00',
  }),
  { sql: 'SELECT at FROM t WHERE at < 0', rows: [['1969-12-31T23:59:59.999Z']] },
  {
    sql: 'SELECT at FROM t WHERE at < 0',
    query: { tz: 'America/New_York' },
    rows: [['1969-12-31T18:59:59.999-05:00']],
  },
  { sql: 'SELECT since FROM s', query: { tz: 'Asia/Kolkata' }, rows: [['2023-11-15T03:43:20.123+05:30']] },
  { sql: 'SELECT since FROM c', query: { tz: 'Asia/Tokyo' }, rows: [['2023-11-15T07:13:20.123+09:00']] },
  { sql: 'SELECT first(ts) + 1d FROM t', query: { tz: 'Asia/Tokyo' }, rows: [['2023-11-16T07:13:20.123+09:00']] },
  {
    sql: 'SELECT _wstart, _wend, count(*) FROM t INTERVAL(1s)',
    query: { tz: 'Asia/Tokyo' },
    rows: [['2023-11-15T07:13:20.000+09:00', '2023-11-15T07:13:21.000+09:00', 2]],
  },
]);

statements('microseconds have six digits, zeros included', service, 't_us', [
  { sql: newest, rows: [['2023-11-14T22:13:20.123400Z']] },
  ...zoned(newest, {
    'Asia/Tokyo': '2023-11-15T07:13:20.123400+09:00',
    'Asia/Kolkata': '2023-11-15T03:43:20.123400+05:30',
  }),
  { sql: 'SELECT at FROM t WHERE at < 0', rows: [['1969-12-31T23:59:59.999999Z']] },
]);

statements('nanoseconds have nine digits, zeros included', service, 't_ns', [
  { sql: newest, rows: [['2023-11-14T22:13:20.120000000Z']] },
  { sql: 'SELECT last(ts) FROM t', rows: [['2023-11-14T22:13:20.120000001Z']] },
  ...zoned(newest, {
    'America/New_York': '2023-11-14T17:13:20.120000000-05:00',
    'Asia/Kolkata': '2023-11-15T03:43:20.120000000+05:30',
  }),
  { sql: 'SELECT at FROM t WHERE at < 0', rows: [['1969-12-31T23:59:59.999999999Z']] },
]);

// 2024: clocks go forward on 10 March in New York (07:00Z) and back on 3 November (06:00Z).
const change = 'SELECT ts, v FROM clock ORDER BY ts';

test.serial.before(async () => {
  const database = 't_ms';
  await service.run('CREATE TABLE clock (ts TIMESTAMP, v INT)', { database });
  const times = ['2024-03-10T06:59:59Z', '2024-03-10T07:00:00Z', '2024-11-03T05:30:00Z', '2024-11-03T06:30:00Z'];
  await service.run(`INSERT INTO clock VALUES ${times.map((time, v) => `('${time}', ${v})`).join(' ')}`, { database });
});

statements('the offset is the one in force at the instant', service, 't_ms', [
  {
    sql: change,
    query: { tz: 'America/New_York' },
    rows: [
      ['2024-03-10T01:59:59.000-05:00', 0],
      ['2024-03-10T03:00:00.000-04:00', 1],
      ['2024-11-03T01:30:00.000-04:00', 2],
      ['2024-11-03T01:30:00.000-05:00', 3],
    ],
  },
  {
    // Half an hour of daylight saving, in the southern summer.
    sql: change,
    query: { tz: 'Australia/Lord_Howe' },
    rows: [
      ['2024-03-10T17:59:59.000+11:00', 0],
      ['2024-03-10T18:00:00.000+11:00', 1],
      ['2024-11-03T16:30:00.000+11:00', 2],
      ['2024-11-03T17:30:00.000+11:00', 3],
    ],
  },
  {
    sql: 'SELECT count(*) FROM clock',
    query: { tz: 'Mars/Olympus' },
    error: 65535,
    says: 'unknown time zone Mars/Olympus',
  },
]);

statements('the zone of a connection reads times as well as it prints them', service, 't_ms', [
  { sql: "SELECT v FROM clock WHERE ts = '2024-03-10 07:00:00'", rows: [[1]] },
  // The zone of the output does not change what is read.
  { sql: "SELECT v FROM clock WHERE ts = '2024-03-10 07:00:00'", query: { tz: 'America/New_York' }, rows: [[1]] },
  { sql: "SELECT v FROM clock WHERE ts = '2024-03-10 03:00:00'", query: { conn_tz: 'America/New_York' }, rows: [[1]] },
  {
    sql: 'SELECT ts FROM clock WHERE v = 1',
    query: { conn_tz: 'America/New_York', tz: 'no zone, and not looked at' },
    rows: [['2024-03-10T03:00:00.000-04:00']],
  },
  { sql: 'SELECT 1', query: { conn_tz: 'Mars/Olympus' }, error: 65535, says: 'unknown time zone Mars/Olympus' },
  { sql: "INSERT INTO t VALUES ('2024-07-01 00:00:00', NULL)", query: { conn_tz: 'Asia/Tokyo' }, affected: 1 },
  { sql: 'SELECT last_row(ts) FROM t', rows: [['2024-06-30T15:00:00.000Z']] },
  { sql: "DELETE FROM t WHERE ts = '2024-07-01 00:00:00'", query: { conn_tz: 'Asia/Tokyo' }, affected: 1 },
  {
    sql: "SELECT _wstart, count(*) FROM clock WHERE ts < '2024-03-11' INTERVAL(1d)",
    query: { conn_tz: 'America/New_York' },
    rows: [['2024-03-10T00:00:00.000-05:00', 2]],
  },
]);

test('the zone of times without one is a setting', async (t) => {
  const eastern = await service.attach('--database.timeZone=America/New_York');
  t.teardown(() => eastern.stop());
  const asked = "SELECT v, ts FROM t_ms.clock WHERE ts = '2024-03-10 03:00:00'";
  t.deepEqual(await eastern.rows(asked), [[1, '2024-03-10T07:00:00.000Z']]);
  t.deepEqual(await eastern.rows(asked, { query: { conn_tz: 'UTC' } }), []);
  t.deepEqual(await service.rows(asked), []);
});

statements('TIMETRUNCATE goes to months, quarters and years, in a zone that it names', service, undefined, [
  {
    sql: "SELECT timetruncate('2024-05-17 23:45:56.789', 1n), timetruncate('2024-05-17', 1q), timetruncate('2024-05-17', 1y, 0)",
    rows: [['2024-05-01T00:00:00.000Z', '2024-04-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z']],
  },
  {
    sql: "SELECT timetruncate('2024-05-31 23:45:56', 1d, 'Asia/Tokyo'), timetruncate('2024-05-31 23:45:56', 1n, '+08:00')",
    rows: [['2024-05-31T15:00:00.000Z', '2024-05-01T08:00:00.000Z']],
  },
  { sql: "SELECT timetruncate('2024-05-17', 2n)", error: 0x2803 },
  // Hours begin where the clocks of the zone say so.
  {
    sql: "SELECT timetruncate('2026-03-15 10:10:00', 1h, 'Asia/Kathmandu'), timetruncate('2026-03-15 10:10:00', 1h, '-05:45')",
    rows: [['2026-03-15T09:15:00.000Z', '2026-03-15T09:15:00.000Z']],
  },
  { sql: "SELECT timetruncate('2024-05-17', 1d, '+0830')", rows: [['2024-05-16T08:30:00.000Z']] },
  { sql: "SELECT timetruncate('2024-05-17', 1d, 'Nowhere/X')", error: 0x26b2, says: 'Nowhere/X' },
  { sql: "SELECT timetruncate('2024-05-17', 1d, '+15:00')", error: 0x26b2 },
  { sql: "SELECT to_iso8601(0, 'CST')", error: 0x26b2 },
  { sql: "SELECT to_iso8601(0, 'asia/tokyo')", error: 0x26b2 },
]);

statements('time formats have halves of the day with dots, zones, and quotes', service, undefined, [
  {
    sql: "SELECT to_char(CAST(46800000 AS TIMESTAMP), 'hh A.M. a.m. P.M. p.m. AM pm'), to_char(CAST(0 AS TIMESTAMP), 'hh p.m.')",
    rows: [['01 P.M. p.m. P.M. p.m. PM pm', '12 a.m.']],
  },
  {
    sql: "SELECT to_char(CAST(0 AS TIMESTAMP), 'yyyy-mm-dd hh24:mi TZH tz', 'Asia/Tokyo'), to_char(CAST(0 AS TIMESTAMP), 'tz', '-03:00')",
    rows: [['1970-01-01 09:00 +09 +09:00', '+03:00']],
  },
  { sql: `SELECT to_char(CAST(0 AS TIMESTAMP), '\\\\"yyyy\\\\" "yyyy"')`, rows: [['"1970" yyyy']] },
  {
    sql: "SELECT to_timestamp('2024-05-07 13:05+08:30', 'yyyy-mm-dd hh24:mitz'), to_timestamp('2024-05-07 01:05 p.m.-08', 'yyyy-mm-dd hh:mi a.m.tzh')",
    rows: [['2024-05-07T04:35:00.000Z', '2024-05-07T21:05:00.000Z']],
  },
  { sql: "SELECT to_char(CAST(0 AS TIMESTAMP), 'yyyy', 'Nowhere/X')", error: 0x26b2 },
]);

statements('one text with a time in it is that time beside a duration', service, undefined, [
  {
    sql: "SELECT '2026-10-24 00:00:00' + 4d, 4d + '2026-10-24', '2026-10-24' - 1n",
    rows: [['2026-10-28T00:00:00.000Z', '2026-10-28T00:00:00.000Z', '2026-09-24T00:00:00.000Z']],
  },
  {
    sql: "SELECT v FROM TEXT(ts TIMESTAMP, v INT) VALUES ('2026-10-27 00:00:00', 1) ('2026-10-29 00:00:00', 2) t WHERE ts < '2026-10-24 00:00:00' + 4d",
    rows: [[1]],
  },
]);
