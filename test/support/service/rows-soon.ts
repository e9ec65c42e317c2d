import { until } from '../until.js';
import type { TestService } from './service.js';

export type Rows = readonly (readonly unknown[])[];

/** Rows of a query in a database as soon as there are any, or as soon as `enough` says so; the last ones after a minute. */
export async function rowsSoon(
  service: TestService,
  database: string,
  statement: string,
  enough = (rows: Rows): boolean => rows.length > 0,
): Promise<Rows> {
  let rows: Rows = [];
  await until(async () => {
    const { body } = await service.sql(statement, { database });
    rows = body.code === 0 ? body.data : [];
    return enough(rows);
  });
  return rows;
}
