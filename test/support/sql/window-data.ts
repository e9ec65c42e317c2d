import type { TestService } from '../service/service.js';
import type { StatementCase } from './statement-cases.js';

/** 2023-11-14T22:14:00Z, a whole minute. */
const base = 1_700_000_040_000;

/** Time of so many seconds after {@link base}, as results show it. */
export function at(seconds: number): string {
  return new Date(base + seconds * 1000).toISOString();
}

/** Ticks of so many seconds after {@link base}. */
export function tick(seconds: number): number {
  return base + seconds * 1000;
}

/** WHERE on half-open seconds after {@link base}. */
export function between(from: number, to: number): string {
  return `WHERE ts >= ${tick(from)} AND ts < ${tick(to)}`;
}

/** What comes from a `SELECT items FROM table` with the clauses of every case behind it. */
export function cases(
  select: string,
  list: readonly (readonly [clauses: string, rows: StatementCase['rows'] | number])[],
) {
  return list.map(([clauses, rows]): StatementCase => {
    const sql = `${select} ${clauses}`;
    return typeof rows === 'number' ? { sql, error: rows } : { sql, rows: rows ?? [] };
  });
}

/**
 * `r`: v is the second of the row: 1, 6, 10, 16, 20, 26, 30, 36.
 * `gaps`: v, w, s, b are 10, 1, a, true and NULL, 2, NULL, NULL and 40, NULL, b, false at 10, 20 and 40 s.
 * `cal`: v 1 to 6 on 2024-01-05, -01-06, -02-29, -03-05 (its last second), -03-06 and 2025-01-01.
 * `st` (s1 x 1, s2 x 2, s3 y 2, s4 y 3): v 1, 2, 3, 4 at 0, 5, 10, 40 s; 10, 20, 30 at 2, 12, 41 s; 100, NULL, 200 at 7, 8,
 * 50 s; nothing. k is 'lo' below 10, 'hi' from there on, NULL beside NULL.
 * `states`: s NULL, 1, NULL, 1, NULL, 2, 2, 1, NULL at 0 to 8 s; on_ is true at 1, 4, 5, 8 s, NULL at 7 s; n is the second.
 */
export async function writeWindowData(service: TestService): Promise<void> {
  await service.run('CREATE DATABASE w');
  await service.run('CREATE TABLE w.r (ts TIMESTAMP, v INT)');
  const seconds = [1, 6, 10, 16, 20, 26, 30, 36];
  await service.run(`INSERT INTO w.r VALUES ${seconds.map((second) => `(${tick(second)}, ${second})`).join(' ')}`);
  await service.run('CREATE TABLE w.gaps (ts TIMESTAMP, v INT, w DOUBLE, s VARCHAR(8), b BOOL)');
  await service.run(
    `INSERT INTO w.gaps VALUES (${tick(10)}, 10, 1, 'a', true) (${tick(20)}, NULL, 2, NULL, NULL) (${tick(40)}, 40, NULL, 'b', false)`,
  );
  await service.run('CREATE TABLE w.cal (ts TIMESTAMP, v INT)');
  const days = ['2024-01-05', '2024-01-06', '2024-02-29', '2024-03-05 23:59:59', '2024-03-06', '2025-01-01'];
  await service.run(`INSERT INTO w.cal VALUES ${days.map((day, i) => `('${day}', ${i + 1})`).join(' ')}`);
  await service.run('CREATE STABLE w.st (ts TIMESTAMP, v INT, k VARCHAR(4)) TAGS (g VARCHAR(4), n INT)');
  const rows = (list: readonly (readonly [number, number | null])[]): string =>
    list.map(([second, v]) => `(${tick(second)}, ${v}, ${v === null ? 'NULL' : v < 10 ? "'lo'" : "'hi'"})`).join(' ');
  await service.run(
    `INSERT INTO w.s1 USING w.st TAGS ('x', 1) VALUES ${rows([
      [0, 1],
      [5, 2],
      [10, 3],
      [40, 4],
    ])} ` +
      `w.s2 USING w.st TAGS ('x', 2) VALUES ${rows([
        [2, 10],
        [12, 20],
        [41, 30],
      ])} ` +
      `w.s3 USING w.st TAGS ('y', 2) VALUES ${rows([
        [7, 100],
        [8, null],
        [50, 200],
      ])}`,
  );
  await service.run("CREATE TABLE w.s4 USING w.st TAGS ('y', 3)");
  await service.run('CREATE TABLE w.states (ts TIMESTAMP, s INT, on_ BOOL, n INT, d DOUBLE)');
  const states = [null, 1, null, 1, null, 2, 2, 1, null];
  const on = [false, true, false, false, true, true, false, null, true];
  await service.run(
    `INSERT INTO w.states VALUES ${states.map((state, i) => `(${tick(i)}, ${state}, ${on[i]}, ${i}, ${i})`).join(' ')}`,
  );
}
