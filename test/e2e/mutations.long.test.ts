import { gzipSync } from 'node:zlib';
import test from 'ava';
import { moreCases } from '../support/cases.js';
import { mutated, mutations, randomFrom } from '../support/mutations.js';
import {
  type Answer,
  directoryFor,
  enginePid,
  isAlive,
  post,
  rowsOf,
  sql,
  startAdapter,
  writeLines,
} from '../support/service/processes.js';
import { until } from '../support/until.js';

const startMs = Date.UTC(2026, 0, 1);

const lines = [
  'cpu,host=a,region=eu usage=12.5,idle=80i,name="x y",ok=true 1767225600000',
  'cpu,host=a\\ b,re\\,gion=e\\=u usage=1e10 1767225600001',
  'mem,host=b used=18446744073709551615u,free=-9223372036854775808i 1767225600002',
  'disk,path=/var/log text="a \\"quoted\\" \\\\ value",n=1u8 1767225600003',
  'grüße,wo=köln wert=1.5f32,wort=L"größe" 1767225600004',
];

/** The good lines around a mutated one: a quote that it leaves open must not swallow the second. */
function neighbours(n: number): readonly [Buffer, Buffer] {
  return [
    Buffer.from(`good,side=before n=${n}i64 ${startMs + n}\n`),
    Buffer.from(`\ngood,side=after n=${n}i64 ${startMs + n}\n`),
  ];
}

test.serial('mutated line protocol never breaks the service or costs a good neighbour line', async (t) => {
  const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`]);
  const engine = enginePid(adapter);
  const random = randomFrom(20260101);
  const count = moreCases(300, 500);
  const statuses = new Map<number, number>();
  const send = async (n: number, middle: Buffer): Promise<void> => {
    const [before, after] = neighbours(n);
    const body = Buffer.concat([before, middle, after]);
    const answer = await (n % 10 === 0
      ? writeLines(adapter, 'mutated', gzipSync(body), { 'content-encoding': 'gzip' })
      : writeLines(adapter, 'mutated', body));
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500) t.fail(`${answer.status} ${answer.text} for ${middle.toString('latin1')}`);
  };
  const all = Array.from({ length: count }, (_, n) => [n, mutated(lines[random(lines.length)]!, random)] as const);
  for (let at = 0; at < count; at += 10)
    await Promise.all(all.slice(at, at + 10).map(([n, middle]) => send(n, middle)));
  t.true((statuses.get(400) ?? 0) > count / 5 && (statuses.get(204) ?? 0) > count / 25, JSON.stringify([...statuses]));
  await send(count, Buffer.from(`cpu,host=a text="${'x'.repeat(10 * 1024 * 1024)}" ${startMs}`));
  await send(count + 1, Buffer.from(`cpu${'\\ '.repeat(200_000)} v=1 ${startMs}`));

  const stored = await rowsOf(adapter, 'SELECT side, n FROM mutated.good ORDER BY side, n');
  const numbers = Array.from({ length: count + 2 }, (_, n) => n);
  t.deepEqual(stored, [...numbers.map((n) => ['after', n]), ...numbers.map((n) => ['before', n])]);
  t.is(enginePid(adapter), engine, 'the engine lives');
});

test.serial('bodies that are not what their headers say are refused and harm nobody', async (t) => {
  const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`]);
  const random = randomFrom(7);
  const good = Buffer.from(Array.from({ length: 2000 }, (_, n) => `good n=${n}i64 ${startMs + n}`).join('\n'));
  const packed = gzipSync(good);
  for (let i = 0; i < moreCases(40, 60); i++) {
    const broken = mutations[i % 3]!(packed, random);
    const answer = await writeLines(adapter, 'packed', broken, { 'content-encoding': 'gzip' });
    t.true(answer.status === 400 || (answer.status === 204 && broken.length === 0), `${answer.status} ${answer.text}`);
  }
  t.is((await writeLines(adapter, 'packed', packed, { 'content-encoding': 'gzip' })).status, 204);
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM packed.good'), [[2000]]);
});

