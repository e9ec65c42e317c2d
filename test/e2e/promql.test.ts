import test from 'ava';
import { partsOn } from '../support/engine/engine-parts.js';
import { encode, labelsOf, packed, type TestSeries, writeBody } from '../support/messages/remote-messages.js';
import { basicOf, engineSecret } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

const start = 1_700_000_000;
const database = 'promql';

interface ApiReply {
  readonly http: number;
  readonly status: string;
  readonly data: unknown;
  readonly errorType?: string;
  readonly error?: string;
  readonly warnings?: readonly string[];
}

/** Sends parameters to an endpoint: as a form where there is a `method` POST. */
async function api(
  path: string,
  parameters: readonly (readonly [string, string])[] = [],
  more: { readonly method?: 'GET' | 'POST'; readonly auth?: string; readonly db?: string } = {},
): Promise<ApiReply> {
  const { method = 'GET', auth, db = database } = more;
  const text = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, value])).toString();
  const base = `/prometheus/${db}/api/v1/${path}`;
  const credentials = auth === undefined ? {} : { auth };
  const reply = await service.request(
    method === 'GET'
      ? { method, path: `${base}?${text}`, ...credentials }
      : {
          method,
          path: base,
          body: text,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          ...credentials,
        },
  );
  return { http: reply.status, ...JSON.parse(reply.text) };
}

interface Vector {
  readonly resultType: string;
  readonly result: readonly { readonly metric: Readonly<Record<string, string>>; readonly value: [number, string] }[];
}

/** The samples of an instant query as pairs of labels and value. */
async function vector(query: string, time = start + 10, more: Parameters<typeof api>[2] = {}) {
  const { data, error } = await api(
    'query',
    [
      ['query', query],
      ['time', String(time)],
    ],
    more,
  );
  if (error !== undefined) throw new Error(error);
  return (data as Vector).result.map(({ metric, value }) => [metric, value[1]] as const);
}

async function send(series: readonly TestSeries[], db = database): Promise<void> {
  await sendBody(writeBody(series), db);
}

async function sendBody(body: Uint8Array, db = database): Promise<void> {
  const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  const { status, text } = await service.request({ path: `/metricsdb/v1/remote_write/${db}`, headers, body });
  if (status >= 300) throw new Error(text);
}

const lines = (text: string): Promise<unknown> => service.write(text, { db: database });
const at = (seconds: number): number => (start + seconds) * 1000;

test.before(async () => {
  await service.run(`CREATE DATABASE ${database}`);
  await send([
    { labels: labelsOf({ __name__: 'up', job: 'n' }), samples: [{ value: 1, timestamp: at(0) }] },
    { labels: labelsOf({ __name__: 'up', job: 'm' }), samples: [{ value: 0, timestamp: at(0) }] },
  ]);
  await lines(
    [
      `room.climate,site=north celsius=21.5,people=3i,note="warm" ${start}000000000`,
      `room.climate,site=south celsius=19 ${start}000000000`,
      `door,site=north value=7 ${start}000000000`,
    ].join('\n'),
  );
  await service.request({
    path: `/api/v1/import/prometheus?db=${database}`,
    body: [
      '# TYPE oven gauge',
      `oven{at="1"} 180.5 ${at(0)}`,
      '# TYPE loaves counter',
      `loaves_total{at="1"} 42 ${at(0)}`,
      '# TYPE baking summary',
      `baking{quantile="0.5"} 1200 ${at(0)}`,
      `baking_sum 2500 ${at(0)}`,
      `baking_count 2 ${at(0)}`,
      '# TYPE size histogram',
      `size_bucket{le="0.5"} 1 ${at(0)}`,
      `size_bucket{le="+Inf"} 3 ${at(0)}`,
      `size_sum 9 ${at(0)}`,
      `size_count 3 ${at(0)}`,
      '',
    ].join('\n'),
  });
  await service.run('CREATE TABLE plain (ts TIMESTAMP, a INT, b DOUBLE, t NCHAR(9))', { database });
  await service.run(`INSERT INTO plain VALUES (${at(0)}, 1, 2.5, 'x')`, { database });
  await service.run('CREATE STABLE meters (ts TIMESTAMP, amps FLOAT) TAGS (place NCHAR(9), grp INT)', { database });
  await service.run(
    `INSERT INTO d1 USING meters TAGS ('hall', 1) VALUES (${at(0)}, 1) d2 USING meters TAGS ('hall', 1) VALUES (${at(0)}, 2)
      d3 USING meters TAGS (NULL, 2) VALUES (${at(0)}, 3)`,
    { database },
  );
});

