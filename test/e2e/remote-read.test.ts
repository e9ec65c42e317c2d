import { buffer } from 'node:stream/consumers';
import test from 'ava';
import fc from 'fast-check';
import { moreCases, whenBrief, whenLong } from '../support/cases.js';
import { odd, query, remoteReads, seriesRead, start, up, zones } from '../support/inputs/remote-reads.js';
import {
  labelsOf,
  Matcher,
  type ReadSeries,
  readAnswer,
  readBody,
  recordings,
  type TestQuery,
  writeBody,
} from '../support/messages/remote-messages.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);
const brief = whenBrief(test);

const { request, read, write } = remoteReads(service);

function sets(series: readonly ReadSeries[]): Record<string, string>[] {
  return series.map(({ labels }) => Object.fromEntries(labels.map(({ name, value }) => [name, value])));
}

test.before(() => write('data', seriesRead));

brief('the answer to the reference request is one series with one sample, as a snappy block', async (t) => {
  const sent = writeBody([{ labels: labelsOf(up), samples: [{ value: 1.5, timestamp: start + 123 }] }]);
  await write('reference', sent);
  const body = Buffer.from('207c0a1e0880d095ffbc3110e8d795ffbc311a0e12085f5f6e616d655f5f1a027570', 'hex');
  const { status, headers, bytes } = await request('reference', body);
  t.is(status, 200);
  t.is(headers['content-type'], 'application/x-protobuf');
  t.is(headers['content-encoding'], 'snappy');
  t.is(headers['content-length'], String(bytes.length));
  t.deepEqual(readAnswer(bytes), [[{ labels: labelsOf(up), samples: [{ value: 1.5, timestamp: '1700000000123' }] }]]);
});

brief('times include both ends, and samples come in the order of time', async (t) => {
  const times = async (from: number | string, to: number | string): Promise<string[]> => {
    const [series] = await read('data', {
      ...query(['EQ', '__name__', 'up']),
      start_timestamp_ms: from,
      end_timestamp_ms: to,
    });
    return series?.[0]?.samples.map(({ timestamp }) => timestamp) ?? [];
  };
  const all = [1, 2, 3].map((i) => String(start + i * 1000));
  t.deepEqual(await times(start + 1000, start + 3000), all);
  t.deepEqual(await times(start + 1001, start + 2999), [all[1]]);
  t.deepEqual(await times(start + 3001, start + 4000), []);
  t.deepEqual(await times(start + 3000, start + 1000), []);
  t.deepEqual(await times('-9223309901257974000', '9223309901257974999'), all);
  t.deepEqual(await times('9223372036854775807', '9223372036854775807'), []);
  t.deepEqual(await times('-9223372036854775808', '-9223372036854775808'), []);
  t.deepEqual(await times('-9223372036854775808', '9223372036854775807'), all);
});

brief('matchers see absent labels as empty, and regular expressions match the whole value', async (t) => {
  const zone = (type: keyof typeof Matcher, value: string) => query(['EQ', '__name__', 'zones'], [type, 'zone', value]);
  const [none, a, b] = zones;
  const cases: [TestQuery, (typeof up | (typeof zones)[number] | undefined)[]][] = [
    [zone('EQ', 'a'), [a]],
    [zone('EQ', ''), [none]],
    [zone('NEQ', 'a'), [none, b]],
    [zone('NEQ', ''), [a, b]],
    [zone('RE', 'a|b'), [a, b]],
    [zone('RE', '.*'), [none, a, b]],
    [zone('RE', '.+'), [a, b]],
    [zone('RE', ''), [none]],
    [zone('NRE', 'a'), [none, b]],
    [zone('NRE', '.*'), []],
    [zone('NRE', ''), [a, b]],
    [zone('RE', '(?i)A'), [a]],
    [zone('RE', '[ab]'), [a, b]],
    [zone('RE', '\\x61'), [a]],
    [query(['RE', '__name__', 'u']), []],
    [query(['RE', '__name__', 'u.']), [up]],
    [query(['RE', '__name__', 'up|zonesx']), [up]],
    [query(['NRE', '__name__', 'z.*|o.*']), [up]],
    [query(['EQ', '__name__', 'up'], ['EQ', 'nobody', '']), [up]],
    [query(['EQ', '__name__', 'up'], ['NEQ', 'nobody', '']), []],
    [query(['EQ', 'job', 'n'], ['RE', 'job', 'n|m'], ['NEQ', 'job', 'm']), [up]],
  ];
  for (const [asked, expected] of cases) {
    const [series] = await read('data', asked);
    t.deepEqual(
      sets(series ?? []),
      expected.map((labels) => ({ ...labels })),
      JSON.stringify(asked.matchers),
    );
  }
});

brief('series come in the order of their labels, and without matchers all of them', async (t) => {
  const [series] = await read('data', query());
  t.deepEqual(
    sets(series ?? []),
    [odd, up, ...zones].map((labels) => ({ ...labels })),
  );
  for (const { labels } of series ?? [])
    t.deepEqual(labels, labelsOf(Object.fromEntries(labels.map(({ name, value }) => [name, value]))));
});

