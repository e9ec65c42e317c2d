import { gzipSync } from 'node:zlib';
import test from 'ava';
import { familiesOf } from '../support/messages/exposition-messages.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

/** More rows than are read at once, of as many series as make no row replace another one. */
const count = 9_000;
const lines = (line: (at: number) => string): string => Array.from({ length: count }, (_, at) => line(at)).join('\n');

const gzip = { 'content-encoding': 'gzip' };
const openMetrics = { 'content-type': 'application/openmetrics-text; version=1.0.0' };
const protobuf = {
  'content-type': 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
};
const samples = (end = ''): string => `${lines((at) => `m{i="${at}"} ${at}`)}\n${end}`;
const metric = Array.from({ length: count }, (_, at) => ({
  label: [{ name: 'i', value: `${at}` }],
  gauge: { value: at },
}));

const bodies: Readonly<Record<string, readonly [path: string, body: string | Uint8Array, headers?: object]>> = {
  'a push': ['/metrics/job/j?db=', samples()],
  'a push of OpenMetrics in gzip': ['/metrics/job/j?db=', gzipSync(samples('# EOF\n')), { ...openMetrics, ...gzip }],
  'a push of protobuf': ['/metrics/job/j?db=', familiesOf({ name: 'm', metric }), protobuf],
  'an import': ['/api/v1/import/prometheus?db=', samples()],
  'line protocol': ['/lineproto/v1/write?db=', lines((at) => `m,i=${at} v=${at}`)],
  'line protocol in gzip': ['/lineproto/v1/write?db=', gzipSync(lines((at) => `m,i=${at} v=${at}`)), gzip],
  'OpenTSDB lines': ['/tsdbwire/v1/put/telnet/', lines((at) => `put m 0 ${at} i=${at}`)],
  'OpenTSDB JSON': [
    '/tsdbwire/v1/put/json/',
    JSON.stringify(
      Array.from({ length: count }, (_, at) => ({ metric: 'm', timestamp: 0, value: at, tags: { i: `${at}` } })),
    ),
  ],
};

let databases = 0;

for (const [name, [path, body, headers = {}]] of Object.entries(bodies)) {
  test(`all rows without a time of one body have one time: ${name}`, async (t) => {
    const db = `one_time_${databases++}`;
    await service.run(`CREATE DATABASE ${db} PRECISION 'ns'`);
    const reply = await service.request({ path: path + db, body, headers: { ...headers } });
    t.true(reply.status === 200 || reply.status === 204, reply.text);
    t.deepEqual(await service.rows(`SELECT COUNT(*), COUNT(DISTINCT _rowts) FROM ${db}.m`), [[count, 1]]);
  });
}

test('a long histogram is one row per series, however its samples are ordered', async (t) => {
  await service.run("CREATE DATABASE long_histogram PRECISION 'ns'");
  const kinds = ['_bucket{le="1",', '_bucket{le="+Inf",', '_sum{', '_count{'];
  const all = kinds.flatMap((kind) => Array.from({ length: 2_500 }, (_, at) => `h${kind}i="${at}"} 1\n`));
  const body = `# TYPE h histogram\n${all.join('')}`;
  t.is((await service.request({ path: '/metrics/job/j?db=long_histogram', body })).status, 200);
  const statement = 'SELECT COUNT(*), COUNT(`1`), COUNT(`+Inf`), COUNT(`sum`), COUNT(`count`) FROM long_histogram.h';
  t.deepEqual(await service.rows(statement), [[2_500, 2_500, 2_500, 2_500, 2_500]]);
});
