import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { moreCases, whenBrief, whenLong } from '../support/cases.js';
import {
  encode,
  labelsOf,
  packed,
  recordings,
  type TestSeries,
  writeBody,
  writeBody2,
} from '../support/messages/remote-messages.js';
import type { Reply, RequestParts } from '../support/service/service.js';
import { basicOf } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, neighbour, end } = await sharedService();
test.after.always(end);
const brief = whenBrief(test);

function send(
  database: string,
  body: RequestParts['body'],
  more: Omit<Partial<RequestParts>, 'path'> & { query?: string } = {},
): Promise<Reply> {
  const { query = '', ...rest } = more;
  return service.request({ path: `/metricsdb/v1/remote_write/${database}${query}`, body: body ?? '', ...rest });
}

/** Everything in a database: labels as text, Unix nanoseconds, and the value. */
async function stored(database: string): Promise<(readonly [string, string, number | null])[]> {
  const { body } = await service.sql(`SELECT labels, CAST(ts AS BIGINT), v FROM ${database}.metrics`);
  return body.data
    .map(
      ([labels, time, value]) => [JSON.stringify(labels), String(time), value === null ? null : Number(value)] as const,
    )
    .sort();
}

const sample = { samples: [{ value: 1.5, timestamp: 1_700_000_000_123 }] };
let databases = 0;
const fresh = (): string => `w${databases++}`;

for (const { name, body, headers, timeseries } of recordings('WriteRequest')) {
  brief(`${name}: every sample that its client sent is read back`, async (t) => {
    const database = fresh();
    const { Authorization: _, ...others } = headers;
    const reply = await send(database, body, { headers: others });
    t.deepEqual([reply.status, reply.text], [204, '']);
    const expected = timeseries.flatMap(({ labels, samples }) =>
      samples.map(({ value, timestamp }) => {
        const members = labels.map((label): [string, string] => [label.name, label.value]);
        const sorted = members.sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])));
        const json = JSON.stringify(Object.fromEntries(sorted));
        return [json, `${timestamp}000000`, typeof value === 'number' ? value : null] as const;
      }),
    );
    if (expected.length > 0) t.deepEqual(await stored(database), expected.sort());
    else t.deepEqual(await service.rows(`SHOW ${database}.STABLES`), [['metric_metadata']]);
  });
}

brief('the table, its columns and the names of its sub-tables are what clients of the database expect', async (t) => {
  const body = Buffer.from(
    '2eb40a2c0a0e0a085f5f6e616d655f5f120275700a080a036a6f6212016e121009000000000000f83f10fbd095ffbc31',
    'hex',
  );
  const database = fresh();
  t.is((await send(database, body)).status, 204);
  const described = await service.rows(`DESCRIBE ${database}.metrics`);
  t.deepEqual(
    described.map(([name, type, , note]) => [name, type, note]),
    [
      ['ts', 'TIMESTAMP', ''],
      ['v', 'DOUBLE', ''],
      ['labels', 'JSON', 'TAG'],
    ],
  );
  t.deepEqual(
    await service.rows(`SELECT tbname, ts, v, labels->'job' FROM ${database}.metrics WHERE labels->'job' = 'n'`),
    [['t_e0cd0714bd97e68c4f32ea38f4e49b33', '2023-11-14T22:13:20.123000000Z', 1.5, 'n']],
  );
  t.deepEqual(await service.rows(`SELECT v FROM ${database}.t_e0cd0714bd97e68c4f32ea38f4e49b33`), [[1.5]]);
});

brief('a sample that is sent again overwrites, also with NULL, and out of order is fine', async (t) => {
  const database = fresh();
  const at = (...samples: [number, number][]): TestSeries => ({
    labels: labelsOf({ __name__: 'x' }),
    samples: samples.map(([timestamp, value]) => ({ timestamp, value })),
  });
  const times = [1_700_000_000_000, 1_700_000_001_000, 1_700_000_002_000] as const;
  t.is((await send(database, writeBody([at([times[2], 3], [times[0], 1], [times[2], 4])]))).status, 204);
  t.is((await send(database, writeBody([at([times[1], 2], [times[0], Number.NaN])]))).status, 204);
  t.deepEqual(await service.rows(`SELECT v FROM ${database}.metrics ORDER BY ts`), [[null], [2], [4]]);
});

brief('samples go into a table that was made by a statement, and database names keep their case', async (t) => {
  await service.run("CREATE DATABASE `MyDb` PRECISION 'ms'");
  await service.run('CREATE STABLE `MyDb`.metrics (ts TIMESTAMP, v DOUBLE, note VARCHAR(8)) TAGS (labels JSON)');
  t.is((await send('MyDb', writeBody([{ labels: labelsOf({ a: 'b' }), ...sample }]))).status, 204);
  t.deepEqual(await service.rows('SELECT * FROM `MyDb`.metrics'), [
    ['2023-11-14T22:13:20.123Z', 1.5, null, { a: 'b' }],
  ]);
});