test('every column of numbers is a metric, by the names of its table or by its own', async (t) => {
  const cases: readonly [string, readonly (readonly [Record<string, string>, string])[]][] = [
    ['up{job="n"}', [[{ __name__: 'up', job: 'n' }, '1']]],
    ['room_climate_people', [[{ __name__: 'room_climate_people', site: 'north' }, '3']]],
    ['door', [[{ __name__: 'door', site: 'north' }, '7']]],
    ['oven', [[{ __name__: 'oven', at: '1' }, '180.5']]],
    ['loaves_total', [[{ __name__: 'loaves_total', at: '1' }, '42']]],
    ['baking', [[{ __name__: 'baking', quantile: '0.5' }, '1200']]],
    ['baking_sum', [[{ __name__: 'baking_sum' }, '2500']]],
    ['size_bucket{le="0.5"}', [[{ __name__: 'size_bucket', le: '0.5' }, '1']]],
    ['size_bucket{le="+Inf"}', [[{ __name__: 'size_bucket', le: '+Inf' }, '3']]],
    ['size_count', [[{ __name__: 'size_count' }, '3']]],
    ['plain_a', [[{ __name__: 'plain_a', tbname: 'plain' }, '1']]],
    ['plain_b', [[{ __name__: 'plain_b', tbname: 'plain' }, '2.5']]],
    ['meters_amps{grp="2"}', [[{ __name__: 'meters_amps', grp: '2' }, '3']]],
    ['plain_t', []],
    ['nothing', []],
  ];
  for (const [query, expected] of cases) t.deepEqual(await vector(query), expected, query);
});

test('sub-tables with the same tags are told apart by their names', async (t) => {
  const named = (tbname: string) => ({ __name__: 'meters_amps', place: 'hall', grp: '1', tbname });
  const samples = await vector('meters_amps{place="hall"}');
  t.deepEqual(Object.fromEntries(samples.map(([{ tbname = '' }, value]) => [tbname, value])), { d1: '1', d2: '2' });
  t.deepEqual(samples.map(([metric]) => metric.tbname).sort(), ['d1', 'd2']);
  t.deepEqual(samples.find(([{ tbname }]) => tbname === 'd1')?.[0], named('d1'));
  t.deepEqual(
    (await vector('meters_amps{tbname="d2"}')).map(([, value]) => value),
    ['2'],
  );
});

test('matchers see absent labels as empty, whatever a label is stored as', async (t) => {
  const sites = async (query: string) => (await vector(query)).map(([{ site }]) => site).sort();
  t.deepEqual(await sites('room_climate_celsius{site="north"}'), ['north']);
  t.deepEqual(await sites('room_climate_celsius{site!="north"}'), ['south']);
  t.deepEqual(await sites('room_climate_celsius{site=~"n.*|x"}'), ['north']);
  t.deepEqual(await sites('room_climate_celsius{site!~"n.*", nobody=""}'), ['south']);
  t.deepEqual(await sites('room_climate_celsius{nobody!=""}'), []);
  t.deepEqual(
    (await vector('meters_amps{place=""}')).map(([, value]) => value),
    ['3'],
  );
  t.deepEqual(
    (await vector('{__name__=~"room.*e",site="north"}')).map(([{ __name__ }]) => __name__),
    ['room_climate_people'],
  );
  const { http, errorType, error } = await api('query', [['query', 'up{job=~"("}']]);
  t.is(http, 400);
  t.is(errorType, 'bad_data');
  t.regex(error ?? '', /missing|not a regular expression/);
});

test('NaN, infinities and the end of a series are stored as what they are, also once parts are merged', async (t) => {
  const values = [1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 2];
  // A stale marker cannot be written as a number of JavaScript.
  const marked = Buffer.from(encodedWith(values, 4, Buffer.from('020000000000f07f', 'hex')));
  for (const body of [packed(marked), packed(marked)]) await sendBody(body);
  const storedValues = async () => {
    const read: (string | undefined)[] = [];
    for (let i = 0; i < values.length; i++) read.push((await vector('odd', start + i * 1000))[0]?.[1]);
    return read;
  };
  const expected = ['1.5', 'NaN', '+Inf', '-Inf', undefined, '2'];
  t.deepEqual(await storedValues(), expected);
  t.deepEqual(
    (await service.rows(`SELECT v FROM metrics WHERE labels->'__name__' = 'odd' ORDER BY ts`, { database })).flat(),
    [1.5, null, null, null, null, 2],
  );
  const { engine, catalogue, end: close } = await partsOn(service.engineUrl, engineSecret);
  t.teardown(close);
  await engine.exec(`OPTIMIZE TABLE ${catalogue.table(database, 'metrics')?.storage} FINAL`);
  t.deepEqual(await storedValues(), expected);
});

