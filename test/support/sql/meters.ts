import { QueryFixture } from '../engine/query-fixture.js';

/** 2023-11-14T22:13:20Z in milliseconds. */
export const start = 1700000000000;

/**
 * Database `m` (ms): super table `meters` with d1, d2 (north), d3 (south), six rows each ten seconds apart, and d4 without
 * location and rows; normal table `t` with an overwritten row. Database `u` (us): `s` with JSON labels. Database `n` (ns):
 * normal table `x` with one column of every kind, a row of values and a row of NULLs before 1970.
 */
export function metersFixture(): QueryFixture {
  const fixture = new QueryFixture();
  fixture.database('m', 'ms');
  const columns = ['current FLOAT', 'voltage INT', 'phase DOUBLE', 'note VARCHAR(20)'];
  fixture.superTable('m', 'meters', columns, ['location VARCHAR(24)', 'groupid INT']);
  fixture.subTable('m', 'meters', 'd1', ["'north'", '1'], meterRows(0));
  fixture.subTable('m', 'meters', 'd2', ["'north'", '2'], meterRows(1));
  fixture.subTable('m', 'meters', 'd3', ["'south'", '2'], meterRows(2));
  fixture.subTable('m', 'meters', 'd4', ['NULL', '3'], []);
  fixture.normalTable(
    'm',
    't',
    ['a INT', 'b INT'],
    [
      [start, 1, 2],
      [start + 1000, 3, null],
    ],
  );
  fixture.insert('m', 't', [[start, 10, null]]);
  fixture.database('u', 'us');
  fixture.superTable('u', 's', ['v BIGINT'], ['labels JSON']);
  const [cpu, memory] = [
    '{"__name__":"cpu","host":"a/b","n":1}',
    '{"__name__":"mem","b":true,"x":null,"d.e":"2024-01-01 00:00:00"}',
  ];
  fixture.subTable('u', 's', 's1', [`'${cpu}'`], [[1700000000123456n, '9223372036854775807']]);
  fixture.subTable('u', 's', 's2', [`'${memory}'`], [[1700000000123457n, 1]]);
  fixture.database('n', 'ns');
  const kinds = [
    'b BOOL',
    't TINYINT',
    'ut BIGINT UNSIGNED',
    'd DECIMAL(10,2)',
    'h VARBINARY(10)',
    'nc NCHAR(10)',
    'f FLOAT',
  ];
  fixture.normalTable('n', 'x', kinds, [
    [1700000000123456789n, 'true', -5, '18446744073709551615', '12.5', "unhex('ff00')", "'日本'", '0.1'],
    [-1, null, null, null, null, null, null, null],
  ]);
  return fixture;
}

function meterRows(meter: number): (string | number | null)[][] {
  return Array.from({ length: 6 }, (_, at) => {
    const note = at % 2 === 1 ? `'n${at}'` : null;
    return [start + at * 10000 + meter, at === 2 ? null : 10.3 + at, 200 + at * 10 + meter, at / 4, note];
  });
}
