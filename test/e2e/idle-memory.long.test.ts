import test from 'ava';
import { startService } from '../support/service/service.js';
import { skipped } from '../support/skipped.js';
import { until } from '../support/until.js';

const mebibyte = 1024 * 1024;
/** Of both processes; 165 MiB are usual. */
const idleBytes = 200 * mebibyte;

test('an idle service gives back the memory of code that ran while it started, and answers afterwards', async (t) => {
  if (process.platform !== 'linux') return skipped(t, 'only Linux takes code out of memory when it is asked to');
  const { service, end } = await startService();
  t.teardown(end);
  const bytes = (): number => service.memory('VmRSS') + service.memory('VmRSS', service.enginePid());
  t.true(await until(() => bytes() < idleBytes, 120_000), `${bytes() / mebibyte} MiB`);
  t.log(`${(bytes() / mebibyte).toFixed(0)} MiB`);
  const { status } = await service.request({ path: '/rest/sql', body: 'SELECT 1' });
  t.is(status, 200);
});
