import type { TestFn } from 'ava';
import type { TestService } from '../service/service.js';

/** 2023-11-14T22:13:20Z, a Tuesday, a multiple of 20 s. */
export const base = 1_700_000_000_000;

/** Time of so many seconds after {@link base}, as results show it. */
export function at(seconds: number): string {
  return new Date(base + seconds * 1000).toISOString();
}

/** Rows of VALUES, one second apart unless told otherwise. */
export function values(rows: readonly string[], everySeconds = 1): string {
  return rows.map((row, index) => `(${base + index * everySeconds * 1000}, ${row})`).join(' ');
}

/**
 * `one`: seven rows a second apart. `nulls`: two rows without values. `st`: a (g 1) with 1,2,4; b (g 2) with 10,7,NULL,8;
 * c (g 1) empty. `wide`: twice the largest integers. `curve`: from midnight on every six minutes a value. `line`: 1,2,3.
 */
export function tablesOfNumbers(test: TestFn, service: TestService): void {
  test.before(async () => {
    await service.run('CREATE DATABASE s');
    await service.run(
      'CREATE TABLE s.one (ts TIMESTAMP, v INT, f DOUBLE, u INT UNSIGNED, b BOOL, n VARCHAR(8), d DECIMAL(10,2), r FLOAT)',
    );
    const rows = [
      "1, 1.5, 5, true, 'a', 1.25, 0.1",
      'NULL, NULL, NULL, NULL, NULL, NULL, NULL',
      "2, 2.5, 3, false, 'b', 1.75, 0.1",
      "NULL, NULL, 4, NULL, 'a', NULL, 0.2",
      'NULL, NULL, 4, NULL, NULL, NULL, NULL',
      "3, 1, 4, true, 'c', 0.5, 0.3",
      "1, 4, 9, true, 'b', 10, 0.1",
    ];
    await service.run(`INSERT INTO s.one VALUES ${values(rows)}`);
    await service.run('CREATE TABLE s.empty (ts TIMESTAMP, v INT, n VARCHAR(8))');
    await service.run('CREATE TABLE s.nulls (ts TIMESTAMP, v INT, n VARCHAR(8))');
    await service.run(`INSERT INTO s.nulls VALUES ${values(['NULL, NULL', 'NULL, NULL'])}`);
    await service.run('CREATE TABLE s.wide (ts TIMESTAMP, l BIGINT, u BIGINT UNSIGNED)');
    const widest = ['9223372036854775807', '18446744073709551615'].join(', ');
    await service.run(`INSERT INTO s.wide VALUES ${values([widest, widest])}`);
    await service.run('CREATE STABLE s.st (ts TIMESTAMP, v INT) TAGS (g INT)');
    await service.run(`INSERT INTO s.a USING s.st TAGS (1) VALUES ${values(['1', '2', '4'])}`);
    await service.run(`INSERT INTO s.b USING s.st TAGS (2) VALUES ${values(['10', '7', 'NULL', '8'])}`);
    await service.run('CREATE TABLE s.c USING s.st TAGS (1)');
    await service.run('CREATE TABLE s.line (ts TIMESTAMP, v INT)');
    await service.run(`INSERT INTO s.line VALUES ${values(['1', '2', '3'])}`);
    await service.run('CREATE TABLE s.curve (ts TIMESTAMP, v DOUBLE)');
    const curve = [2.064, 2.116, 2.028, 2.126, 2.041, 2.051].map(
      (v, i) => `('2024-01-01 00:${String(i * 6).padStart(2, '0')}:00', ${v})`,
    );
    await service.run(`INSERT INTO s.curve VALUES ${curve.join(' ')}`);
  });
}

/**
 * `one`: seven rows a second apart, v 1,NULL,2,NULL,NULL,3,1 and other types. `st`: a (g 1) with 1,2,4; b (g 2) with
 * 10,7,NULL,8; both at the same times; c (g 3) empty. `apart`: p with 1,3,5 at even seconds, q with 10,20,5 at odd ones.
 */
