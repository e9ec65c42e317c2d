import test from 'ava';
import { printExpr } from '../../../src/sql/engine/print.js';
import { expr } from '../../../src/sql/engine/template.js';
import { addDuration } from '../../../src/sql/times/timestamp.js';
import { zoneOffsets } from '../../../src/sql/times/zone.js';
import { shiftMonths } from '../../../src/sql/values/local-time.js';
import { QueryFixture } from '../../support/engine/query-fixture.js';

const fixture = new QueryFixture();
test.after.always(() => fixture.close());
fixture.database('m', 'ms');
/** Every nine days and an hour, from 1992 to 2038. */
const instants = Array.from({ length: 1850 }, (_, at) => 694224000000 + at * 781200000);
fixture.normalTable(
  'm',
  'w',
  ['v INT'],
  instants.map((at) => [at, 1]),
);

/** Zones that have gone over the date line, and others. */
const zones = [
  ...['Pacific/Apia', 'Pacific/Fakaofo', 'Pacific/Kiritimati', 'Pacific/Enderbury', 'Pacific/Kanton'],
  ...['Pacific/Kwajalein', 'Kwajalein', 'Pacific/Pago_Pago', 'Pacific/Tongatapu', 'Asia/Kathmandu', 'Africa/Cairo'],
  ...['America/St_Johns', 'Asia/Shanghai'],
];

for (const zone of zones) {
  test(`printed times in ${zone} have the offset of their clocks`, (t) => {
    const iso = ['TO_ISO8601(ts)', `TO_ISO8601(ts, '${zone}')`, 'TO_CHAR(ts, \'YYYY-MM-DD"T"HH24:MI:SS TZ\')'];
    const rows = fixture.rows(`SELECT ts, ${iso.join(', ')}, TO_CHAR(ts, 'TZH') FROM w ORDER BY ts`, {
      connectionZone: zone,
      outputZone: zone,
    });
    for (const [at, line] of rows.entries()) {
      const texts: string[] = JSON.parse(line);
      const withColon = texts.map((text) => text.replace(/ /, '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
      const read = withColon.slice(0, -1).map((text) => Date.parse(text));
      t.deepEqual(
        read,
        [0, 1, 2, 3].map(() => instants[at]),
        line,
      );
      const minutes = zoneOffsets(zone).offsetAt((instants[at] ?? 0) / 1000) / 60;
      const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0');
      t.is(texts.at(-1), `${minutes < 0 ? '-' : '+'}${hours}`);
    }
  });

  test(`months are added to columns and constants in the same way in ${zone}`, (t) => {
    const asked = { connectionZone: zone };
    for (const months of [1, -1, 12]) {
      const by = `${months < 0 ? '-' : '+'} ${Math.abs(months)}n`;
      const rows = fixture.rows(`SELECT CAST(ts ${by} AS BIGINT) FROM w ORDER BY ts`, asked);
      const expected = instants.map((at) => addDuration(BigInt(at), { count: months, unit: 'n' }, 'ms', zone));
      t.deepEqual(
        rows.map((line) => Number(JSON.parse(line)[0])),
        expected.map(Number),
      );
    }
  });
}

test('a month later at a time that the clock skips is read with the offset before', (t) => {
  fixture.normalTable('m', 'skips', ['v INT'], [[Date.parse('2024-03-26T00:30:00+02:00'), 1]]);
  const asked = { connectionZone: 'Africa/Cairo', outputZone: 'Africa/Cairo' };
  const rows = fixture.rows("SELECT ts + 1n, CAST('2024-03-26T00:30:00' AS TIMESTAMP) + 1n FROM skips", asked);
  t.deepEqual(rows, ['["2024-04-26T01:30:00.000+03:00","2024-04-26T01:30:00.000+03:00"]']);
  t.regex(printExpr(shiftMonths(expr`ts`, 1, 'ms', 'UTC')), /^\w+\(addMonths\(/);
});