/** A message of one series `odd` in which the sample at an index has other bytes as its value. */
function encodedWith(values: readonly number[], index: number, value: Uint8Array): Uint8Array {
  const mark = 1.234567890123e77;
  const samples = values.map((each, i) => ({ value: i === index ? mark : each, timestamp: at(i * 1000) }));
  const bytes = Buffer.from(
    encode('WriteRequest', { timeseries: [{ labels: labelsOf({ __name__: 'odd' }), samples }] }),
  );
  const place = Buffer.alloc(8);
  place.writeDoubleLE(mark);
  bytes.set(value, bytes.indexOf(place));
  return bytes;
}

test('series, labels and their values are listed by selectors and time', async (t) => {
  const range = [
    ['start', String(start - 60)],
    ['end', String(start + 60)],
  ] as const;
  const { data: series } = await api('series', [['match[]', 'up'], ['match[]', 'door{site="north"}'], ...range]);
  t.deepEqual(series, [
    { __name__: 'door', site: 'north' },
    { __name__: 'up', job: 'm' },
    { __name__: 'up', job: 'n' },
  ]);
  const form = await api('series', [['match[]', 'up']], { method: 'POST' });
  t.deepEqual(form.data, [
    { __name__: 'up', job: 'm' },
    { __name__: 'up', job: 'n' },
  ]);
  const names = (await api('labels', [['match[]', 'meters_amps']])).data;
  t.deepEqual(names, ['__name__', 'grp', 'place']);
  t.deepEqual((await api('label/site/values', range)).data, ['north', 'south']);
  t.deepEqual((await api('label/job/values', [['match[]', 'up{job!="m"}'], ...range])).data, ['n']);
  t.deepEqual(
    await api('label/U__job/values', [
      ['match[]', 'up'],
      ['limit', '1'],
    ]),
    {
      http: 200,
      status: 'success',
      data: ['m'],
      warnings: ['results truncated due to limit'],
    },
  );
  const { data: metrics } = await api('label/__name__/values', range);
  for (const name of ['up', 'room_climate_celsius', 'door', 'oven', 'size_bucket', 'plain_a', 'meters_amps'])
    t.true((metrics as string[]).includes(name), name);
  const later = [
    ['start', String(start + 9000)],
    ['end', String(start + 9060)],
  ] as const;
  t.deepEqual((await api('series', [['match[]', 'up'], ...later])).data, []);
  t.is((await api('series')).http, 400);
});

test('a user reads the tables, and the sub-tables, that grants name', async (t) => {
  await service.run("CREATE USER reader PASS 'Reader-12345'");
  const auth = basicOf('reader', 'Reader-12345');
  t.is((await api('query', [['query', 'door']], { auth })).http, 403);
  t.is((await api('query', [['query', 'door']], { auth: basicOf('reader', 'wrong') })).http, 401);
  await service.run(`GRANT READ ON ${database}.door TO reader`);
  await service.run(`GRANT READ ON ${database}.room_climate WITH site = 'south' TO reader`);
  t.deepEqual(await vector('door', start, { auth }), [[{ __name__: 'door', site: 'north' }, '7']]);
  t.deepEqual(await vector('room_climate_celsius', start, { auth }), [
    [{ __name__: 'room_climate_celsius', site: 'south' }, '19'],
  ]);
  t.deepEqual((await vector('{site!=""}', start, { auth })).map(([, value]) => value).sort(), ['19', '7']);
  t.deepEqual(await vector('up', start, { auth }), []);
  t.deepEqual((await api('label/__name__/values', [], { auth })).data, [
    'door',
    'room_climate_celsius',
    'room_climate_people',
  ]);
});

test('errors have the form of Prometheus', async (t) => {
  t.deepEqual(await api('query', [['query', 'up{']]), {
    http: 400,
    status: 'error',
    errorType: 'bad_data',
    error: 'invalid parameter "query": 1:4: parse error: unexpected end of input inside braces',
  });
  t.deepEqual(
    await api('query', [
      ['query', 'up'],
      ['time', 'soon'],
    ]),
    {
      http: 400,
      status: 'error',
      errorType: 'bad_data',
      error: 'invalid parameter "time": cannot parse "soon" to a valid timestamp',
    },
  );
  const { http, errorType } = await api('query', [['query', 'up']], { db: 'nowhere' });
  t.is(http, 404);
  t.is(errorType, 'not_found');
});