export function tablesOfSeries(test: TestFn, service: TestService): void {
  test.before(async () => {
    await service.run('CREATE DATABASE s');
    await service.run(
      'CREATE TABLE s.one (ts TIMESTAMP, v INT, f DOUBLE, u INT UNSIGNED, b BOOL, t TIMESTAMP, n VARCHAR(8), d DECIMAL(10,2), r FLOAT)',
    );
    const rows = [
      "1, 1.5, 5, true, 1000, 'a', 1.25, 0.1",
      'NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL',
      "2, 2.5, 3, false, 3000, 'b', 1.75, 0.1",
      "NULL, NULL, 4, NULL, NULL, 'a', NULL, 0.2",
      'NULL, NULL, 4, NULL, NULL, NULL, NULL, NULL',
      "3, 1, 4, true, 2000, 'c', 0.5, 0.3",
      "1, 4, 9, true, 7000, 'b', 10, 0.1",
    ];
    await service.run(`INSERT INTO s.one VALUES ${values(rows)}`);
    await service.run('CREATE TABLE s.empty (ts TIMESTAMP, v INT)');
    await service.run('CREATE STABLE s.st (ts TIMESTAMP, v INT) TAGS (g INT)');
    await service.run(`INSERT INTO s.a USING s.st TAGS (1) VALUES ${values(['1', '2', '4'])}`);
    await service.run(`INSERT INTO s.b USING s.st TAGS (2) VALUES ${values(['10', '7', 'NULL', '8'])}`);
    await service.run('CREATE TABLE s.c USING s.st TAGS (3)');
    await service.run('CREATE STABLE s.apart (ts TIMESTAMP, v INT) TAGS (g INT)');
    const even = [1, 3, 5].map((v, i) => `(${base + i * 2000}, ${v})`).join(' ');
    const odd = [10, 20, 5].map((v, i) => `(${base + i * 2000 + 1000}, ${v})`).join(' ');
    await service.run(`INSERT INTO s.p USING s.apart TAGS (1) VALUES ${even} s.q USING s.apart TAGS (1) VALUES ${odd}`);
  });
}

/** `kinds`: a row of values and a row of NULLs in every type. `texts`: VARCHAR and NCHAR. `j`: JSON tags. */
export function tablesOfTypes(test: TestFn, service: TestService): void {
  test.before(async () => {
    await service.run('CREATE DATABASE s');
    await service.run(
      'CREATE TABLE s.kinds (ts TIMESTAMP, b BOOL, t TINYINT, s SMALLINT, i INT, l BIGINT, ut TINYINT UNSIGNED, ul BIGINT UNSIGNED, f FLOAT, d DOUBLE, c DECIMAL(10,2), x TIMESTAMP)',
    );
    await service.run(
      `INSERT INTO s.kinds VALUES (${base}, true, -5, -300, -70000, -5000000000, 200, 18446744073709551615, -2.5, 2.5, -12.25, 1700000000123) (${base + 1}, ${'NULL, '.repeat(10)}NULL)`,
    );
    await service.run('CREATE TABLE s.texts (ts TIMESTAMP, v VARCHAR(16), n NCHAR(8))');
    await service.run(
      `INSERT INTO s.texts VALUES (${base}, 'aBc de', '日本x') (${base + 1}, '', '') (${base + 2}, NULL, NULL)`,
    );
    await service.run('CREATE STABLE s.js (ts TIMESTAMP, v INT) TAGS (j JSON)');
    await service.run(
      `INSERT INTO s.j1 USING s.js TAGS ('{"host":"web","n":3,"ok":true,"x":null}') VALUES (${base}, 1) s.j2 USING s.js TAGS ('{"host":"db","n":2.5}') VALUES (${base}, 2) s.j3 USING s.js TAGS (NULL) VALUES (${base}, 3)`,
    );
  });
}
