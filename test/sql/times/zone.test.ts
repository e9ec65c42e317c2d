import test from 'ava';
import fc from 'fast-check';
import { civilFromDays, daysFromCivil, daysInMonth } from '../../../src/sql/times/calendar.js';
import { zoneOffsets } from '../../../src/sql/times/zone.js';

function utc(text: string): number {
  return Date.parse(`${text}Z`) / 1000;
}

test('an offset changes at the second the clocks change', (t) => {
  const zone = zoneOffsets('America/New_York');
  t.is(zone.offsetAt(utc('2024-03-10T06:59:59')), -5 * 3600);
  t.is(zone.offsetAt(utc('2024-03-10T07:00:00')), -4 * 3600);
  t.is(zone.offsetAt(utc('2024-11-03T05:59:59')), -4 * 3600);
  t.is(zone.offsetAt(utc('2024-11-03T06:00:00')), -5 * 3600);
  t.is(zoneOffsets('Asia/Kathmandu').offsetAt(utc('2024-01-01T00:00:00')), 5 * 3600 + 45 * 60);
});

test('a local time shown twice is the first of the two, a skipped one keeps the offset before the jump', (t) => {
  const zone = zoneOffsets('America/New_York');
  t.is(zone.toUtc(utc('2024-11-03T01:30:00')), utc('2024-11-03T05:30:00'));
  t.is(zone.toUtc(utc('2024-03-10T02:30:00')), utc('2024-03-10T07:30:00'));
  t.is(zone.toUtc(utc('2024-03-10T03:00:00')), utc('2024-03-10T07:00:00'));
  t.is(zone.toUtc(utc('2024-11-03T02:00:00')), utc('2024-11-03T07:00:00'));
});

test('fixed offsets and UTC need no zone data', (t) => {
  t.is(zoneOffsets('+08:00').offsetAt(0), 8 * 3600);
  t.is(zoneOffsets('-0330').toUtc(0), 3.5 * 3600);
  t.is(zoneOffsets('utc').offsetAt(1e9), 0);
});

test('a zone that does not exist is refused', (t) => {
  t.throws(() => zoneOffsets('Mars/Olympus'), { instanceOf: RangeError });
});

test('local times come back from UTC, whatever the zone', (t) => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tehran', 'Pacific/Apia'];
  fc.assert(
    fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 2524608000 }), (name, seconds) => {
      const zone = zoneOffsets(name);
      const local = seconds + zone.offsetAt(seconds);
      const back = zone.toUtc(local);
      t.is(back + zone.offsetAt(back), local);
    }),
  );
});

test('civil days and day numbers are inverse to each other and agree with Date', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: -700000, max: 2900000 }), (days) => {
      const { year, month, day } = civilFromDays(days);
      t.is(daysFromCivil(year, month, day), days);
      const date = new Date(days * 86400000);
      t.deepEqual([year, month, day], [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);
    }),
  );
  t.is(daysInMonth(2000, 2), 29);
  t.is(daysInMonth(1900, 2), 28);
  t.is(daysInMonth(2024, 4), 30);
});