test('a database without a name in the path is that of the setting', async (t) => {
  await send(
    [{ labels: labelsOf({ __name__: 'default_up' }), samples: [{ value: 1, timestamp: at(0) }] }],
    'metricsdb',
  );
  const { text } = await service.request({
    method: 'GET',
    path: `/prometheus/api/v1/query?query=default_up&time=${start}`,
  });
  t.deepEqual(JSON.parse(text).data.result, [{ metric: { __name__: 'default_up' }, value: [start, '1'] }]);
});

test('federate gives the newest samples as text', async (t) => {
  const now = Date.now();
  await send([{ labels: labelsOf({ __name__: 'fresh', job: 'a"b' }), samples: [{ value: 1, timestamp: now }] }]);
  const { text, headers } = await service.request({
    method: 'GET',
    path: `/prometheus/${database}/federate?match[]=fresh`,
  });
  t.is(text, `# TYPE fresh untyped\nfresh{job="a\\"b"} 1 ${now}\n`);
  t.regex(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
});

test('metadata, exemplars and the version are answered', async (t) => {
  const exemplars = [{ labels: labelsOf({ trace_id: 'abc' }), value: 0.5, timestamp: at(1) }];
  const metadata = [{ type: 1, metric_family_name: 'traced_total', help: 'Traced.', unit: '' }];
  const traced = {
    labels: labelsOf({ __name__: 'traced_total' }),
    samples: [{ value: 1, timestamp: at(0) }],
    exemplars,
  };
  await sendBody(writeBody([traced], metadata));
  t.deepEqual((await api('metadata', [['metric', 'traced_total']])).data, {
    traced_total: [{ type: 'counter', help: 'Traced.', unit: '' }],
  });
  const limited = (limit: string) =>
    [
      ['metric', 'traced_total'],
      ['limit_per_metric', limit],
    ] as const;
  t.deepEqual(Object.keys(Object((await api('metadata', limited('1'))).data)), ['traced_total']);
  t.is((await api('metadata', limited('x'))).errorType, 'bad_data');
  t.deepEqual((await api('metadata', [['metric', 'oven']])).data, { oven: [{ type: 'gauge', help: '', unit: '' }] });
  const range = [
    ['start', String(start)],
    ['end', String(start + 60)],
  ] as const;
  t.deepEqual((await api('query_exemplars', [['query', 'rate(traced_total[5m])'], ...range])).data, [
    {
      seriesLabels: { __name__: 'traced_total' },
      exemplars: [{ labels: { trace_id: 'abc' }, value: '0.5', timestamp: start + 1 }],
    },
  ]);
  t.regex(JSON.stringify((await api('status/buildinfo')).data), /"version":"3\./);
});

test('native histograms are samples, also beside numbers of the same series', async (t) => {
  const histogram = (count: number, sum: number, seconds: number) => ({
    count_int: String(count),
    sum,
    schema: 0,
    zero_threshold: 0.001,
    zero_count_int: '1',
    positive_spans: [
      { offset: 0, length: 2 },
      { offset: 1, length: 1 },
    ],
    positive_deltas: ['1', '0', String(count - 4)],
    timestamp: at(seconds),
  });
  const labels = labelsOf({ __name__: 'latency', job: 'n' });
  await send([
    { labels, samples: [{ value: 7, timestamp: at(0) }], histograms: [histogram(6, 20, 60), histogram(9, 30, 120)] },
  ]);
  const { data } = await api('query', [
    ['query', 'latency'],
    ['time', String(start + 60)],
  ]);
  t.deepEqual(data, {
    resultType: 'vector',
    result: [
      {
        metric: { __name__: 'latency', job: 'n' },
        histogram: [
          start + 60,
          {
            count: '6',
            sum: '20',
            buckets: [
              [3, '-0.001', '0.001', '1'],
              [0, '0.5', '1', '1'],
              [0, '1', '2', '1'],
              [0, '4', '8', '3'],
            ],
          },
        ],
      },
    ],
  });
  t.deepEqual(await vector('latency', start), [[{ __name__: 'latency', job: 'n' }, '7']]);
  t.deepEqual(await vector('histogram_count(increase(latency[2m]))', start + 120), [[{ job: 'n' }, '6']]);
  t.deepEqual(await vector('histogram_quantile(1, latency)', start + 120), [[{ job: 'n' }, '8']]);
});
