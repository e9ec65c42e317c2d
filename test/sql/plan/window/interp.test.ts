import test from 'ava';
import { Codes } from '../../../../src/model/fault.js';
import { metersFixture, start } from '../../../support/sql/meters.js';

const fixture = metersFixture();
test.after.always(() => fixture.close());

test('reads texts of RANGE in the connection zone', (t) => {
  const sql = "SELECT _irowts, interp(a) FROM t RANGE('2023-11-15 07:13:20.500') FILL(LINEAR)";
  t.deepEqual(fixture.rows(sql, { connectionZone: 'Asia/Tokyo' }), ['["2023-11-14T22:13:20.500Z",6]']);
});

test('gives tags beside the name of the table that they belong to', (t) => {
  const sql = `SELECT tbname, location, interp(voltage) FROM meters PARTITION BY tbname RANGE(${start + 5000}) FILL(PREV)`;
  t.deepEqual(fixture.rows(sql), ['["d1","north",200]', '["d2","north",201]', '["d3","south",202]']);
  t.is(fixture.refusal(sql.replace('PARTITION BY tbname', '')), Codes.invalidExpression);
});

test('takes keys that are computed and named', (t) => {
  const sql = `SELECT k, count(*) FROM (SELECT k, interp(voltage) AS v FROM meters WHERE tbname <> 'd2' PARTITION BY tbname, groupid * 10 AS k RANGE(${start + 5000}) FILL(PREV)) GROUP BY k ORDER BY k`;
  t.deepEqual(fixture.rows(sql), ['[10,1]', '[20,1]']);
});

test('refuses a range that depends on rows', (t) => {
  t.is(fixture.refusal('SELECT interp(a) FROM t RANGE(ts)'), Codes.interpClauses);
});
