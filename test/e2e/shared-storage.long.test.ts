import test, { type ExecutionContext } from 'ava';
import { basicOf, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

const { service, end } = await startService();
test.after.always(end);

const startMs = Date.UTC(2026, 0, 1);

/** Lines of one metric: four series, a row a minute each, no two at one time. */
function linesOf(metric: string, offset: number, from = 0, to = 20): string {
  const lines: string[] = [];
  for (const [h, host] of ['a', 'b'].entries()) {
    for (const [z, zone] of ['x', 'y'].entries()) {
      for (let i = from; i < to; i++) {
        const value = offset + 100 * h + 10 * z + ((i * 7) % 13);
        lines.push(`${metric},host=${host},zone=${zone} v=${value} ${startMs + 60_000 * i + 1000 * (2 * h + z)}`);
      }
    }
  }
  return lines.join('\n');
}

async function write(database: string, lines: string): Promise<number> {
  return (await service.write(lines, { db: database, precision: 'ms' })).status;
}

/** Engine tables of rows that a database of the dialect has. */
async function engineTables(t: ExecutionContext, database: string): Promise<readonly string[]> {
  const databases = await service.rows(
    `SELECT create_time FROM information_schema.ins_databases WHERE name = '${database}'`,
  );
  t.is(databases.length, 1);
  return askEngine("SELECT concat(database, '.', name) FROM system.tables WHERE match(database, '^d[0-9]') ORDER BY 1");
}

async function askEngine(statement: string): Promise<readonly string[]> {
  const url = `${service.engineUrl}/?query=${encodeURIComponent(statement)}`;
  const authorization = basicOf('default', 'e2e-secret');
  const reply = await fetch(url, { headers: { authorization } });
  return (await reply.text()).split('\n').filter((line) => line !== '');
}

/** Every kind of query over metric `m`, with the metric `n` beside it. */
const queries = [
  'SELECT * FROM m ORDER BY _ts, host, zone',
  'SELECT COUNT(*), SUM(v), MIN(v), MAX(v), AVG(v), ROUND(STDDEV(v), 9), SPREAD(v) FROM m',
  'SELECT COUNT(*), FIRST(v), LAST(v), LAST_ROW(v) FROM m',
  'SELECT LAST_ROW(*) FROM m',
  'SELECT host, LAST(v) FROM m PARTITION BY tbname ORDER BY host, LAST(v)',
  'SELECT LAST_ROW(v), host, zone FROM m PARTITION BY host, zone ORDER BY host, zone',
  'SELECT MIN(_ts), MAX(_ts) FROM m',
  'SELECT host, zone, COUNT(*) FROM m GROUP BY host, zone ORDER BY host, zone',
  "SELECT SUM(v) FROM m WHERE host = 'a'",
  "SELECT SUM(v) FROM m WHERE host = 'a' AND v > 5 AND _ts >= '2026-01-01T00:05:00Z'",
  "SELECT SUM(v) FROM m WHERE host = 'a' OR v > 105",
  'SELECT DISTINCT host FROM m ORDER BY host',
  'SELECT DISTINCT tbname FROM m WHERE v > 0 ORDER BY tbname',
  'SELECT COUNT(*) FROM (SELECT DISTINCT tbname FROM m)',
  'SELECT TAGS host, zone FROM m ORDER BY host, zone',
  'SELECT _wstart, COUNT(*), SUM(v) FROM m INTERVAL(5m)',
  'SELECT _wstart, host, SUM(v) FROM m PARTITION BY host INTERVAL(5m) SLIDING(2m) ORDER BY host, _wstart',
  "SELECT _wstart, AVG(v) FROM m WHERE _ts >= '2026-01-01' AND _ts < '2026-01-01T01:00:00Z' INTERVAL(10m) FILL(PREV)",
  'SELECT _wstart, COUNT(*) FROM m PARTITION BY tbname SESSION(_ts, 1m) ORDER BY tbname',
  'SELECT host, zone, DIFF(v) FROM m PARTITION BY tbname ORDER BY host, zone, _ts',
  'SELECT TOP(v, 5) FROM m ORDER BY v',
  'SELECT APERCENTILE(v, 50), TWA(v) FROM m PARTITION BY tbname ORDER BY 1',
  "SELECT host, INTERP(v) FROM m PARTITION BY tbname RANGE('2026-01-01T00:01:30Z', '2026-01-01T00:03:30Z') EVERY(1m) FILL(LINEAR) ORDER BY host, 2",
  'SELECT COUNT(*), SUM(a.v), SUM(b.v) FROM m a JOIN n b ON a._ts = b._ts AND a.host = b.host AND a.zone = b.zone',
  "SELECT a._ts, a.v, b.v FROM m a LEFT JOIN n b ON a._ts = b._ts AND a.host = b.host AND a.zone = b.zone WHERE a.host = 'b' ORDER BY a._ts, a.v",
  'SELECT v FROM m WHERE v > (SELECT AVG(v) FROM m) ORDER BY v, _ts',
  'SELECT COUNT(*) FROM m WHERE host IN (SELECT host FROM n WHERE v > 1005)',
  'SELECT v FROM m UNION ALL SELECT v FROM n ORDER BY v LIMIT 7',
  'SELECT COUNT(*), SUM(v) FROM m WHERE tbname IN (SELECT tbname FROM n)',
] as const;

test.before(async () => {
  await service.run("CREATE DATABASE shared PRECISION 'ms'");
  await service.run("CREATE DATABASE own PRECISION 'ms'");
  for (const metric of ['m', 'n']) {
    await service.run(`CREATE STABLE own.${metric} (_ts TIMESTAMP, v DOUBLE) TAGS (host NCHAR(2), zone NCHAR(2))`);
  }
});

test.serial('metrics in one place give every query what they would give in places of their own', async (t) => {
  for (const database of ['shared', 'own']) {
    // Several inserts, overwritten rows among them, and neighbours on both sides.
    t.is(await write(database, linesOf('m', 1)), 204);
    t.is(await write(database, `${linesOf('n', 1001)}\n${linesOf('m', 3, 5, 8)}`), 204);
    t.is(await write(database, [linesOf('m', 5, 10, 12), linesOf('n', 7, 0, 2)].join('\n')), 204);
  }
  t.is(await write('shared', ['l', 'o', 'a1'].map((name, i) => linesOf(name, 5000 * (i + 1))).join('\n')), 204);
  const tables = await engineTables(t, 'shared');
  t.is(tables.filter((name) => /\.s[0-9a-f]{16}$/.test(name)).length, 1, tables.join(' '));
  for (const query of queries) {
    const [sharedAnswer, ownAnswer] = [
      await service.sql(query, { database: 'shared' }),
      await service.sql(query, { database: 'own' }),
    ];
    t.is(ownAnswer.body.code, 0, `${query}: ${ownAnswer.body.desc}`);
    t.true(ownAnswer.body.data.length > 0, query);
    t.deepEqual(
      [query, sharedAnswer.body.code, sharedAnswer.body.desc, sharedAnswer.body.data],
      [query, 0, ownAnswer.body.desc, ownAnswer.body.data],
    );
  }
});

test.serial('lists show each metric its own sub-tables and tags', async (t) => {
  const listed = async (database: string, stable: string) => {
    const tags = await service.rows(
      `SELECT table_name, tag_name, tag_type, tag_value FROM information_schema.ins_tags
       WHERE db_name = '${database}' AND stable_name = '${stable}' ORDER BY table_name, tag_name`,
    );
    const tables = await service.rows(
      `SELECT table_name FROM information_schema.ins_tables WHERE db_name = '${database}' AND stable_name = '${stable}' ORDER BY 1`,
    );
    return { tags, tables };
  };
  const lists = await listed('shared', 'm');
  t.is(lists.tables.length, 4);
  t.is(lists.tags.length, 8);
  t.deepEqual(
    lists.tags.map((row) => [row[0], row[1], row[3]]),
    (await listed('own', 'm')).tags.map((row) => [row[0], row[1], row[3]]),
  );
  const [[all] = []] = await service.rows("SELECT COUNT(*) FROM information_schema.ins_tags WHERE db_name = 'shared'");
  t.is(all, 5 * 8);
  const ofBoth = await service.rows(
    "SELECT db_name, COUNT(*) FROM information_schema.ins_tags WHERE stable_name = 'm' GROUP BY db_name ORDER BY db_name",
  );
  t.deepEqual(ofBoth, [
    ['own', 8],
    ['shared', 8],
  ]);
  const [name] = lists.tables[0] ?? [];
  t.deepEqual(
    await service.rows(`SHOW TAGS FROM \`${name}\` FROM shared`),
    await service.rows(`SHOW TAGS FROM \`${name}\` FROM own`).then((rows) => rows.map((row) => row.with(1, 'shared'))),
  );
  const [[, definition] = []] = await service.rows(`SHOW CREATE TABLE shared.\`${name}\``);
  t.regex(String(definition), /USING `m` \(`host`, `zone`\) TAGS \("b", "x"\)/);
  await service.run(`ALTER TABLE shared.\`${name}\` SET TAG zone = 'q'`);
  t.deepEqual(await service.rows('SELECT DISTINCT zone FROM shared.m ORDER BY zone'), [['q'], ['x'], ['y']]);
  t.deepEqual(await service.rows('SELECT DISTINCT zone FROM shared.n ORDER BY zone'), [['x'], ['y']]);
});

test.serial('a metric that grows leaves the others alone, and types that clash lie side by side', async (t) => {
  const before = await service.rows('SELECT * FROM shared.n ORDER BY _ts, v');
  const at = startMs + 3_600_000;
  t.is(await write('shared', `g,host=a v=1 ${at}\nh,host=a v=1 ${at}`), 204);
  t.is(
    await write('shared', `g,host=a w=2,x="text" ${at}\nh,host=a,rack=r7 w="two" ${at}\nh,host=a w="three" ${at + 1}`),
    204,
  );
  t.is(await write('shared', `g,host=a w="no" ${at}`), 400);
  t.deepEqual(await service.rows('SELECT v, w, x FROM shared.g'), [[1, 2, 'text']]);
  t.deepEqual(await service.rows('SELECT v, w, rack FROM shared.h ORDER BY _ts, rack'), [
    [1, null, null],
    [null, 'two', 'r7'],
    [null, 'three', null],
  ]);
  await service.run('ALTER STABLE shared.g ADD COLUMN y INT');
  await service.run('ALTER STABLE shared.g DROP COLUMN w');
  await service.run('ALTER STABLE shared.g ADD TAG floor INT');
  t.deepEqual(await service.rows('SELECT * FROM shared.g'), [[new Date(at).toISOString(), 1, 'text', null, 'a', null]]);
  t.deepEqual(await service.rows('SELECT * FROM shared.n ORDER BY _ts, v'), before);
});

test.serial(
  'DELETE, DROP TABLE and DROP STABLE take what is theirs alone, and what is made again begins empty',
  async (t) => {
    const kept = async () => service.rows('SELECT COUNT(*), SUM(v) FROM shared.n');
    const before = await kept();
    t.is(await service.run("DELETE FROM shared.m WHERE _ts < '2026-01-01T00:05:00Z' AND host = 'a'"), 10);
    t.deepEqual(await service.rows('SELECT COUNT(*) FROM shared.m'), [[70]]);
    t.is(await service.run("DELETE FROM shared.m WHERE _ts < '2026-01-01T00:10:00Z'"), 30);
    t.deepEqual(await service.rows('SELECT COUNT(*) FROM shared.m'), [[40]]);
    const [[child] = []] = await service.rows("SELECT DISTINCT tbname FROM shared.m WHERE host = 'b' AND zone = 'y'");
    await service.run(`DROP TABLE shared.\`${child}\``);
    t.deepEqual(await service.rows('SELECT COUNT(*) FROM shared.m'), [[30]]);
    t.deepEqual(await kept(), before);
    await service.run('DROP STABLE shared.m');
    t.not(await service.code('SELECT COUNT(*) FROM shared.m'), 0);
    t.deepEqual(await kept(), before);
    t.is(await write('shared', `m,host=a,zone=x v=9 ${startMs}`), 204);
    t.deepEqual(await service.rows('SELECT v, host, zone FROM shared.m'), [[9, 'a', 'x']]);
    t.is(await service.run('DELETE FROM shared.m'), 1);
    t.deepEqual(await kept(), before);
  },
);

test.serial('a stream over one metric looks at no other one', async (t) => {
  await service.run("CREATE DATABASE streams PRECISION 'ms'");
  t.is(await write('streams', `${linesOf('m', 1, 0, 1)}\n${linesOf('n', 500, 0, 1)}`), 204);
  await service.run(
    'CREATE STREAM minutes INTO streams.minutes AS SELECT _wstart, COUNT(*), SUM(v) FROM streams.m PARTITION BY host INTERVAL(1m)',
  );
  await service.run(
    'CREATE STREAM counts INTO streams.counts AS SELECT _wstart, COUNT(*), SUM(v) FROM streams.m PARTITION BY tbname COUNT_WINDOW(2)',
  );
  t.is(await write('streams', `${linesOf('m', 1, 1, 5)}\n${linesOf('n', 500, 1, 5)}\n${linesOf('o', 900, 0, 5)}`), 204);
  const queries = {
    minutes:
      "SELECT COUNT(*), SUM(v) FROM streams.m WHERE _ts >= '2026-01-01T00:01:00Z' PARTITION BY host INTERVAL(1m)",
    counts: 'SELECT COUNT(*), SUM(v) FROM streams.m PARTITION BY tbname COUNT_WINDOW(2)',
  };
  for (const [target, query] of Object.entries(queries)) {
    const results = async () =>
      (await service.rows(`SELECT * FROM streams.${target}`)).map((row) => row.slice(1, 3).join(' ')).toSorted();
    const expected = (await service.rows(query)).map((row) => row.join(' ')).toSorted();
    t.true(expected.length >= 8);
    await until(async () => (await results()).join() === expected.join());
    t.deepEqual(await results(), expected, target);
  }
});

test.serial(
  'hundreds of metrics in one request are few inserts, and none is lost when the engine is killed',
  async (t) => {
    await service.run('CREATE DATABASE many');
    const metrics = 300;
    const inserts = async () => {
      const [value] = await askEngine("SELECT value FROM system.events WHERE event = 'InsertQuery'");
      return Number(value ?? 0);
    };
    const body = (round: number) =>
      JSON.stringify(
        Array.from({ length: metrics }, (_, i) => ({
          metric: `many.m${i}`,
          timestamp: startMs + round,
          value: round,
          tags: { host: `h${i % 3}` },
        })),
      );
    const put = async (round: number) =>
      (await service.request({ path: '/tsdbwire/v1/put/json/many', body: body(round) })).status;
    const before = await inserts();
    t.is(await put(0), 204);
    t.is(await put(1), 204);
    t.true((await inserts()) - before < 20, `${(await inserts()) - before} inserts`);
    const killed = service.enginePid();
    const answered = [0, 1];
    for (let round = 2; answered.length < 12; round++) {
      if (round === 6) process.kill(killed, 'SIGKILL');
      await until(async () => {
        const status = await put(round);
        if (status !== 204) t.is(status, 503);
        return status === 204;
      });
      answered.push(round);
    }
    t.true(await until(async () => service.enginePid() !== killed && (await service.code('SELECT 1')) === 0, 30_000));
    for (const i of [0, 1, 150, 299]) {
      const rows = await service.rows(`SELECT _value FROM many.many_m${i} ORDER BY _ts`);
      const stored = new Set(rows.map(([value]) => Number(value)));
      t.deepEqual(
        answered.filter((round) => !stored.has(round)),
        [],
        `metric ${i}`,
      );
      t.is(stored.size, rows.length);
    }
  },
);