const statements = [
  "SELECT ts, v FROM d.s WHERE g = 1 AND ts > '2026-01-01 00:00:00' ORDER BY ts DESC LIMIT 10 OFFSET 2",
  'SELECT _wstart, avg(v), max(v) FROM d.s WHERE ts >= 1767225600000 PARTITION BY tbname INTERVAL(1m) SLIDING(30s) FILL(LINEAR)',
  "SELECT CASE WHEN v > 1 THEN 'a' ELSE concat('b', cast(v AS VARCHAR(10))) END FROM (SELECT * FROM d.s) t",
  'SELECT count(*), spread(v) FROM d.s GROUP BY g HAVING count(*) > 1',
  "INSERT INTO d.c1 USING d.s TAGS (1) VALUES (1767225600000, 1) (NOW + 1s, 2) d.c2 USING d.s TAGS (2) VALUES ('2026-01-01', NULL)",
  "CREATE TABLE IF NOT EXISTS d.n (ts TIMESTAMP, a VARCHAR(20) COMMENT 'x', b DECIMAL(10,2)) COMMENT 'y'",
  'ALTER TABLE d.s ADD COLUMN w NCHAR(8)',
  "SHOW d.TABLES LIKE 'c%'",
  'SELECT a.v + b.v FROM d.c1 a JOIN d.c2 b ON a.ts = b.ts',
  'SELECT v FROM d.c1 UNION ALL SELECT v FROM d.c2',
];

test.serial('mutated statements are answered 200 or 4xx, and the service lives on', async (t) => {
  const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`]);
  for (const statement of [
    'CREATE DATABASE d',
    'CREATE STABLE d.s (ts TIMESTAMP, v INT) TAGS (g INT)',
    `INSERT INTO d.c1 USING d.s TAGS (1) VALUES (${startMs}, 1)`,
  ]) {
    t.is((await sql(adapter, statement)).code, 0);
  }
  const random = randomFrom(42);
  const send = async (statement: Buffer): Promise<void> => {
    const answer = await post(adapter.port, '/rest/sql/d', statement);
    if (answer.status >= 500) t.fail(`${answer.status} ${answer.text} for ${statement.toString('latin1', 0, 500)}`);
    if (/internal error/i.test(answer.text)) t.fail(`${answer.text} for ${statement.toString('latin1', 0, 500)}`);
  };
  const all = Array.from({ length: moreCases(200, 300) }, () =>
    mutated(statements[random(statements.length)]!, random),
  );
  for (let at = 0; at < all.length; at += 10) await Promise.all(all.slice(at, at + 10).map(send));
  t.notRegex(adapter.stdout(), /A request broke/);
  for (const bracket of ['(', '[', '((', ')', 'NOT ', '- ', 'CASE WHEN ', 'a(', '(SELECT ']) {
    await send(Buffer.from(`SELECT ${bracket.repeat(100_000)}1`));
  }
  await send(Buffer.from(`SELECT ${'('.repeat(100_000)}1${')'.repeat(100_000)}`));
  await send(Buffer.from(`SELECT 1${' + 1'.repeat(100_000)}`));
  await send(Buffer.from(`SELECT 1 WHERE v IN (${'1,'.repeat(200_000)}1)`));
  t.notRegex(adapter.stdout(), /A request broke/);
  t.deepEqual(await rowsOf(adapter, 'SELECT 1'), [[1]]);
});

test.serial('a statement of 60 MB is taken, one above the limit is refused by name', async (t) => {
  const adapter = await startAdapter(t, [`--database.path=${directoryFor(t)}`]);
  t.is((await sql(adapter, 'CREATE DATABASE d')).code, 0);
  t.is((await sql(adapter, 'CREATE TABLE d.n (ts TIMESTAMP, v INT)')).code, 0);
  const rows = Array.from({ length: 100_000 }, (_, n) => `(${startMs + n},${n})`);
  const padded = (bytes: number): string => {
    const perRow = Math.floor(bytes / rows.length);
    return `INSERT INTO d.n VALUES ${rows.map((row) => row.padEnd(perRow)).join('')};`;
  };
  const taken = await post(adapter.port, '/rest/sql', padded(60_000_000));
  t.is(taken.status, 200);
  t.regex(taken.text, /"code":0/, taken.text.slice(0, 300));
  t.deepEqual(await rowsOf(adapter, 'SELECT count(*) FROM d.n'), [[100_000]]);
  const refused: Answer = await post(adapter.port, '/rest/sql', padded(68_000_000));
  t.is(refused.status, 400);
  const { code }: { code: number } = JSON.parse(refused.text);
  t.is(code, 0x0219);
  t.true(isAlive(adapter.pid));
  t.true(await until(async () => (await sql(adapter, 'SELECT 1')).code === 0, 1_000));
});
