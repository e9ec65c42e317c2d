import test from 'ava';
import { QueryFixture } from '../../../support/engine/query-fixture.js';

const hour = 3_600_000;
const fixture = new QueryFixture();
test.after.always(() => fixture.close());
fixture.database('m', 'ms');
/** A row an hour, whose value is the number of hours since 1970. */
function hours(table: string, from: string, to: string): void {
  const rows: [number, number][] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += hour) rows.push([at, at / hour]);
  fixture.normalTable('m', table, ['v DOUBLE'], rows);
}
hours('y2011', '2011-12-01T00:00:00Z', '2012-02-01T00:00:00Z');
hours('y2018', '2018-01-01T00:00:00Z', '2019-01-01T00:00:00Z');
hours('y2021', '2021-01-01T00:00:00Z', '2022-01-01T00:00:00Z');
hours('y2023', '2023-01-01T00:00:00Z', '2024-01-01T00:00:00Z');
hours('y2024', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z');

/** Zones and years with both changes of the clock; in all but the last three a midnight is skipped or comes twice. */
const zones = [
  ['y2024', 'Africa/Cairo'],
  ['y2024', 'America/Santiago'],
  ['y2024', 'America/Havana'],
  ['y2023', 'America/Asuncion'],
  ['y2024', 'Asia/Beirut'],
  ['y2024', 'Atlantic/Azores'],
  ['y2021', 'Asia/Amman'],
  ['y2021', 'Asia/Damascus'],
  ['y2018', 'America/Sao_Paulo'],
  ['y2011', 'Pacific/Apia'],
  ['y2024', 'Europe/Paris'],
  ['y2024', 'America/New_York'],
  ['y2024', 'UTC'],
] as const;

interface Piece {
  readonly start: number;
  readonly end: number;
}

/** The date of every hour of a year by the clocks of a zone. */
function datesOf(table: string, zone: string): readonly (readonly [at: number, date: string])[] {
  const clock = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return fixture
    .rows(`SELECT CAST(ts AS BIGINT) FROM ${table} ORDER BY ts`)
    .map((line) => Number(JSON.parse(line)[0]))
    .map((at) => [at, clock.format(at)] as const);
}

/** Pieces of time whose hours have one key by their date, but for the first and the last, which may be cut. */
function piecesOf(dates: readonly (readonly [at: number, date: string])[], key: (date: string) => string): Piece[] {
  const starts = dates.filter(([, date], at) => key(date) !== key(dates[at - 1]?.[1] ?? '')).map(([at]) => at);
  return starts.slice(1, -1).map((start, at) => ({ start, end: starts[at + 2] ?? start }));
}

function numbersOf(sql: string, zone: string): number[][] {
  return fixture.rows(sql, { connectionZone: zone, outputZone: zone }).map((line) => JSON.parse(line).map(Number));
}

const limits = 'CAST(_wstart AS BIGINT), CAST(_wend AS BIGINT), _wduration';

for (const [table, zone] of zones) {
  const dates = datesOf(table, zone);
  const lengths = [
    ['1d', (date: string) => date],
    ['1w', (date: string) => String(Math.floor(Date.parse(date) / (168 * hour)))],
    ['1n', (date: string) => date.slice(0, 7)],
    ['1q', (date: string) => `${date.slice(0, 4)} ${Math.floor((Number(date.slice(5, 7)) - 1) / 3)}`],
  ] as const;
  for (const [length, key] of lengths) {
    const pieces = piecesOf(dates, key);
    if (pieces.length === 0) continue;
    const low = pieces[0]?.start ?? 0;
    const high = pieces.at(-1)?.end ?? 0;

    test(`windows of ${length} in ${zone} end where the next one begins`, (t) => {
      const calls = 'COUNT(*), ELAPSED(ts, 1h), TWA(v)';
      const got = numbersOf(`SELECT ${limits}, ${calls} FROM ${table} INTERVAL(${length})`, zone).slice(1, -1);
      const lines = pieces.map(({ start, end }) => {
        const inside = (end - start) / hour;
        return [start, end, end - start, inside, inside, (start + end - 1) / 2 / hour];
      });
      t.deepEqual(
        got.map((line) => line.map((cell) => Math.round(cell * 1000))),
        lines.map((line) => line.map((cell) => Math.round(cell * 1000))),
      );
    });

    test(`filled windows of ${length} in ${zone} end where the next one begins`, (t) => {
      const where = `ts >= ${low} AND ts < ${high} AND v < 0`;
      const got = numbersOf(
        `SELECT ${limits}, COUNT(*) FROM ${table} WHERE ${where} INTERVAL(${length}) FILL(VALUE_F, 0)`,
        zone,
      );
      t.deepEqual(
        got,
        pieces.map(({ start, end }) => [start, end, end - start, 0]),
      );
    });
  }

  const days = piecesOf(dates, (date) => date);
  const zoneDates = new Map(dates);

  test(`two days that slide by one in ${zone} end with the second`, (t) => {
    const got = numbersOf(`SELECT ${limits}, COUNT(*) FROM ${table} INTERVAL(2d) SLIDING(1d)`, zone).slice(2, -2);
    const lines = days.slice(0, -1).map(({ start }) => {
      const last = Date.parse(zoneDates.get(start) ?? '') + 24 * hour;
      const end = days.find((day) => Date.parse(zoneDates.get(day.start) ?? '') > last)?.start ?? 0;
      return [start, end, end - start, (end - start) / hour];
    });
    t.deepEqual(got.slice(0, lines.length - 2), lines.slice(0, -2));
    t.true(got.length >= lines.length - 2);
  });

  test(`months that slide by days in ${zone} begin and end at midnight`, (t) => {
    const first = new Map(days.map(({ start }) => [zoneDates.get(start) ?? '', start]));
    const got = numbersOf(`SELECT ${limits}, COUNT(*) FROM ${table} INTERVAL(1n) SLIDING(1d)`, zone);
    const within = got.filter(([start = 0, end = 0]) => {
      return start >= (days[0]?.start ?? 0) && end <= (days.at(-1)?.start ?? 0);
    });
    t.true(within.length >= days.length - 32);
    for (const [start = 0, end = 0, length = 0, count = 0] of within) {
      const date = zoneDates.get(start) ?? '';
      const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
      const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
      const next = new Date(Date.UTC(year, month, Math.min(day, last))).toISOString().slice(0, 10);
      t.is(first.get(date), start, date);
      t.is(first.get(next), end, `${date} to ${next}`);
      t.deepEqual([length, count], [end - start, (end - start) / hour]);
    }
  });
}

/** Where windows begin that hold one row at noon of 15 March in Shanghai. */
function startsOf(clause: string): string[] {
  const where = "ts = '2024-03-15T12:00:00+08:00'";
  const sql = `SELECT _wstart, COUNT(*) FROM y2024 WHERE ${where} ${clause}`;
  const zones = { connectionZone: 'Asia/Shanghai', outputZone: 'Asia/Shanghai' };
  return fixture.rows(sql, zones).map((line) => String(JSON.parse(line)[0]));
}

test('months and years that slide by weeks, days or hours begin at midnight of the zone', (t) => {
  t.is(startsOf('INTERVAL(1n) SLIDING(1d)')[0], '2024-02-16T00:00:00.000+08:00');
  t.is(startsOf('INTERVAL(1n) SLIDING(1d)').length, 29);
  t.is(
    startsOf('INTERVAL(1q) SLIDING(10d)').every((start) => start.endsWith('T00:00:00.000+08:00')),
    true,
  );
  t.is(
    startsOf('INTERVAL(1y) SLIDING(1w)').every((start) => start.endsWith('T00:00:00.000+08:00')),
    true,
  );
  t.is(
    startsOf('INTERVAL(1y) SLIDING(30d)').every((start) => start.endsWith('T00:00:00.000+08:00')),
    true,
  );
  t.is(
    startsOf('INTERVAL(1n) SLIDING(12h)').every((start) => /T(00|12):00:00.000\+08:00$/.test(start)),
    true,
  );
  t.is(
    startsOf('INTERVAL(1n, 6h) SLIDING(1d)').every((start) => start.endsWith('T06:00:00.000+08:00')),
    true,
  );
});

test('the day that a zone left out begins and ends with the next one', (t) => {
  const days = numbersOf('SELECT _wduration, COUNT(*) FROM y2011 INTERVAL(1d)', 'Pacific/Apia');
  t.deepEqual(
    days.filter(([length]) => length !== 24 * hour),
    [],
  );
  const both = numbersOf('SELECT COUNT(*) FROM y2011 INTERVAL(2d) SLIDING(1d)', 'Pacific/Apia');
  t.is(Math.max(...both.flat()), 48);
});
