import type { TestFn } from 'ava';
import type { TestService } from '../service/service.js';

/** 2023-11-14T22:13:20Z; times of the tables are milliseconds after it. */
export const base = 1_700_000_000_000;

/** A time as results show it. */
export const at = (ms: number): string => new Date(base + ms).toISOString();

/**
 * `a` at 0, 2, 3, 4 with v equal to the time and s x, y, x, NULL; `b` at 0, 1, 3, 5 with v 10 more than the time and w half
 * of it, but NULL at 3; `c` at 0 and 3 with v 20 and 23. Super table `m`: m1 (g 1, n p) has 1 at 0 and 2 at 1, m2 (g 2, n q)
 * has 3 at 0 and 4 at 2.
 */
export function tablesToJoin(test: TestFn, service: TestService): void {
  test.before(async () => {
    await service.run('CREATE DATABASE j');
    await service.run('CREATE DATABASE us PRECISION "us"');
    await service.run('CREATE TABLE j.a (ts TIMESTAMP, v INT, s VARCHAR(8))');
    await service.run('CREATE TABLE j.b (ts TIMESTAMP, v INT, w DOUBLE)');
    await service.run('CREATE TABLE j.c (ts TIMESTAMP, v INT)');
    await service.run('CREATE TABLE us.u (ts TIMESTAMP, v INT)');
    await service.run('CREATE STABLE j.m (ts TIMESTAMP, v INT) TAGS (g INT, n VARCHAR(8))');
    await service.run(
      `INSERT INTO j.a VALUES (${base}, 0, 'x') (${base + 2}, 2, 'y') (${base + 3}, 3, 'x') (${base + 4}, 4, NULL)
        j.b VALUES (${base}, 10, 0) (${base + 1}, 11, 0.5) (${base + 3}, 13, NULL) (${base + 5}, 15, 2.5)
        j.c VALUES (${base}, 20) (${base + 3}, 23)
        us.u VALUES (${base}000, 1) (${base + 3}000, 2) (${base + 4}500, 3)
        j.m1 USING j.m TAGS (1, 'p') VALUES (${base}, 1) (${base + 1}, 2)
        j.m2 USING j.m TAGS (2, 'q') VALUES (${base}, 3) (${base + 2}, 4)`,
    );
  });
}
