import net from 'node:net';
import test from 'ava';
import { whenBrief, whenLong } from '../support/cases.js';
import {
  directoryFor,
  enginePid,
  isAlive,
  type Listening,
  post,
  rowsOf,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { basic } from '../support/service/service.js';
import { startInProcess } from '../support/service/service-in-process.js';
import { until } from '../support/until.js';

const brief = whenBrief(test);
const long = whenLong(test);
/** The deadline of a stop, 10 s, and what the end of two processes takes beside it. */
const stopMs = 11_000;
/** Every input beside HTTP, rules of each kind, and the service's own metrics. */
const everything = [
  ...['tsdbwire_telnet', 'statsgw', 'agentd', 'hostexporter'].map((input) => `--${input}.enable=true`),
  '--tsdbwire_telnet.ports=0',
  '--tsdbwire_telnet.dbs=lines',
  '--hostexporter.urls=http://127.0.0.1:9/metrics',
  '--hostexporter.db=scraped',
  '--monitor.writeToDB=true',
  '--smlAutoCreateDB=true',
  `--events.rules=${JSON.stringify([
    { name: 'hot', title: 'hot', database: 'd', table: 'm', column: 'v', comparison: '>', threshold: 1e9 },
    { name: 'silent', title: 'silent', database: 'd', table: 'm', absence: '1h' },
    { name: 'asked', title: 'asked', database: 'd', sql: 'SELECT 1 AS v', interval: '1h' },
  ])}`,
];

brief('every component ends though the deadline of the stop has fired before it is asked', async (t) => {
  const { service, end, lines } = await startInProcess({}, ...everything);
  const begun = performance.now();
  await service.stop(1);
  t.true(performance.now() - begun < 5_000);
  t.deepEqual(
    lines.filter((line) => line.includes('could not be stopped')),
    [],
  );
  await end();
});

long(
  'SIGTERM ends the service in time while the engine hangs, with a write, a query and a stream under way',
  async (t) => {
    const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`]);
    await streaming(adapter);
    const engine = enginePid(adapter);
    process.kill(engine, 'SIGSTOP');
    t.teardown(() => kill(engine));
    const open = [
      writeLines(adapter, 'd', 'm v=1 5000'),
      post(adapter.port, '/rest/sql', 'SELECT count(*) FROM d.m'),
      sql(adapter, 'CREATE DATABASE e'),
    ];
    for (const ending of open) ending.catch(() => {});
    const tookMs = await terminated(adapter);
    t.true(tookMs < stopMs, `${tookMs} ms`);
    t.true(await until(() => !isAlive(engine)));
    await Promise.allSettled(open);
  },
);

long('SIGTERM ends the service in time while a client does not read its result and a stream round runs', async (t) => {
  const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`]);
  await streaming(adapter);
  const socket = net.connect(adapter.port, '127.0.0.1').pause();
  t.teardown(() => socket.destroy());
  const statement = 'SELECT a.*, b.* FROM d.m a, d.m b WHERE a._ts = b._ts';
  socket.write(
    `POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: ${statement.length}\r\n\r\n${statement}`,
  );
  await writeLines(adapter, 'd', rowsFrom(100_000));
  const tookMs = await terminated(adapter);
  t.true(tookMs < stopMs, `${tookMs} ms`);
});

/** A database with rows, and a stream that has worked on them. */
async function streaming(adapter: Listening): Promise<void> {
  await sql(adapter, 'CREATE DATABASE d');
  await writeLines(adapter, 'd', rowsFrom(0));
  await sql(
    adapter,
    'CREATE STREAM s TRIGGER AT_ONCE FILL_HISTORY 1 INTO d.o AS SELECT _wstart, count(*) c FROM d.m INTERVAL(1s)',
  );
  await until(async () => (await rowsOf(adapter, 'SHOW d.TABLES')).length > 1);
}

function rowsFrom(start: number): string {
  return Array.from({ length: 50_000 }, (_, row) => `m v=${row},text="${'x'.repeat(60)}" ${(start + row) * 10}`).join(
    '\n',
  );
}

async function terminated(adapter: Listening): Promise<number> {
  const begun = performance.now();
  adapter.child.kill('SIGTERM');
  await adapter.ended;
  return Math.round(performance.now() - begun);
}

function kill(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}