brief('bad series are 400 and named, the others are stored', async (t) => {
  const database = fresh();
  const bad = [
    { name: 'a', value: 'x' },
    { name: 'a', value: 'y' },
  ];
  const body = writeBody([
    { labels: labelsOf({ __name__: 'good' }), ...sample },
    { labels: bad, ...sample },
  ]);
  const reply = await send(database, body, { headers: { 'x-prometheus-remote-write-version': '2.0.0' } });
  t.deepEqual(
    [
      reply.status,
      reply.headers['content-type'],
      reply.headers['x-prometheus-remote-write-samples-written'],
      reply.text,
    ],
    [400, 'text/plain; charset=utf-8', '1', 'series 2: [0x3002] label "a" occurs twice (1 rejected, 1 written)'],
  );
  t.is((await stored(database)).length, 1);
  const old = writeBody([{ labels: labelsOf({ __name__: 'old' }), samples: [{ value: 1, timestamp: 1000 }] }]);
  t.regex((await send(database, old)).text, /^series 1: \[0x60b\] timestamp 1000 is older than the database keeps/);
});

brief('what is wrong with the request is 4xx with a reason in plain text', async (t) => {
  const database = fresh();
  const good = writeBody([{ labels: labelsOf({ a: 'b' }), ...sample }]);
  const cases: [Promise<Reply>, number, RegExp][] = [
    [send(database, good, { auth: false }), 401, /^no auth info input$/],
    [send(database, good, { auth: basicOf('root', 'wrong') }), 401, /Authentication failure/],
    [send(database, writeBody([]), { auth: basicOf('root', 'wrong') }), 401, /Authentication/],
    [send(database, good, { auth: 'Basic !' }), 401, /^invalid basic Authorization$/],
    [send(database, good, { query: '?ttl=x' }), 400, /^illegal param, ttl must be numeric$/],
    [send(database, good, { query: '?req_id=x' }), 400, /^illegal param, req_id must be numeric$/],
    [send(database, ''), 400, /not valid snappy data/],
    [send(database, 'up 1'), 400, /not valid snappy data/],
    [send(database, packed(Buffer.from('up 1'))), 400, /not a valid protobuf message/],
    [send(database, good, { headers: { 'content-encoding': 'gzip' } }), 400, /gzip/],
    [send(database, good, { headers: { 'content-encoding': 'gzip, br' } }), 415, /unsupported Content-Encoding/],
    [send(database, packed(Buffer.alloc(5_000_000))), 400, /the limit is 4194304 \(limits.messageBytes\)/],
    [send(database, Buffer.alloc(5_000_000)), 400, /longer than 4194304 bytes \(limits.messageBytes\)/],
    [send(database, [Buffer.alloc(3_000_000), Buffer.alloc(3_000_000)]), 400, /longer than 4194304 bytes/],
  ];
  for (const [asked, status, text] of cases) {
    const reply = await asked;
    t.is(reply.status, status, reply.text);
    t.regex(reply.text, text);
    t.is(reply.headers['content-type'], 'text/plain; charset=utf-8');
  }
  t.deepEqual(await service.rows(`SHOW ${database}.STABLES`), []);
  t.is((await send('', good)).status, 404);
  t.is((await service.request({ method: 'GET', path: `/metricsdb/v1/remote_write/${database}` })).status, 404);
});

brief('a missing database is 404, unless writes make databases', async (t) => {
  const strict = await neighbour();
  const body = writeBody([{ labels: labelsOf({ a: 'b' }), ...sample }]);
  const reply = await strict.request({ path: '/metricsdb/v1/remote_write/nowhere', body });
  t.deepEqual(
    [reply.status, reply.text],
    [404, '[0x388] Database not exist: nowhere; CREATE DATABASE `nowhere` makes it'],
  );
});

brief('the routes do not exist when they are switched off', async (t) => {
  const off = await service.attach('--metricsdb.enable=false');
  t.teardown(() => off.stop());
  t.is((await off.request({ path: '/metricsdb/v1/remote_write/x', body: writeBody([]) })).status, 404);
});

