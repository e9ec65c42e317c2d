import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

/** The answer of `GET /query` to a statement, for a database. */
async function query(q: string, db: string): Promise<unknown> {
  const { text } = await service.ask({ method: 'GET', path: `/query?${new URLSearchParams({ q, db })}` });
  return JSON.parse(text);
}

test('the name of a database is a text of the statement, whatever it holds', async (t) => {
  await service.run('CREATE DATABASE influx_quoted');
  for (const name of ["none\\' OR 1=1 -- ", "none' OR 1=1 -- ", 'none\\']) {
    const error = `database not found: ${name}`;
    t.deepEqual(await query('SHOW RETENTION POLICIES', name), { results: [{ statement_id: 0, error }] });
  }
});
