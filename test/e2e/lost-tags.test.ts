import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.before(() => service.run("CREATE DATABASE lost_tags PRECISION 'ns'"));
test.after.always(end);

const at = 1_700_000_000_000_000_000n;

/** Writes lines of InfluxDB's version 1. */
async function write(...lines: readonly string[]): Promise<void> {
  const reply = await service.request({ path: '/write?db=lost_tags', body: lines.join('\n') });
  if (reply.status !== 204) throw new Error(`${reply.status} ${reply.text}`);
}

const run = (sql: string) => service.run(sql, { database: 'lost_tags' });
const select = (what: string) => service.rows(`SELECT ${what} ORDER BY _ts`, { database: 'lost_tags' });

test('a tag that was dropped comes again with the next line of a known series and of a new one', async (t) => {
  await write(
    `dropped,host=a,site=x v=1 ${at}`,
    `dropped,host=b,site=y v=2 ${at + 1n}`,
    `dropped,host=c v=3 ${at + 2n}`,
  );
  await run('ALTER STABLE dropped DROP TAG site');
  await write(`dropped,host=a,site=x v=4 ${at + 3n}`);
  await write(`dropped,host=d,site=z v=5 ${at + 4n}`, `dropped,host=c v=6 ${at + 5n}`);
  t.deepEqual(await select('host, site, v FROM dropped'), [
    ['a', 'x', 1],
    ['b', null, 2],
    ['c', null, 3],
    ['a', 'x', 4],
    ['d', 'z', 5],
    ['c', null, 6],
  ]);
  await write(`dropped,host=b,site=y v=7 ${at + 6n}`);
  t.deepEqual(await select("host, v FROM dropped WHERE site = 'y'"), [
    ['b', 2],
    ['b', 7],
  ]);
});

test('a tag that was renamed stays beside the one that lines bring, and other values stay as they were set', async (t) => {
  await write(`renamed,host=a,site=x v=1 ${at}`);
  const [[name] = []] = await select('tbname FROM renamed');
  await run(`ALTER TABLE \`${name}\` SET TAG host = 's'`);
  await run('ALTER STABLE renamed RENAME TAG site place');
  await write(`renamed,host=a,site=x v=2 ${at + 1n}`);
  t.deepEqual(await select('host, place, site, v FROM renamed'), [
    ['s', 'x', 'x', 1],
    ['s', 'x', 'x', 2],
  ]);
});

test('many series get a tag again, each its own value', async (t) => {
  const lines = Array.from({ length: 1200 }, (_, i) => `many,host=h${i},site=it's\\ ${i} v=${i} ${at}`);
  await write(...lines);
  await run('ALTER STABLE many DROP TAG site');
  await write(...lines);
  const { length } = lines;
  t.deepEqual(await service.rows('SELECT COUNT(*), COUNT(DISTINCT site) FROM many', { database: 'lost_tags' }), [
    [length, length],
  ]);
  t.deepEqual(await select("host, v FROM many WHERE site = 'it''s 700'"), [['h700', 700]]);
});

test('data of OpenTSDB and OpenTelemetry and pushed text get dropped tags again, too', async (t) => {
  const json = (body: unknown) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const attributes = [
    { key: 'host', value: { stringValue: 'a' } },
    { key: 'site', value: { stringValue: 'x' } },
  ];
  const dataPoints = [{ timeUnixNano: String(at), asDouble: 1, attributes }];
  const metrics = [{ name: 'by_otlp', gauge: { dataPoints } }];
  const point = { metric: 'by_put', timestamp: 1_700_000_000, value: 1, tags: { host: 'a', site: 'x' } };
  const send = async () => {
    const replies = [
      await service.request({ path: '/api/put?db=lost_tags', ...json(point) }),
      await service.request({
        path: '/v1/metrics?db=lost_tags',
        ...json({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }),
      }),
      await service.request({ path: '/metrics/job/j?db=lost_tags', body: 'by_push{host="a",site="x"} 1\n' }),
    ];
    t.true(replies.every(({ status }) => status === 200 || status === 204));
  };
  await send();
  const tables = ['by_put', 'by_otlp', 'by_push'];
  for (const table of tables) await run(`ALTER STABLE ${table} DROP TAG site`);
  await send();
  for (const table of tables) {
    t.deepEqual(
      await service.rows(`SELECT TAGS host, site FROM ${table}`, { database: 'lost_tags' }),
      [['a', 'x']],
      table,
    );
  }
});

test('statements give no tags to sub-tables that are there', async (t) => {
  await run('CREATE STABLE by_sql (_ts TIMESTAMP, v INT) TAGS (host NCHAR(8), site NCHAR(8))');
  await run("INSERT INTO by_sql_a USING by_sql TAGS ('a', 'x') VALUES (1700000000000000000, 1)");
  await run('ALTER STABLE by_sql DROP TAG site');
  await run('ALTER STABLE by_sql ADD TAG site NCHAR(8)');
  await run("INSERT INTO by_sql_a USING by_sql TAGS ('a', 'y') VALUES (1700000000000000001, 2)");
  t.deepEqual(await select('host, site, v FROM by_sql'), [
    ['a', null, 1],
    ['a', null, 2],
  ]);
});