brief('bodies come in any way: gzipped as well, in pieces, large, in version 2', async (t) => {
  const database = fresh();
  const series = Array.from({ length: 5_000 }, (_, i) => ({
    labels: labelsOf({ __name__: 'x', i: `${i}` }),
    ...sample,
  }));
  const body = writeBody(series.slice(0, 100));
  t.is((await send(database, gzipSync(body), { headers: { 'content-encoding': 'snappy, gzip' } })).status, 415);
  t.is((await send(database, gzipSync(body), { headers: { 'content-encoding': 'gzip' } })).status, 204);
  const body2 = writeBody2(series.slice(100, 200));
  const headers = {
    'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
    'content-encoding': 'snappy',
    'x-prometheus-remote-write-version': '2.0.0',
  };
  const reply2 = await send(database, [body2.subarray(0, 10), body2.subarray(10)], { headers });
  t.deepEqual([reply2.status, reply2.headers['x-prometheus-remote-write-samples-written']], [204, '100']);
  const large = encode('WriteRequest', { timeseries: series });
  const stuffed = Buffer.concat([large, encode('WriteRequest', { metadata: [{ help: 'x'.repeat(2_000_000) }] })]);
  t.is((await send(database, packed(stuffed))).status, 204);
  t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${database}.metrics`), [[5_000]]);
});

brief('a series with very many samples is stored whole, and a bad one behind it has its own number', async (t) => {
  const database = fresh();
  const samples = Array.from({ length: 20_000 }, (_, at) => ({ value: at, timestamp: 1_700_000_000_000 + at }));
  const long = { labels: labelsOf({ __name__: 'long' }), samples };
  const bad = { labels: labelsOf({ __name__: 'bad' }), samples: [{ value: 1, timestamp: 0 }] };
  const reply = await send(database, packed(encode('WriteRequest', { timeseries: [long, bad, long] })));
  t.is(reply.status, 400);
  t.regex(reply.text, /^series 2: .* timestamp 0 is older than the database keeps \(1 rejected, 40000 written\)$/);
  t.deepEqual(await service.rows(`SELECT COUNT(*), SUM(v) FROM ${database}.metrics`), [[20_000, 199_990_000]]);
});

brief('a time to live goes to the sub-tables that the write makes', async (t) => {
  const database = fresh();
  t.is(
    (await send(database, writeBody([{ labels: labelsOf({ a: 'b' }), ...sample }]), { query: '?ttl=7' })).status,
    204,
  );
  t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${database}.metrics`), [[1]]);
});

brief("line protocol and remote write keep out of each other's tables", async (t) => {
  const database = fresh();
  const body = writeBody([{ labels: labelsOf({ a: 'b' }), ...sample }]);
  t.is((await service.write('metrics,host=a v=1', { db: database })).status, 204);
  const refused = await send(database, body);
  t.is(refused.status, 400);
  t.regex(refused.text, /table "metrics" has other tags than one of type JSON/);
  const other = fresh();
  t.is((await send(other, body)).status, 204);
  const line = await service.write('metrics,host=a v=1', { db: other });
  t.is(line.status, 400);
  t.regex(line.text, /has a JSON tag/);
});

const label = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  value: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
});
const series = fc.record({
  labels: fc.uniqueArray(label, { minLength: 1, maxLength: 4, selector: ({ name }) => name }),
  samples: fc.uniqueArray(
    fc.record({
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
      timestamp: fc.integer({ min: 1_600_000_000_000, max: 1_800_000_000_000 }),
    }),
    { minLength: 1, maxLength: 4, selector: ({ timestamp }) => timestamp },
  ),
});

brief('whatever another implementation encodes comes back over SQL as it went in', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(series, {
        minLength: 1,
        maxLength: 6,
        selector: ({ labels }) => JSON.stringify(labels.toSorted((a, b) => (a.name < b.name ? -1 : 1))),
      }),
      async (list) => {
        const database = fresh();
        const reply = await send(database, writeBody(list));
        t.is(reply.status, 204, reply.text);
        const expected = list.flatMap(({ labels, samples }) => {
          const json = Object.fromEntries(labels.map(({ name, value }) => [name, value]));
          return samples.map(({ value, timestamp }) => ({ json, time: `${timestamp}000000`, value: value + 0 }));
        });
        const { body } = await service.sql(`SELECT labels, CAST(ts AS BIGINT), v FROM ${database}.metrics`);
        const stored = body.data.map(([json, time, value]) => ({ json, time: String(time), value }));
        t.is(stored.length, expected.length);
        for (const row of expected)
          t.true(
            stored.some((other) => isSame(row, other)),
            JSON.stringify(row),
          );
        await service.run(`DROP DATABASE ${database}`);
      },
    ),
    { numRuns: 5 },
  );
});

function isSame(a: { json: unknown; time: string; value: unknown }, b: typeof a): boolean {
  const members = ({ json }: typeof a) => JSON.stringify(Object.entries(json ?? {}).sort());
  return a.time === b.time && Number(a.value) === Number(b.value) && members(a) === members(b);
}

