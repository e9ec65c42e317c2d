import { rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { directoryFor, rowsOf, sql, startAdapter, writeLines } from '../support/service/processes.js';
import { until } from '../support/until.js';

test('a service whose write-ahead log is removed below it refuses writes, tells load balancers, and answers queries', async (t) => {
  const path = directoryFor(t);
  const settings = [`--database.path=${path}`, '--write.flushInterval=10m', `--log.path=${join(path, 'logs')}`];
  const adapter = await startAdapter(t, settings);
  await sql(adapter, "CREATE DATABASE kept PRECISION 'ms'");
  t.is((await writeLines(adapter, 'kept', 'm v=1i 1767225600000')).status, 204);
  const ping = (query = ''): Promise<Response> => fetch(`http://127.0.0.1:${adapter.port}/-/ping${query}`);
  t.is((await ping()).status, 200);
  rmSync(join(path, 'wal'), { recursive: true });
  await until(async () => (await ping()).status === 503);
  const reason = 'The directory of the write-ahead log was removed below the service, which needs a restart';
  t.deepEqual(await (await ping()).json(), { reason });
  t.is((await ping('?action=query')).status, 200);
  t.is((await writeLines(adapter, 'kept', 'm v=2i 1767225600001')).status, 503);
  // The rows that were answered before are in memory.
  t.deepEqual(await rowsOf(adapter, 'SELECT v FROM kept.m'), [[1]]);
});
