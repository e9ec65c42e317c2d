import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

const start = 1_700_000_000;
const database = 'answers';

async function get(path: string, headers: Readonly<Record<string, string>> = {}, auth?: string | false) {
  const request = { method: 'GET', path: `/prometheus/${database}/api/v1/${path}`, headers };
  return service.request(auth === undefined ? request : { ...request, auth });
}

function at(query: string, more: Readonly<Record<string, string>> = {}): string {
  return `query?${new URLSearchParams({ query, time: String(start + 60), ...more })}`;
}

test.before(async () => {
  await service.run(`CREATE DATABASE ${database}`);
  const lines = ['a', 'b', 'c'].map((host, i) => `load,host=${host} value=${i + 0.5} ${start}`);
  const { status, text } = await service.write(lines.join('\n'), { db: database, precision: 's' });
  if (status !== 204) throw new Error(text);
});

test('an answer is gzipped for clients that ask for it', async (t) => {
  const { headers, bytes } = await get(at('sum(load)'), { 'accept-encoding': 'gzip' });
  t.is(headers['content-encoding'], 'gzip');
  t.regex(String(headers['content-type']), /^application\/json/);
  t.deepEqual(JSON.parse(gunzipSync(bytes).toString()).data.result, [{ metric: {}, value: [start + 60, '4.5'] }]);
});

test('a token is as good as a password, and without either the answer is 401 in the form of Prometheus', async (t) => {
  const [[token] = []] = await service.rows(`CREATE TOKEN grafana FROM USER root`);
  const { status } = await get(at('load'), {}, `Bearer ${token}`);
  t.is(status, 200);
  const refused = await get(at('load'), {}, false);
  t.is(refused.status, 401);
  t.like(JSON.parse(refused.text), { status: 'error', errorType: 'unauthorized' });
});

test('pages of other origins may read where the settings allow it', async (t) => {
  const { headers } = await get(at('load'), { origin: 'https://grafana.example' });
  t.truthy(headers['access-control-allow-origin']);
});

test('numbers are printed as Prometheus prints them', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['0', '0'],
    ['-0', '-0'],
    ['1e20', '100000000000000000000'],
    ['1e21', '1e+21'],
    ['123456789.125', '123456789.125'],
    ['0.000001', '0.000001'],
    ['0.0000001', '1e-07'],
    ['2.5e-10', '2.5e-10'],
    ['1/0', '+Inf'],
    ['-1/0', '-Inf'],
    ['0/0', 'NaN'],
  ];
  for (const [query, expected] of cases) {
    const { text } = await get(at(query));
    t.deepEqual(JSON.parse(text).data, { resultType: 'scalar', result: [start + 60, expected] }, query);
  }
  const { text } = await get(at('time()', { time: '1.05' }));
  t.true(text.includes('"result":[1.050,"1.05"]'), text);
  t.deepEqual(JSON.parse((await get(at('"a\\"b"'))).text).data, { resultType: 'string', result: [start + 60, 'a"b'] });
});

test('limits, lookback, statistics and annotations are answered', async (t) => {
  const body = async (path: string) => JSON.parse((await get(path)).text);
  const cut = await body(at('load', { limit: '2' }));
  t.is(cut.data.result.length, 2);
  t.deepEqual(cut.warnings, ['results truncated due to limit']);
  t.is((await body(at('load', { lookback_delta: '30s' }))).data.result.length, 0);
  t.is((await body(at('load', { lookback_delta: '61' }))).data.result.length, 3);
  t.true((await body(at('load', { stats: 'all' }))).data.stats.samples.totalQueryableSamples >= 3);
  t.is((await body(at('load'))).data.stats, undefined);
  t.regex((await body(at('rate(load[5m])'))).infos?.[0] ?? 'metric might not be a counter', /might not be a counter/);
  t.regex((await body(at('quantile(2, load)'))).warnings[0], /quantile value should be between 0 and 1/);
});

test('parameters that cannot be read are refused with their name', async (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['query?query=load&time=x', /invalid parameter "time": cannot parse "x" to a valid timestamp/],
    ['query?query=load&timeout=x', /invalid parameter "timeout": cannot parse "x" to a valid duration/],
    ['query?query=load&limit=-1', /invalid parameter "limit": limit must be non-negative/],
    ['query?query=', /invalid parameter "query": .*parse error/],
    ['query_range?query=load&end=1&step=1', /invalid parameter "start"/],
    ['query_range?query=load&start=2&end=1&step=1', /invalid parameter "end": end timestamp must not be before start/],
    ['query_range?query=load&start=1&end=2&step=0', /invalid parameter "step": zero or negative/],
    ['query_range?query=load&start=1&end=2', /invalid parameter "step": cannot parse "" to a valid duration/],
    ['query_range?query=load[5m]&start=1&end=2&step=1', /invalid expression type "range vector" for range query/],
    ['series?match[]=load{', /invalid parameter "match\[\]": .*parse error/],
    ['labels?start=9&end=1', /invalid parameter "end"/],
  ];
  for (const [path, error] of cases) {
    const { status, text } = await get(path);
    t.is(status, 400, `${path} ${text}`);
    t.like(JSON.parse(text), { status: 'error', errorType: 'bad_data' });
    t.regex(JSON.parse(text).error, error, path);
  }
});

test('what Grafana asks for at its set-up and in its builder is answered', async (t) => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const post = async (path: string, body: string) => {
    const reply = await service.request({ path: `/prometheus/${database}/api/v1/${path}`, headers: form, body });
    t.is(reply.status, 200, `${path} ${reply.text}`);
    return JSON.parse(reply.text).data;
  };
  t.deepEqual((await post('query', `query=1%2B1&time=${start}`)).result, [start, '2']);
  t.deepEqual(await post('labels', `start=${start}&end=${start + 60}&match%5B%5D=load`), ['__name__', 'host']);
  const selector = encodeURIComponent('{__name__="load"}');
  t.is((await post('series', `match%5B%5D=${selector}&start=${start}&end=${start + 60}`)).length, 3);
  const range = `start=${start}&end=${start + 120}&step=60`;
  const { result } = await post('query_range', `query=load%7Bhost%3D%22a%22%7D&${range}`);
  t.deepEqual(result[0].values, [
    [start, '0.5'],
    [start + 60, '0.5'],
    [start + 120, '0.5'],
  ]);
  for (const path of [
    'status/buildinfo',
    `label/host/values?start=${start}&end=${start + 60}&match[]=load`,
    'label/__name__/values',
    'metadata?limit=100',
    `query_exemplars?query=load&start=${start}&end=${start + 60}`,
    'rules',
    'alerts',
  ]) {
    t.is((await get(path)).status, 200, path);
  }
});
