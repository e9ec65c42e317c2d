import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { basicOf, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const { service, end } = await startService(
  '--limits.queryTime=4s',
  '--limits.statements=3',
  '--limits.statementsOfUser=2',
  '--limits.waitingStatements=1',
);
/** Another service without a limit of time, whose queries end only when somebody ends them. */
const patient = await service.attach('--limits.queryTime=0s');
test.after.always(async () => {
  await patient.stop();
  await end();
});

/** Half a minute of work or more, in blocks that take some tenths of a second each: between two the engine stops. */
const heavy = `SELECT SUM(${Array.from({ length: 250 }, (_, i) => `sin(v + ${i})`).join(' + ')}) FROM d.n`;

test.before('twenty million rows', async () => {
  await service.run('CREATE DATABASE d');
  await service.run('CREATE TABLE d.n (ts TIMESTAMP, v DOUBLE)');
  const rows = Array.from({ length: 20_000 }, (_, i) => `(${1_700_000_000_000 + i},${i})`);
  await service.run(`INSERT INTO d.n VALUES ${rows.join('')}`, { query: { ack: 'stored' } });
  const answer = await engine(
    "SELECT concat(database, '.', name) FROM system.tables WHERE name LIKE 'n%' AND total_rows = 20000",
  );
  const table = answer.trim();
  await engine(
    `INSERT INTO ${table} SELECT t.* REPLACE (ts + 20000 * (number + 1) AS ts) FROM ${table} AS t, numbers(999) AS n`,
  );
});

/** Asks the engine itself. */
async function engine(sql: string): Promise<string> {
  const headers = { 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'e2e-secret' };
  const response = await fetch(service.engineUrl, { method: 'POST', body: sql, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** Queries of this test that the engine works on. */
async function running(): Promise<number> {
  const others = "query LIKE '%sin(%' AND query NOT LIKE '%system.processes%'";
  return Number(await engine(`SELECT count() FROM system.processes WHERE ${others}`));
}

function becomes(count: number, withinMs: number): Promise<boolean> {
  return until(async () => (await running()) === count, withinMs);
}

/** Seconds of processor time the engine has used. */
function engineSeconds(): number {
  const fields = readFileSync(`/proc/${service.enginePid()}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function query(
  to = service,
  auth = basicOf('root', 'taosdata'),
): { ended: Promise<Response | undefined>; leave(): void } {
  const controller = new AbortController();
  const url = `http://127.0.0.1:${to.port}/rest/sql`;
  const request = fetch(url, {
    method: 'POST',
    body: heavy,
    headers: { authorization: auth },
    signal: controller.signal,
  });
  return { ended: request.catch(() => undefined), leave: () => controller.abort() };
}

test.serial('a query that takes too long is cancelled in the engine and answered with an error', async (t) => {
  const { body } = await service.sql(heavy);
  t.is(body.code, 0x020f);
  t.is(body.desc, 'Query terminated: it took longer than 4 s');
  t.true(await becomes(0, 2000));
});

test.serial('a query whose client goes away is cancelled in the engine', async (t) => {
  const { ended, leave } = query(patient);
  t.true(await becomes(1, 5000));
  leave();
  await ended;
  t.true(await becomes(0, 3000));
  await sleep(300);
  const before = engineSeconds();
  await sleep(1000);
  t.true(engineSeconds() - before < 0.5);
});

test.serial(
  'a user has so many queries at once, the service has some more, few wait, the others are told to come again',
  async (t) => {
    await service.run("CREATE USER ann PASS 'Secret_12'");
    await service.run('GRANT READ ON d.* TO ann');
    const asAnn = basicOf('ann', 'Secret_12');
    t.is((await service.sql('SELECT 1', { auth: asAnn })).body.code, 0);
    const first = [query(), query()];
    t.true(await becomes(2, 5000));
    const other = query(service, asAnn);
    t.true(await becomes(3, 5000));
    const waiting = query();
    await until(async () => {
      const { text } = await service.request({ method: 'GET', path: '/metrics' });
      return /^adapter_sql_waiting 1$/m.test(text);
    });
    const refused = await query().ended;
    t.deepEqual([refused?.status, (await refused?.text())?.includes('Too many statements are waiting')], [503, true]);
    t.true(refused?.headers.has('retry-after'));
    // All are ended by the limit of time; the one that waited ran after the first.
    for (const { ended } of [...first, other, waiting])
      t.true((await (await ended)?.text())?.includes('Query terminated'));
    t.is((await service.sql('SELECT 1')).body.code, 0);
  },
);