whenLong(test)('mutated bodies are answered, never with 5xx, and the service goes on', async (t) => {
  const database = fresh();
  const bodies = [writeBody, writeBody2].map((make) =>
    make(['a', 'b', 'c'].map((name) => ({ labels: labelsOf({ __name__: name, job: 'job' }), ...sample }))),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }),
      fc.nat(8),
      async (which, changes, cut) => {
        const mutated = Buffer.from(bodies[which] ?? Buffer.alloc(0));
        for (const [at, byte] of changes) mutated[at % mutated.length] = byte;
        const reply = await send(database, mutated.subarray(0, mutated.length - cut));
        t.true(
          reply.status === 204 || reply.status === 400,
          `${reply.status} ${reply.text} ${mutated.toString('hex')}`,
        );
      },
    ),
    { numRuns: moreCases(50, 300) },
  );
  t.is((await send(database, bodies[0])).status, 204);
});

brief('native histograms, exemplars and metadata are read in tables of their own', async (t) => {
  const database = fresh();
  const timestamp = 1_700_000_000_123;
  const labels = labelsOf({ __name__: 'latency', job: 'shop' });
  const spans = { positive_spans: [{ offset: -3, length: 2 }], positive_deltas: ['1', '2'] };
  const histograms = [{ count_int: '4', sum: 18.5, schema: 3, zero_count_int: '0', ...spans, timestamp }];
  const exemplars = [{ labels: labelsOf({ trace_id: 'a'.repeat(100) }), value: 0.25, timestamp }];
  const metadata = { type: 3, help: 'How long it takes.', unit: 's' };
  const series: TestSeries[] = [{ labels, histograms, exemplars, metadata, samples: [{ value: 1, timestamp }] }];
  const headers = { 'x-prometheus-remote-write-version': '2.0.0' };
  const reply = await send(database, writeBody2(series), { headers });
  t.is(reply.status, 204, reply.text);
  const written = ['samples', 'histograms', 'exemplars'].map(
    (kind) => reply.headers[`x-prometheus-remote-write-${kind}-written`],
  );
  t.deepEqual(written, ['1', '1', '1']);
  const columns = "labels->'job', `count`, `sum`, positive_spans, positive_counts";
  const histogram = `SELECT ${columns} FROM ${database}.metric_histograms`;
  t.deepEqual(await service.rows(histogram), [['shop', 4, 18.5, '[[-3,2]]', '[1,3]']]);
  const exemplar = `SELECT v, exemplar FROM ${database}.metric_exemplars`;
  t.deepEqual(await service.rows(exemplar), [[0.25, `{"trace_id":"${'a'.repeat(100)}"}`]]);
  const about = `SELECT labels->'__name__', \`type\`, help, unit, TIMETRUNCATE(ts, 1d) = ts FROM ${database}.metric_metadata`;
  t.deepEqual(await service.rows(about), [['latency', 'histogram', 'How long it takes.', 's', true]]);
  t.is((await send(database, writeBody2(series), { headers })).status, 204);
  t.is((await service.rows(about)).length, 1, 'what is told again is one row');
  const longer = [{ labels: labelsOf({ trace_id: 'b'.repeat(900) }), value: 1, timestamp: timestamp + 1 }];
  t.is((await send(database, writeBody([{ labels, exemplars: longer }]))).status, 204);
  t.is((await service.rows(exemplar)).length, 2);
});

brief('samples join those of a series that another service has made by its name alone', async (t) => {
  const database = fresh();
  const other = await neighbour();
  const start = 1_700_000_000_000;
  const name = 't_e0cd0714bd97e68c4f32ea38f4e49b33';
  const up = (timestamp: number, value: number): TestSeries => ({
    labels: labelsOf({ __name__: 'up', job: 'n' }),
    samples: [{ timestamp, value }],
  });
  const unlike = labelsOf({ __name__: 'up', job: 'm' });
  t.is((await send(database, writeBody([{ labels: unlike, samples: [{ timestamp: start, value: 0 }] }]))).status, 204);
  await other.run(
    `INSERT INTO ${database}.${name} USING ${database}.metrics TAGS('{"a":"b"}') VALUES(${start + 1}000000, 1)`,
  );
  for (const value of [2, 3]) t.is((await send(database, writeBody([up(start + value, value)]))).status, 204);
  const rows = `SELECT v FROM ${database}.${name} ORDER BY ts`;
  t.deepEqual(await service.rows(rows), [[1], [2], [3]]);
  t.deepEqual(await other.rows(rows), [[1], [2], [3]]);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${database}.metrics WHERE labels->'a' = 'b'`), [[3]]);
  const tags = `SELECT tag_value FROM information_schema.ins_tags WHERE db_name = '${database}' AND table_name = '${name}'`;
  t.deepEqual(await service.rows(tags), [['{"a":"b"}']]);
  await service.run(`DROP TABLE ${database}.${name}`);
  t.is((await send(database, writeBody([up(start + 4, 4)]))).status, 204);
  t.deepEqual(await service.rows(rows), [[4]]);
  t.deepEqual(await service.rows(`SELECT count(*) FROM ${database}.metrics WHERE labels->'job' = 'n'`), [[1]]);
});
