import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { neighbour, end } = await sharedService();
const service = await neighbour();
test.after.always(end);

let databases = 0;

async function freshDatabase(): Promise<string> {
  databases++;
  const name = `json_${databases}`;
  await service.run(`CREATE DATABASE ${name} PRECISION 'ns'`);
  return name;
}

async function put(
  database: string,
  body: string | Uint8Array | Iterable<string>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly message: string }> {
  const reply = await service.request({ path: `/tsdbwire/v1/put/json/${database}`, body, headers });
  const answer: { code: number; message: string } | undefined = reply.text === '' ? undefined : JSON.parse(reply.text);
  if (answer !== undefined && answer.code !== reply.status) throw new Error(reply.text);
  return { status: reply.status, message: answer?.message ?? '' };
}

const good = { status: 204, message: '' };

test('tcollector-http: every value that its client sent is read back', async (t) => {
  const db = await freshDatabase();
  const bytes = readFileSync(new URL('../../../fixtures/tsdbwire/tcollector-http.json', import.meta.url));
  t.deepEqual(await put(db, bytes, { 'content-type': 'application/json' }), good);
  t.deepEqual(await service.rows(`SELECT _ts, _value, host, cpu, mode FROM ${db}.tc_cpu ORDER BY _ts`), [
    ['2026-11-20T23:53:25.000000000Z', 1, 'boxA', '0', 'idle'],
    ['2026-11-20T23:53:26.000000000Z', 1.1, 'boxA', '0', 'idle'],
    ['2026-11-20T23:53:27.000000000Z', 1.2, 'boxA', '0', 'idle'],
  ]);
  t.deepEqual(await service.rows(`SELECT _ts, _value, host FROM ${db}.tc_notags`), [
    ['2026-11-20T23:53:25.000000000Z', 5, 'boxA'],
  ]);
});

test('one object makes its table and sub-table; types are those given; 64-bit integers are exact', async (t) => {
  const db = await freshDatabase();
  t.deepEqual(
    await put(db, '{"metric":"sys.load","timestamp":1700000000,"value":2,"tags":{"host":"a","n":1.50}}'),
    good,
  );
  t.deepEqual(await service.rows(`SELECT _ts, _value, host, n FROM ${db}.sys_load`), [
    ['2023-11-14T22:13:20.000000000Z', 2, 'a', '1.50'],
  ]);
  const typed = `[{"metric":"i","timestamp":{"value":1700000000123456789,"type":"ns"},
    "value":{"value":9007199254740993,"type":"bigint"},"tags":{"a":"ü"}},
    {"metric":"s","timestamp":1700000000123,"value":"x\\u00fc","tags":{"a":true}}]`;
  t.deepEqual(await put(db, gzipSync(typed), { 'content-encoding': 'gzip' }), good);
  t.deepEqual(await service.rows(`SELECT _ts, _value, a FROM ${db}.i`), [
    ['2023-11-14T22:13:20.123456789Z', '9007199254740993', 'ü'],
  ]);
  t.deepEqual(await service.rows(`SELECT _ts, _value, a FROM ${db}.s`), [
    ['2023-11-14T22:13:20.123000000Z', 'xü', 'true'],
  ]);
});

test('nothing to do is 204, what is no JSON 400, and bad objects do not cost good ones', async (t) => {
  const db = await freshDatabase();
  for (const body of ['', '[]', ' ']) t.deepEqual(await put(db, body), good);
  t.is((await put(db, 'hello')).status, 400);
  const objects = [
    '{"metric":"m","timestamp":1700000000,"value":1,"tags":{"a":"b"}}',
    '{"metric":"m","timestamp":1700000001,"value":2,"tags":{"a":"b"},"x":1}',
    '{"metric":"m","timestamp":170000000012,"value":3,"tags":{"a":"b"}}',
    '{"metric":"m","timestamp":1700000003,"value":4,"tags":{"a":"b"}}',
  ];
  t.deepEqual(await put(db, `[${objects.join(',')}]`), {
    status: 400,
    message: 'object 2: [0x3002] member "x" is not known (column 65) (2 rejected, 2 written)',
  });
  t.deepEqual(await service.rows(`SELECT _value FROM ${db}.m ORDER BY _ts`), [[1], [4]]);
  const message = '[0x388] Database not exist: nowhere; CREATE DATABASE `nowhere` makes it';
  t.deepEqual(await put('nowhere', objects[0]!), { status: 404, message });
});

test('a sender that asks for details is shown the bad objects', async (t) => {
  const db = await freshDatabase();
  const bad = { metric: 'm', timestamp: 1_700_000_000, value: 'x', tags: { a: 'b' } };
  const body = JSON.stringify([{ ...bad, value: 1 }, bad, 5]);
  const reply = await service.request({ path: `/api/put?db=${db}&details`, body });
  const { success, failed, errors } = JSON.parse(reply.text);
  t.deepEqual([reply.status, success, failed], [400, 1, 2]);
  t.like(errors, [{ datapoint: bad }, { error: 'object 3: "5" is not an object (column 1)' }]);
});

test('a body without points is refused on the path of OpenTSDB', async (t) => {
  const db = await freshDatabase();
  for (const body of ['', '[]', ' [ ] ', ' \n']) {
    for (const query of ['', '&summary', '&details']) {
      const reply = await service.request({ path: `/api/put?db=${db}${query}`, body });
      t.is(reply.status, 400, body);
      t.regex(reply.text, /the body has no data points/);
    }
  }
  const point = '{"metric":36,"timestamp":1700000000.0,"value":1,"tags":{"a":"b"}}';
  t.is((await service.request({ path: `/api/put?db=${db}`, body: point })).status, 204);
  t.deepEqual(await service.rows(`SELECT _value FROM ${db}.\`36\``), [[1]]);
});

test('a long array is stored in full, bad objects and one that is too long are named by their index', async (t) => {
  const db = await freshDatabase();
  const objects = Array.from(
    { length: 30_000 },
    (_, i) => `{"metric":"long","timestamp":${1_700_000_000 + i},"value":${i},"tags":{"host":"h${i % 7}"}}`,
  );
  t.deepEqual(await put(db, `[${objects.join(',\n')}]`), good);
  t.deepEqual(await service.rows(`SELECT COUNT(*), SUM(_value) FROM ${db}.long`), [[30_000, 449_985_000]]);
  objects[20_000] = '{"metric":"long"}';
  objects[25_000] = `{"metric":"long","x":"${'],},{'.repeat(40_000)}"}`;
  const mixed = await put(db, `[${objects.map((object) => object.replace('"long"', '"mixed"')).join(',')}]`);
  t.is(mixed.status, 400);
  t.regex(mixed.message, /^object 20001: \[0x3002\] member "timestamp" is missing .*\(2 rejected, 29998 written\)$/);
  t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${db}.mixed`), [[29_998]]);
  function* pieces(): Generator<string> {
    yield '[';
    for (const object of objects.slice(0, 10_000)) yield `${object.replace('"long"', '"cut"')},`;
  }
  const cut = await put(db, pieces());
  t.is(cut.status, 400);
  t.regex(cut.message, /^object 10001: .*the array is not closed/);
  t.deepEqual(await service.rows(`SELECT COUNT(*) FROM ${db}.cut`), [[10_000]]);
});
