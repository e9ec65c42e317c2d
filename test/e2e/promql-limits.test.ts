import http from 'node:http';
import test from 'ava';
import { basic, basicOf, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const { service, end } = await startService(
  '--smlAutoCreateDB=true',
  '--promql.samples=2000000',
  '--promql.series=20',
  '--promql.steps=100',
  '--promql.timeout=30s',
  '--promql.samplesOfAll=15',
  '--limits.statements=2',
  '--limits.waitingStatements=0',
  '--monitor.slowStatement=1ms',
);
test.after.always(end);

const start = 1_700_000_000;

/** An expression that takes minutes: a window of 720,000 values, which are sorted at each step. */
const slow = {
  query: 'quantile_over_time(0.5, vector(time())[200h:1s])',
  start: String(start),
  end: String(start + 990),
  step: '10',
};

async function api(path: string, parameters: Readonly<Record<string, string>>, auth?: string) {
  const { status, text } = await service.request({
    method: 'GET',
    path: `/prometheus/d/api/v1/${path}?${new URLSearchParams(parameters)}`,
    ...(auth === undefined ? {} : { auth }),
  });
  return { code: status, body: JSON.parse(text) };
}

async function running(): Promise<number> {
  const { text } = await service.request({ method: 'GET', path: '/metrics', auth: false });
  return Number(/^adapter_sql_running (\d+)$/m.exec(text)?.[1]);
}

test.before(async () => {
  const lines = Array.from({ length: 30 }, (_, i) => `m,series=${i} value=${i} ${start}`).join('\n');
  const { status, text } = await service.write(lines, { db: 'd', precision: 's' });
  if (status !== 204) throw new Error(text);
});

test.serial('a query beyond a limit is refused with its name, and others are answered', async (t) => {
  const cases: readonly (readonly [number, Readonly<Record<string, string>>, RegExp])[] = [
    [422, { query: 'm', time: String(start) }, /more than 20 series/],
    [422, { query: 'count_over_time(vector(1)[10y:1s])', time: String(start) }, /1000000 steps/],
    [400, { query: 'm{series=~"((((a*)*)*)*", a="b"}' }, /missing closing \)|not a regular expression|parenthes/],
    [400, { query: `m{series=~"(a{1000}){1000}"}` }, /repeat|repetition/],
  ];
  for (const [status, parameters, message] of cases) {
    const { code, body } = await api('query', parameters);
    t.regex(body.error, message, JSON.stringify(parameters));
    t.is(code, status, body.error);
  }
  const { code, body } = await api('query_range', { query: 'm', start: '0', end: '1000', step: '1' });
  t.is(code, 400);
  t.regex(body.error, /exceeded maximum resolution of 100 points/);
  t.is((await api('series', { 'match[]': 'm' })).code, 422);
  t.deepEqual((await api('query', { query: 'm{series="7"}', time: String(start) })).body.data.result, [
    { metric: { __name__: 'm', series: '7' }, value: [start, '7'] },
  ]);
});

test.serial('all queries together hold so many samples, which come back at the end of each', async (t) => {
  const few = { query: 'sum(max_over_time(m{series=~"1.?"}[5m]))', time: String(start) };
  for (let i = 0; i < 3; i++) t.is((await api('query', few)).code, 200);
  const { code, body } = await api('query', {
    query: 'count(max_over_time(m{series=~"1.?|2[0-4]"}[5m]))',
    time: String(start),
  });
  t.is(code, 503);
  t.regex(body.error, /promql\.samplesOfAll/);
  const { text } = await service.request({ method: 'GET', path: '/metrics', auth: false });
  t.is(Number(/^adapter_promql_samples (\d+)$/m.exec(text)?.[1]), 0);
});

test.serial('a query ends at its time, and the service answers others meanwhile', async (t) => {
  const [late, ping] = await Promise.all([
    api('query_range', { ...slow, timeout: '1s' }),
    service.request({ method: 'GET', path: '/-/ping', auth: false }),
  ]);
  t.is(ping.status, 200);
  t.is(late.code, 503);
  t.is(late.body.errorType, 'timeout');
  t.is(await running(), 0);
});

test.serial('a query is listed while it runs, killed by its number, and counts against the slots', async (t) => {
  const ending = { ...slow, timeout: '3s' };
  const pending = [api('query_range', ending), api('query_range', ending)];
  t.true(await until(async () => (await running()) === 2));
  const third = await api('query', { query: 'vector(1)' });
  t.is(third.code, 503);
  t.is(third.body.errorType, 'unavailable');
  const { text } = await service.request({ method: 'GET', path: '/api/v1/statements' });
  const { records }: { records: readonly { sql: string; state: string; database: string }[] } = JSON.parse(text);
  t.is(records.filter(({ sql, state }) => sql === slow.query && state === 'running').length, 2);
  t.is(records[0]?.database, 'd');
  for (const each of await Promise.all(pending)) t.is(each.code, 503);
});

test.serial('a query ends when its client leaves', async (t) => {
  const path = `/prometheus/d/api/v1/query_range?${new URLSearchParams(slow)}`;
  const request = http.get({ port: service.port, path, headers: { authorization: basic } });
  request.on('error', () => undefined);
  t.true(await until(async () => (await running()) === 1));
  request.destroy();
  t.true(await until(async () => (await running()) === 0));
});

test.serial('KILL QUERY ends an expression of the user', async (t) => {
  const pending = api('query_range', slow);
  t.true(await until(async () => (await running()) === 1));
  const rows = await service.rows('SHOW QUERIES');
  const row = rows.find((cells) => cells.includes(slow.query));
  await service.run(`KILL QUERY '${row?.[0]}'`);
  const { code, body } = await pending;
  t.is(code, 503);
  t.is(body.errorType, 'canceled');
  t.is((await api('query', { query: 'vector(1)' }, basicOf('root', 'wrong'))).code, 401);
});
