import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { moreCases } from '../../support/cases.js';
import { temporaryDirectory } from '../../support/engine/engine.js';
import { basicOf } from '../../support/service/service.js';
import { sharedService } from '../../support/service/shared-service.js';

const { service, end } = await sharedService();
const [directory, remove] = temporaryDirectory();
test.after.always(async () => {
  await end();
  remove();
});

const secret = 'f00dcafe-secret';
const secretFile = join(directory, 'secret.csv');
const outFile = join(directory, 'out.csv');
const asMax = { auth: basicOf('max', 'Secret_12') };

test.before('a secret of the administrator, and a user who reads and writes next to it', async () => {
  writeFileSync(secretFile, `${secret}\n`);
  await service.run('CREATE DATABASE vault');
  await service.run('CREATE TABLE vault.n (ts TIMESTAMP, s VARCHAR(40))');
  await service.run(`INSERT INTO vault.n VALUES (1700000000000, '${secret}')`);
  await service.run('CREATE DATABASE d');
  await service.run('CREATE STABLE d.m (ts TIMESTAMP, s VARCHAR(200)) TAGS (g VARCHAR(200))');
  await service.run("INSERT INTO d.m1 USING d.m TAGS ('a') VALUES (1700000000000, 'b')");
  await service.run("CREATE USER max PASS 'Secret_12' CREATEDB 1");
  await service.run('GRANT READ, WRITE ON d.* TO max');
});

/** Texts that would mean something to the engine if any of them were ever read as its SQL. */
const payloads: readonly string[] = [
  `x' OR 1=1 --`,
  `x' UNION ALL SELECT s FROM vault.n --`,
  `x\\' UNION ALL SELECT s FROM vault.n --`,
  `x\\\\' UNION ALL SELECT s FROM vault.n --`,
  `x'' UNION ALL SELECT s FROM vault.n --`,
  `x' INTO OUTFILE '${outFile}' --`,
  `'); DROP DATABASE vault; --`,
  'x` FROM vault.n --',
  'x\\` FROM vault.n --',
  'x" FROM vault.n --',
  `') FROM file('${secretFile}', 'LineAsString') --`,
  `*/ SELECT s FROM vault.n /*`,
  '/* --',
  `{x:String}`,
  '#{x}',
  '\u2019 OR 1=1 --',
  'x\u0000\u0027 OR 1=1 --',
  `x\n' SETTINGS readonly = 0 --`,
  `x' FORMAT CSV --`,
  '%\\_%',
  '\\x27 OR 1=1',
  '\\N',
  '\ufeff\u202e',
];

/** As a literal of the dialect, written by somebody who escapes as a client does. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** Everywhere a text of strangers may stand, as it is and escaped. */
const places: readonly ((payload: string) => string)[] = [
  (text) => `SELECT s FROM d.m WHERE s = '${text}'`,
  (text) => `SELECT s FROM d.m WHERE s LIKE '${text}'`,
  (text) => `SELECT s FROM d.m WHERE s MATCH '${text}'`,
  (text) => `SELECT s FROM d.m WHERE g IN ('${text}')`,
  (text) => `SELECT s FROM d.m WHERE tbname = '${text}'`,
  (text) => `SELECT s AS \`${text}\` FROM d.m`,
  (text) => `SELECT s AS '${text}' FROM d.m`,
  (text) => `SELECT \`${text}\` FROM d.m`,
  (text) => `SELECT * FROM d.\`${text}\``,
  (text) => `SELECT * FROM \`${text}\`.m`,
  (text) => `SELECT concat(s, '${text}'), replace(s, '${text}', 'y') FROM d.m`,
  (text) => `SELECT to_char(ts, '${text}'), timediff(ts, '${text}') FROM d.m`,
  (text) => `SELECT COUNT(*) FROM d.m WHERE ts > '${text}' INTERVAL(1s)`,
  (text) => `SELECT COUNT(*) FROM d.m WHERE ts > 0 AND ts < NOW INTERVAL(1s) FILL(VALUE, '${text}')`,
  (text) => `SELECT s FROM d.m LIMIT ${text}`,
  (text) => `SELECT s FROM d.m ORDER BY ${text}`,
  (text) => `SELECT ${text}`,
  (text) => `SELECT s FROM d.m /*${text}*/`,
  (text) => `SELECT s FROM d.m -- ${text}`,
  (text) => `SHOW d.TABLES LIKE '${text}'`,
  (text) => `DESCRIBE d.\`${text}\``,
  (text) => `INSERT INTO d.m1 VALUES (1700000000001, '${text}')`,
  (text) => `INSERT INTO d.\`${text}\` USING d.m TAGS ('${text}') VALUES (1700000000002, 'c')`,
  (text) => `CREATE TABLE d.\`${text}\` (ts TIMESTAMP, \`${text}\` INT)`,
  (text) => `CREATE DATABASE \`${text}\``,
  (text) => `DELETE FROM d.m WHERE ts < '${text}'`,
];

