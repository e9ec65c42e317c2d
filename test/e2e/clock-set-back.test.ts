import test from 'ava';
import { sql, writeLines } from '../support/service/processes.js';
import { startInProcess } from '../support/service/service-in-process.js';
import { until } from '../support/until.js';

test('streams go on when the clock of the machine is set back by an hour', async (t) => {
  const { service, end } = await startInProcess({}, '--smlAutoCreateDB=true');
  t.teardown(end);
  const systemNow = Date.now;
  t.teardown(() => {
    Date.now = systemNow;
  });
  const startMs = systemNow();
  const write = async (ms: number): Promise<void> => {
    t.is((await writeLines(service, 'd', `m,k=x v=1i ${ms}`)).status, 204);
  };
  const hasWindows = (count: number): Promise<boolean> =>
    until(async () => Number((await sql(service, 'SELECT COUNT(*) FROM d.o')).data?.[0]?.[0]) === count);
  await write(startMs);
  const stream = 'CREATE STREAM s INTO d.o AS SELECT _wstart AS ts, COUNT(*) AS n FROM d.m INTERVAL(1s)';
  t.is((await sql(service, stream)).code, 0);
  await write(startMs + 10_000);
  t.true(await hasWindows(1));
  Date.now = () => systemNow() - 3_600_000;
  await write(startMs + 20_000);
  t.true(await hasWindows(2));
});
