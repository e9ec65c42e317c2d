import test from 'ava';
import fc from 'fast-check';
import { toBigInt } from '../../../src/bytes/words.js';
import type { Precision } from '../../../src/model/schema.js';
import {
  addDuration,
  durationTicks,
  parseTimestamp,
  setTicks,
  startOfDay,
  ticksOfNanos,
} from '../../../src/sql/times/timestamp.js';

function utcMs(text: string): bigint {
  return BigInt(Date.parse(text));
}

const instant = utcMs('2024-01-02T03:04:05Z');

test('every written form of a timestamp is read', (t) => {
  for (const text of [
    '2024-01-02 03:04:05',
    '2024-01-02T03:04:05',
    '2024-01-02t03:04:05',
    '2024-1-2 3:4:5',
    '2024-01-02T03:04:05Z',
    '2024-01-02 03:04:05Z',
    '2024-01-02T11:04:05+08:00',
    '2024-01-02T11:04:05+0800',
    '2024-01-02 11:04:05+08',
    '2024-01-01T23:34:05-03:30',
    '2024-01-02T03:04:05.0',
    '2024-01-02T03:04:05.0009',
  ]) {
    t.is(parseTimestamp(text, 'ms', 'UTC'), instant, text);
  }
  t.is(parseTimestamp('2024-01-02', 'ms', 'UTC'), utcMs('2024-01-02T00:00:00Z'));
});

test('a fraction is filled up or cut to the precision', (t) => {
  t.is(parseTimestamp('2024-01-02T03:04:05.1', 'ms', 'UTC'), instant + 100n);
  t.is(parseTimestamp('2024-01-02T03:04:05.123999', 'ms', 'UTC'), instant + 123n);
  t.is(parseTimestamp('2024-01-02T03:04:05.1234567Z', 'us', 'UTC'), instant * 1000n + 123456n);
  t.is(parseTimestamp('2024-01-02T03:04:05.123456789123Z', 'ns', 'UTC'), instant * 1000000n + 123456789n);
  t.is(parseTimestamp('1969-12-31T23:59:59.9999Z', 'ms', 'UTC'), -1n);
});

test('text without a zone is local time, daylight saving included', (t) => {
  t.is(parseTimestamp('2024-01-02 11:04:05', 'ms', 'Asia/Shanghai'), instant);
  t.is(parseTimestamp('2024-07-01 00:00:00', 'ms', 'America/New_York'), utcMs('2024-07-01T04:00:00Z'));
  t.is(parseTimestamp('2024-12-01', 'ms', 'America/New_York'), utcMs('2024-12-01T05:00:00Z'));
  t.is(parseTimestamp('2024-03-10 03:00:00', 'ms', 'America/New_York'), utcMs('2024-03-10T07:00:00Z'));
  t.is(parseTimestamp('2024-03-10 01:59:59', 'ms', 'America/New_York'), utcMs('2024-03-10T06:59:59Z'));
  t.is(parseTimestamp('2024-07-01T00:00:00Z', 'ms', 'America/New_York'), utcMs('2024-07-01T00:00:00Z'));
});

test('text that is no timestamp is undefined', (t) => {
  for (const text of [
    '',
    'abc',
    '2024',
    '2024-01',
    '24-01-02',
    '2024-13-01',
    '2024-00-01',
    '2023-02-29',
    '2024-01-32',
    '2024-01-02 ',
    '2024-01-02 03',
    '2024-01-02 03:04',
    '2024-01-02 24:00:00',
    '2024-01-02 03:60:00',
    '2024-01-02 03:04:60',
    '2024-01-02 03:04:05.',
    '2024-01-02 03:04:05z1',
    '2024-01-02 03:04:05+8',
    '2024-01-02 03:04:05+08:',
    '2024-01-02 03:04:05+08:60',
    '2024-01-02 03:04:05+19',
    '2024-01-02 03:04:05 UTC',
    '12024-01-02 03:04:05',
    '1700000000000',
  ]) {
    t.is(parseTimestamp(text, 'ms', 'UTC'), undefined, text);
  }
});