test('no text of a stranger is ever read as SQL of the engine, wherever it stands', async (t) => {
  const pairs = places.flatMap((place, i) => payloads.map((payload, j) => ({ place, payload, nth: i + j })));
  const step = moreCases(2, 1);
  for (const { place, payload } of pairs.filter(({ nth }) => nth % step === 0)) {
    for (const sql of [place(payload), place(quoted(payload).slice(1, -1))]) {
      const { status, text } = await service.sql(sql, asMax);
      t.true(status === 200 || status === 400, `${sql}\n${text}`);
      t.false(text.includes(secret), `${sql}\n${text}`);
      t.notRegex(text, /DB::Exception|Syntax error: failed at/, sql);
    }
  }
  t.false(existsSync(outFile));
  t.deepEqual(await service.rows('SELECT s FROM vault.n'), [[secret]]);
});

test('a text comes back as it was written, whatever it holds', async (t) => {
  await service.run('CREATE TABLE d.echo (ts TIMESTAMP, s VARCHAR(400))');
  const texts = payloads.filter((text) => !text.includes('\u0000'));
  for (const [i, text] of texts.entries()) {
    const ts = 1_700_000_000_000 + i;
    await service.run(`INSERT INTO d.echo VALUES (${ts}, ${quoted(text)})`);
    t.deepEqual(await service.rows(`SELECT s FROM d.echo WHERE ts = ${ts}`), [[text]], text);
    t.deepEqual(await service.rows(`SELECT COUNT(*) FROM d.echo WHERE s = ${quoted(text)}`), [[1]], text);
    t.deepEqual(await service.rows(`SELECT ${quoted(text)}`), [[text]], text);
  }
});

test('names of line protocol and of the URL are names and nothing else', async (t) => {
  const escaped = (text: string): string =>
    text
      .replaceAll('\n', '')
      .replaceAll('\u0000', '')
      .replace(/([,= \\])/g, '\\$1');
  for (const payload of payloads) {
    const name = escaped(payload);
    const line = `${name},${name}=${name} ${name}="${payload.replaceAll('\n', '').replaceAll('\u0000', '').replace(/[\\"]/g, '')}"`;
    t.true((await service.write(line, { db: 'd' }, asMax)).status < 500, line);
    const { status, text } = await service.sql('SELECT s FROM m', { ...asMax, database: payload.replaceAll('/', '') });
    t.true(status === 200 || status === 400, text);
    t.false(text.includes(secret));
  }
  t.deepEqual(await service.rows('SELECT s FROM vault.n'), [[secret]]);
});

test('nothing of the engine itself is within reach: its tables, functions, files, addresses and settings', async (t) => {
  const beyond = [
    'SELECT * FROM system.users',
    'SELECT * FROM `system`.tables',
    'SELECT * FROM sluice.catalogue',
    'SELECT * FROM default.x',
    `SELECT * FROM file('${secretFile}')`,
    `SELECT * FROM file('${secretFile}', 'LineAsString', 'x String')`,
    "SELECT * FROM url('http://127.0.0.1:1/', 'CSV')",
    "SELECT * FROM remote('127.0.0.1', 'system.one')",
    "SELECT * FROM executable('id', 'TSV', 'x String')",
    'SELECT * FROM numbers(10)',
    'SELECT * FROM d.m SETTINGS max_threads = 1',
    'SELECT * FROM d.m FORMAT CSV',
    `SELECT * FROM d.m INTO OUTFILE '${outFile}'`,
    `SELECT file('${secretFile}')`,
    "SELECT dictGet('a', 'b', 1)",
    "SELECT getSetting('max_threads')",
    'SELECT currentDatabase()',
    'SELECT hostName()',
    'SELECT sleep(3)',
    "SELECT throwIf(1, 'x')",
    'SELECT x.1 FROM d.m',
    'SELECT s[1] FROM d.m',
    'SELECT s::Int64 FROM d.m',
    'SELECT {a:Int64}',
    'SELECT arrayJoin([1,2])',
    'SELECT lambda(x -> x) FROM d.m',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    'SYSTEM SHUTDOWN',
    'SET max_threads = 1',
    'KILL QUERY WHERE 1',
    'ATTACH TABLE x',
    'OPTIMIZE TABLE d.m',
    'RENAME TABLE d.m TO d.x',
    'TRUNCATE TABLE d.m',
    'EXCHANGE TABLES d.m AND d.n',
    'SELECT 1; DROP DATABASE vault',
    "INSERT INTO FUNCTION file('x') SELECT 1",
    `INSERT INTO d.m1 FROM INFILE '${secretFile}' FORMAT CSV`,
    'INSERT INTO system.x VALUES (1, 2)',
    'CREATE TABLE d.x ENGINE = File(CSV)',
    'CREATE FUNCTION f AS (x) -> x',
    'CREATE DATABASE x ENGINE = Atomic',
  ];
  for (const sql of beyond) {
    for (const who of [asMax, {}]) {
      const { body, text } = await service.sql(sql, who);
      t.not(body.code, 0, `${sql}\n${text}`);
      t.notRegex(text, /DB::Exception|f00dcafe/, sql);
    }
  }
  t.false(existsSync(outFile));
});