brief('every query has its result, in their order, also an empty one', async (t) => {
  const results = await read(
    'data',
    query(['EQ', '__name__', 'nothing']),
    query(['EQ', '__name__', 'up']),
    query(['RE', 'zone', 'a']),
  );
  t.deepEqual(results.map(sets), [[], [up], [zones[1]]]);
  t.deepEqual(await read('data'), []);
});

brief('labels and values of any kind are found as they were written', async (t) => {
  for (const [name, value] of Object.entries(odd)) {
    const [series] = await read('data', query(['EQ', name, value]));
    t.deepEqual(sets(series ?? []), [odd], name);
  }
  t.is((await read('data', query(['EQ', '__name__', 'odd'])))[0]?.[0]?.samples[0]?.value, -0.1);
});

brief('text that would be SQL is only ever text', async (t) => {
  const attempts = [
    "' OR 1=1 --",
    "\\' OR 1=1 --",
    "x') OR ('1'='1",
    '`',
    '\0',
    '\\',
    "%'; DROP DATABASE data; --",
    '{x:String}',
    '\u2028',
  ];
  for (const attempt of attempts) {
    const exact = await read(
      'data',
      query(['EQ', '__name__', attempt]),
      query(['EQ', attempt, 'x']),
      query(['NEQ', attempt, '']),
    );
    t.deepEqual(exact, [[], [], []], attempt);
    const { status } = await request('data', readBody([query(['RE', '__name__', attempt])]));
    t.true(status === 200 || status === 400, attempt);
  }
  t.is((await read('data', query()))[0]?.length, 5);
});

brief('a bad regular expression is 400 and named', async (t) => {
  for (const pattern of ['(', 'a**', '[', 'a)(b', 'a)|(b', '\\Qa', '(?<x', 'a{2000}', '\\', '\\1']) {
    const { status, bytes } = await request('data', readBody([query(['RE', '__name__', pattern])]));
    t.deepEqual([status, String(bytes)], [400, `${JSON.stringify(pattern)} is not a regular expression`]);
  }
});

brief('of many regular expressions the bad one is named, and there are at most 1000', async (t) => {
  const matching = (patterns: readonly string[]) =>
    query(...patterns.map((pattern) => ['RE', '__name__', pattern] as const));
  const of = (patterns: readonly string[]) => readBody([matching(patterns.slice(0, 1)), matching(patterns.slice(1))]);
  const good = Array.from({ length: 1_000 }, (_, at) => `none${at}`);
  t.is((await request('data', of(good.slice(0, 50)))).status, 200);
  const bad = await request('data', of(good.with(700, '(')));
  t.deepEqual([bad.status, String(bad.bytes)], [400, '"(" is not a regular expression']);
  const many = await request('data', of([...good, 'more']));
  t.deepEqual([many.status, String(many.bytes)], [400, 'a request has at most 1000 regular expressions']);
  const long = await request('data', of(Array.from({ length: 9 }, (_, at) => `${at}${'a'.repeat(30_000)}`)));
  t.deepEqual(
    [long.status, String(long.bytes)],
    [400, 'the regular expressions of a request have at most 262144 characters'],
  );
});

brief('a regular expression that would keep the database busy is 400', async (t) => {
  for (const pattern of [`${'('.repeat(65)}a${')*'.repeat(65)}`, 'a'.repeat(70_000)]) {
    const { status, bytes } = await request('data', readBody([query(['RE', '__name__', pattern])]));
    t.is(status, 400);
    t.regex(String(bytes), /nested deeper than 64|more than 65536 characters/);
  }
});

brief('samples that are no number are left out, and rows of one millisecond are one sample', async (t) => {
  const labels = labelsOf({ __name__: 'gap' });
  const samples = [1, Number.NaN, 3, Number.POSITIVE_INFINITY].map((value, i) => ({ value, timestamp: start + i }));
  await write(
    'gaps',
    writeBody([
      { labels, samples },
      { labels: labelsOf({ __name__: 'dead' }), samples: samples.slice(1, 2) },
    ]),
  );
  const [name] = (await service.rows('SELECT DISTINCT tbname FROM gaps.metrics WHERE v = 1')).flat();
  await service.run(`INSERT INTO gaps.${name} VALUES (${start}000001, 7) (${start}000002, 8) (${start}999999, 9)`);
  const results = await read('gaps', query(['EQ', '__name__', 'gap']), query(['EQ', '__name__', 'dead']));
  t.deepEqual(
    results.map((series) => series.map((one) => one.samples)),
    [
      [
        [
          { value: 9, timestamp: String(start) },
          { value: 3, timestamp: String(start + 2) },
        ],
      ],
      [],
    ],
  );
  const last = { ...query(['EQ', '__name__', 'gap']), end_timestamp_ms: start };
  t.deepEqual((await read('gaps', last))[0]?.[0]?.samples, [{ value: 9, timestamp: String(start) }]);
});