test('a time outside 64 bits of nanoseconds is undefined', (t) => {
  t.is(parseTimestamp('2262-04-11T23:47:16.854775807Z', 'ns', 'UTC'), (1n << 63n) - 1n);
  t.is(parseTimestamp('2262-04-11T23:47:16.854775808Z', 'ns', 'UTC'), undefined);
  t.is(parseTimestamp('1677-09-21T00:12:43.145224192Z', 'ns', 'UTC'), -(1n << 63n));
  t.is(parseTimestamp('1677-09-21T00:12:43.145224191Z', 'ns', 'UTC'), undefined);
  t.is(parseTimestamp('9999-12-31T23:59:59Z', 'us', 'UTC'), 253402300799000000n);
});

test('seconds and nanoseconds become ticks exactly', (t) => {
  const words = new Uint32Array(2);
  const precisions = fc.constantFrom<[number, bigint]>([1e3, 1000n], [1e6, 1000000n], [1e9, 1000000000n]);
  fc.assert(
    fc.property(
      precisions,
      fc.integer({ min: -9200000000, max: 9200000000 }),
      fc.integer({ min: 0, max: 999999999 }),
      ([perSecond, exact], seconds, nanos) => {
        t.true(setTicks(words, seconds, nanos, perSecond));
        t.is(toBigInt(words), BigInt(seconds) * exact + BigInt(nanos) / (1000000000n / exact));
      },
    ),
  );
});

test('an instant printed as ISO text comes back', (t) => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
      fc.constantFrom<Precision>('ms', 'us'),
      (date, precision) => {
        const ticks = BigInt(date.getTime()) * (precision === 'ms' ? 1n : 1000n);
        t.is(parseTimestamp(date.toISOString(), precision, 'Europe/Berlin'), ticks);
      },
    ),
  );
});

test('any text gives ticks or undefined and never fails', (t) => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9T:Z+. -]{0,40}$/), (text) => {
      t.true(['bigint', 'undefined'].includes(typeof parseTimestamp(text, 'ns', 'Europe/Berlin')));
    }),
  );
});

test('durations of fixed length are ticks, calendar units are not', (t) => {
  t.is(durationTicks({ count: 10, unit: 's' }, 'ms'), 10000n);
  t.is(durationTicks({ count: 1, unit: 'w' }, 'us'), 604800000000n);
  t.is(durationTicks({ count: 999999, unit: 'b' }, 'ms'), 0n);
  t.is(durationTicks({ count: 7, unit: 'b' }, 'ns'), 7n);
  t.is(durationTicks({ count: 1, unit: 'n' }, 'ms'), undefined);
});

test('months and years are added on the local calendar, to the last day of shorter months', (t) => {
  const add = (text: string, count: number, unit: 'n' | 'y' | 'd', zone = 'UTC') =>
    new Date(Number(addDuration(utcMs(text), { count, unit }, 'ms', zone))).toISOString();
  t.is(add('2024-01-31T10:00:00.250Z', 1, 'n'), '2024-02-29T10:00:00.250Z');
  t.is(add('2024-03-31T10:00:00Z', -1, 'n'), '2024-02-29T10:00:00.000Z');
  t.is(add('2024-02-29T10:00:00Z', -1, 'y'), '2023-02-28T10:00:00.000Z');
  t.is(add('2024-01-15T10:00:00Z', -13, 'n'), '2022-12-15T10:00:00.000Z');
  t.is(add('2024-02-20T12:00:00Z', 1, 'n', 'America/New_York'), '2024-03-20T11:00:00.000Z');
  t.is(add('2024-03-09T12:00:00Z', 1, 'd', 'America/New_York'), '2024-03-10T12:00:00.000Z');
});

test('a day begins at the midnight of its zone', (t) => {
  t.is(startOfDay(utcMs('2024-03-01T20:00:00Z'), 'ms', 'Asia/Shanghai'), utcMs('2024-03-01T16:00:00Z'));
  t.is(startOfDay(utcMs('2024-03-01T20:00:00Z') * 1000n + 1n, 'us', 'UTC'), utcMs('2024-03-01T00:00:00Z') * 1000n);
});

test('nanoseconds are rounded down to ticks', (t) => {
  t.is(ticksOfNanos(1999999n, 'ms'), 1n);
  t.is(ticksOfNanos(-1n, 'ms'), -1n);
  t.is(ticksOfNanos(5n, 'ns'), 5n);
});