/** A reproducible stream of numbers below a bound. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

const samples: readonly string[] = [
  "SELECT s, g, tbname FROM d.m WHERE ts > '2023-01-01T00:00:00Z' AND g LIKE 'a%' ORDER BY ts DESC LIMIT 5 OFFSET 1",
  'SELECT _wstart, COUNT(*), FIRST(s) FROM d.m WHERE ts > 1 AND ts < 99 INTERVAL(10s, 1s) SLIDING(5s) FILL(VALUE, 1, 2)',
  'SELECT g, COUNT(*) c FROM d.m PARTITION BY tbname, g HAVING COUNT(*) > 0 SLIMIT 2 LIMIT 3',
  "SELECT CASE WHEN s = 'a' THEN 1 ELSE -2.5e3 END, CAST(s AS VARCHAR(10)) FROM (SELECT s, ts FROM d.m UNION ALL SELECT s, ts FROM d.m)",
  "SELECT LAST_ROW(s), CONCAT(s, \"x\"), LENGTH(g) FROM d.m WHERE g IN ('a', 'b') AND s IS NOT NULL GROUP BY g",
  "INSERT INTO d.m1 (ts, s) VALUES (NOW, 'x') ('2023-11-14 22:13:20.123', NULL) d.m2 USING d.m TAGS ('q') VALUES (1, \"y\")",
  "SHOW d.TABLES LIKE 'm%'",
  'DESCRIBE d.m',
  "SELECT name, vgroups FROM information_schema.ins_databases WHERE name <> 'x' ORDER BY 1",
  'DELETE FROM d.m WHERE ts >= 5 AND ts < 6',
];

function mutate(text: string, pick: (below: number) => number): Buffer {
  const tokens = text.match(/\w+|'[^']*'|\s+|./g) ?? [text];
  const [at, other] = [pick(tokens.length), pick(tokens.length)];
  switch (pick(6)) {
    case 0:
      return Buffer.from(text.slice(0, pick(text.length) + 1));
    case 1:
      return Buffer.from(tokens.toSpliced(at, 1).join(''));
    case 2:
      return Buffer.from(tokens.toSpliced(at, 0, tokens[at] ?? '', ' ', tokens[other] ?? '').join(''));
    case 3:
      return Buffer.from(
        tokens
          .with(at, tokens[other] ?? '')
          .with(other, tokens[at] ?? '')
          .join(''),
      );
    case 4:
      return Buffer.from(
        tokens.with(at, ['(', ')', "'", '`', '9'.repeat(40), 'NULL', '*', ',', '-- ', '/*'][pick(10)] ?? '').join(''),
      );
    default: {
      const bytes = Buffer.from(text);
      for (let i = 0; i < 3; i++) bytes[pick(bytes.length)] = pick(256);
      return bytes;
    }
  }
}

test('hundreds of mangled statements get an error with a code or an answer, and the service goes on', async (t) => {
  const pick = numbers(20_260_101);
  for (let round = 0; round < moreCases(15, 40); round++) {
    const batch = samples.map((sample) => mutate(sample, pick));
    const replies = await Promise.all(batch.map((statement) => service.sql(statement, asMax)));
    for (const [i, { status, body, text }] of replies.entries()) {
      const shown = `${batch[i]?.toString('latin1')}\n${text}`;
      t.true(status === 200 || status === 400, shown);
      t.is(typeof body.code, 'number', shown);
      t.not(body.desc, 'Internal error', shown);
      t.notRegex(text, /DB::Exception|f00dcafe/, shown);
    }
  }
  t.deepEqual(await service.rows('SELECT s FROM vault.n'), [[secret]]);
});
