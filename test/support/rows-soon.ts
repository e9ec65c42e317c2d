import { setTimeout as sleep } from 'node:timers/promises';
import type { TestService } from './service.js';

export type Rows = readonly (readonly unknown[])[];

const pauseMs = 50;
const maxTries = 600;

/** Rows of a query in a database as soon as there are any, or as soon as `enough` says so; the last ones after half a minute. */
export async function rowsSoon(
  service: TestService,
  database: string,
  statement: string,
  enough = (rows: Rows): boolean => rows.length > 0,
): Promise<Rows> {
  let rows: Rows = [];
  for (let i = 0; i < maxTries; i++) {
    const { body } = await service.sql(statement, { database });
    rows = body.code === 0 ? body.data : [];
    if (enough(rows)) return rows;
    await sleep(pauseMs);
  }
  return rows;
}
