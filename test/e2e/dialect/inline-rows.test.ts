import test from 'ava';
import { sharedService } from '../../support/service/shared-service.js';
import { statements } from '../../support/sql/statement-cases.js';

const { service, end } = await sharedService();
test.after.always(end);
test.before(async () => {
  await service.run('CREATE DATABASE inl KEEP 36500');
  await service.run('CREATE TABLE inl.names (ts TIMESTAMP, name VARCHAR(8))');
  await service.run("INSERT INTO inl.names VALUES (1000, 'one') (2000, 'two')");
});

const instant = (ticks: number): string => new Date(ticks).toISOString();

statements('TEXT gives the rows that a query writes itself', service, 'inl', [
  {
    sql: "SELECT * FROM TEXT(ts TIMESTAMP, i INT, u BIGINT UNSIGNED, d DOUBLE, b BOOL, s VARCHAR(8), n NCHAR(8)) VALUES ('1970-01-01T00:00:02Z', -7, 18446744073709551615, 1.5, true, 'it''s', 'ä') (1000, NULL, NULL, NULL, NULL, NULL, NULL)",
    rows: [
      [instant(1000), null, null, null, null, null, null],
      [instant(2000), -7, '18446744073709551615', 1.5, true, "it's", 'ä'],
    ],
  },
  {
    sql: "SELECT a, b, c, g FROM TEXT(a TINYINT, b DECIMAL(6, 2), c VARCHAR(2), g GEOMETRY(64)) VALUES (1 + 2, 1.239, 'long', 'POINT(1 2)') t",
    rows: [[3, '1.24', 'lo', '0101000000000000000000f03f0000000000000040']],
  },
  { sql: 'SELECT count(*), sum(v) FROM TEXT(ts TIMESTAMP, v INT) VALUES (1, 5) (1, 7) t', rows: [[2, 12]] },
  {
    sql: 'SELECT t.v, names.name FROM TEXT(ts TIMESTAMP, v INT) VALUES (3000, 3) (1000, 1) t LEFT JOIN names ON t.ts = names.ts',
    rows: [
      [1, 'one'],
      [3, null],
    ],
  },
  {
    sql: 'SELECT _wstart, w.mark, count(*) FROM names EXTERNAL_WINDOW((SELECT * FROM TEXT(a TIMESTAMP, b TIMESTAMP, mark INT) VALUES (0, 1500, 8) (500, 2500, 9)) w)',
    rows: [
      [instant(0), 8, 1],
      [instant(500), 9, 2],
    ],
  },
  {
    sql: 'SELECT _wstart, sum(v) FROM TEXT(ts TIMESTAMP, v INT) VALUES (9000, 4) (1000, 1) (2000, 2) t SESSION(ts, 2s)',
    rows: [
      [instant(1000), 3],
      [instant(9000), 4],
    ],
  },
  { sql: 'SELECT v FROM TEXT(v INT) VALUES (2) (1) (3) t WHERE v > 1 ORDER BY v', rows: [[2], [3]] },
  { sql: 'SELECT v FROM TEXT(v INT, w INT) VALUES (2)', error: 0x263f },
  { sql: "SELECT ts FROM TEXT(ts TIMESTAMP) VALUES ('soon')", error: 0x2635, says: 'soon' },
  { sql: "SELECT j FROM TEXT(j JSON) VALUES ('{}')", error: 0x2605, says: 'JSON' },
  { sql: 'SELECT v FROM TEXT(v INT) VALUES (1), (2)', error: 0x2600 },
  { sql: "SELECT ts FROM FILE('/data.csv', 'ts TIMESTAMP') f", error: 0x0100, says: 'FILE' },
]);