brief('an overwritten sample is read once, with its last value, and a dropped series not at all', async (t) => {
  const one = (name: string, value: number) => ({
    labels: labelsOf({ __name__: name }),
    samples: [{ value, timestamp: start }],
  });
  for (const value of [1, 2, 3]) await write('again', writeBody([one('kept', value), one('gone', value)]));
  t.deepEqual((await read('again', query(['EQ', '__name__', 'kept'])))[0]?.[0]?.samples, [
    { value: 3, timestamp: String(start) },
  ]);
  const [name] = (await service.rows(`SELECT tbname FROM again.metrics WHERE labels->'__name__' = 'gone'`)).flat();
  await service.run(`DROP TABLE again.${name}`);
  t.deepEqual(sets((await read('again', query()))[0] ?? []), [{ __name__: 'kept' }]);
});

brief('series that statements wrote are read as well, whatever the precision', async (t) => {
  await service.run("CREATE DATABASE sqlmade PRECISION 'ms'");
  await service.run('CREATE STABLE sqlmade.metrics (ts TIMESTAMP, v INT) TAGS (labels JSON)');
  await service.run(
    `INSERT INTO sqlmade.a USING sqlmade.metrics TAGS ('{"z": 5, "a": true, "n": null, "s": "x"}') VALUES (${start}, 42)`,
  );
  const [series] = await read('sqlmade', query(['EQ', 'z', '5'], ['EQ', 'n', '']));
  t.deepEqual(series, [
    { labels: labelsOf({ a: 'true', s: 'x', z: '5' }), samples: [{ value: 42, timestamp: String(start) }] },
  ]);
});

for (const { name, body, queries, headers } of recordings('ReadRequest')) {
  brief(`${name}: the request of a real client is answered as its queries ask`, async (t) => {
    const asked = queries.map(({ matchers, ...rest }) => ({
      ...rest,
      matchers: matchers.map((m) => ({ ...m, type: Matcher[m.type] })),
    }));
    const database = `recorded_${name.replaceAll(/\W/g, '_')}`;
    const labels: Record<string, string> = { cluster: 'c1', replica: 'r0' };
    for (const { type, name: label, value } of queries[0]?.matchers ?? []) {
      if (type === 'EQ' && value !== '') labels[label] = value;
      if (type === 'RE') labels[label] = value.replaceAll(/\.[*+]/g, 'x');
    }
    const from = BigInt(queries[0]?.start_timestamp_ms ?? 0);
    const timestamp = String(from < 0n ? BigInt(start) : from);
    await write(
      database,
      writeBody([
        { labels: labelsOf(labels), samples: [{ value: 1, timestamp }] },
        { labels: labelsOf({ ...labels, cluster: 'other' }), samples: [{ value: 2, timestamp }] },
      ]),
    );
    const { Authorization: _, ...others } = headers;
    const response = await service.open({ path: `/metricsdb/v1/remote_read/${database}`, body, headers: others });
    t.is(response.statusCode, 200);
    const results = readAnswer(await buffer(response));
    t.is(results.length, asked.length);
    t.deepEqual(results[0], [{ labels: labelsOf(labels), samples: [{ value: 1, timestamp }] }]);
  });
}

brief('large answers hold every sample once, over many chunks', async (t) => {
  const list = Array.from({ length: 40 }, (_, i) => ({
    labels: labelsOf({ __name__: 'large', i: String(i) }),
    samples: Array.from({ length: 2500 }, (_, k) => ({ value: i * 10_000 + k, timestamp: start + k * 15 })),
  }));
  for (let at = 0; at < list.length; at += 10) await write('large', writeBody(list.slice(at, at + 10)));
  const [series] = await read('large', query());
  t.is(series?.length, 40);
  for (const { labels, samples } of series ?? []) {
    const i = Number(labels.find(({ name }) => name === 'i')?.value);
    t.true(
      samples.length === 2500 &&
        samples.every(({ value, timestamp }, k) => value === i * 10_000 + k && timestamp === String(start + k * 15)),
    );
  }
});

whenLong(test)('mutated requests are answered, never with 5xx, and the service goes on', async (t) => {
  const body = readBody([query(['EQ', '__name__', 'up'], ['RE', 'job', 'n.*']), query(['NRE', 'zone', 'a'])]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(body.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
      fc.nat(8),
      async (changes, cut) => {
        const mutated = Buffer.from(body);
        for (const [at, byte] of changes) mutated[at] = byte;
        const { status, bytes } = await request('data', mutated.subarray(0, mutated.length - cut));
        t.true(status === 200 || status === 400, `${status} ${bytes} ${mutated.toString('hex')}`);
      },
    ),
    { numRuns: moreCases(50, 300) },
  );
  t.is((await request('data', body)).status, 200);
});
