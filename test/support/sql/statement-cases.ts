import test from 'ava';
import type { TestService } from '../service/service.js';

/** One statement and what must come back: rows (with or without their meta), a count of affected rows, or an error code. */
export interface StatementCase {
  readonly sql: string;
  /** Rows as the answer's `data`; 64-bit integers beyond 2^53 as texts of digits. */
  readonly rows?: readonly (readonly unknown[])[];
  /** `column_meta`: name, type and length of each column. */
  readonly meta?: readonly (readonly [name: string, type: string, length: number])[];
  /** Affected rows of a write or definition. */
  readonly affected?: number;
  /** Code of the refusal, and a part of its text. */
  readonly error?: number;
  readonly says?: string;
  /** URL parameters, such as `tz`. */
  readonly query?: Readonly<Record<string, string>>;
}

/**
 * Declares one test that runs statements one after the other in a database and compares what each gives with what its
 * case expects. Every case that fails is reported, not only the first.
 */
export function statements(
  title: string,
  service: TestService,
  database: string | undefined,
  cases: readonly StatementCase[],
): void {
  test(title, async (t) => {
    t.plan(cases.length);
    for (const { sql, rows, meta, affected, error, says, query = {} } of cases) {
      const { body, text } = await service.sql(sql, { ...(database === undefined ? {} : { database }), query });
      if (error !== undefined) {
        const refusal = { code: body.code, says: (body.desc ?? '').includes(says ?? '') };
        t.deepEqual(refusal, { code: error, says: true }, `${sql}\n${text}`);
      } else if (body.code !== 0) {
        t.fail(`${sql}\n${text}`);
      } else {
        const expected = {
          ...(rows === undefined ? {} : { rows }),
          ...(meta === undefined ? {} : { meta }),
          ...(affected === undefined ? {} : { affected: [[affected]] }),
        };
        const answer = {
          ...(rows === undefined ? {} : { rows: body.data }),
          ...(meta === undefined ? {} : { meta: body.column_meta }),
          ...(affected === undefined ? {} : { affected: body.data }),
        };
        t.deepEqual(answer, expected, sql);
      }
    }
  });
}
