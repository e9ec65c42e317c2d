import test from 'ava';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
test.after.always(end);

/** The answer of `GET /query` to a statement, for a database. */
async function query(q: string, db: string): Promise<unknown> {
  const { text } = await service.request({ method: 'GET', path: `/query?${new URLSearchParams({ q, db })}` });
  return JSON.parse(text);
}

test('the name of a database is a text of the statement, whatever it holds', async (t) => {
  await service.run('CREATE DATABASE influx_quoted');
  for (const name of ["none\\' OR 1=1 -- ", "none' OR 1=1 -- ", 'none\\']) {
    const error = `database not found: ${name}`;
    t.deepEqual(await query('SHOW RETENTION POLICIES', name), { results: [{ statement_id: 0, error }] });
  }
});

test('paths of queries of version 3 tell whether a token is right', async (t) => {
  for (const path of ['/api/v3/query_sql', '/api/v3/query_influxql']) {
    for (const method of ['GET', 'POST']) {
      const body = method === 'GET' ? '' : '{}';
      const right = await service.request({ method, path, body, auth: 'Bearer root:taosdata' });
      t.deepEqual([right.status, /POST \/rest\/sql/.test(right.text)], [400, true]);
      t.is((await service.request({ method, path, body, auth: 'Bearer root:nope' })).status, 401);
      t.is((await service.request({ method, path, body, auth: false })).status, 401);
    }
  }
});

test('Token and Bearer take passwords of other letters, and stand beside empty parameters', async (t) => {
  const password = 'Agentsé密123!';
  await service.run('CREATE DATABASE influx_tokens');
  await service.run(`CREATE USER token_user PASS '${password}'`);
  await service.run('GRANT ALL ON influx_tokens.* TO token_user');
  const token = Buffer.from(`token_user:${password}`).toString('latin1');
  for (const scheme of ['Token', 'Bearer']) {
    for (const path of [
      '/write?db=influx_tokens',
      '/api/v2/write?bucket=influx_tokens',
      '/api/v3/write_lp?db=influx_tokens',
    ]) {
      t.is(
        (await service.request({ path, body: Buffer.from('m v=1'), auth: `${scheme} ${token}` })).status,
        204,
        `${scheme} ${path}`,
      );
    }
    for (const auth of [`${scheme} ${token}`, `${scheme} root:taosdata`]) {
      t.is(
        (await service.request({ path: '/write?db=influx_tokens&u=&p=', body: Buffer.from('m v=1'), auth })).status,
        204,
      );
      const query = await service.request({ method: 'GET', path: '/query?q=SHOW+DATABASES&u=&p=', auth });
      t.deepEqual([query.status, query.text.includes('influx_tokens')], [200, true]);
    }
  }
});

test('a database that clients make without a time, or for ever, keeps rows as long as one can', async (t) => {
  const keepOf = async (name: string): Promise<unknown> => {
    const rows = await service.rows(`SELECT \`keep\` FROM information_schema.ins_databases WHERE name = '${name}'`);
    return rows[0]?.[0];
  };
  const days = '365000d,365000d,365000d';
  const json = { 'content-type': 'application/json' };
  for (const [name, make] of [
    ['ever_plain', { method: 'POST', path: '/query?q=CREATE+DATABASE+ever_plain' }],
    [
      'ever_inf',
      { method: 'POST', path: '/query?q=CREATE+DATABASE+ever_inf+WITH+DURATION+INF+REPLICATION+1+NAME+autogen' },
    ],
    ['ever_zero', { method: 'POST', path: '/query?q=CREATE+DATABASE+ever_zero+WITH+DURATION+0s' }],
    [
      'ever_bucket',
      { path: '/api/v2/buckets', headers: json, body: '{"name":"ever_bucket","retentionRules":[{"everySeconds":0}]}' },
    ],
    ['ever_bare', { path: '/api/v2/buckets', headers: json, body: '{"name":"ever_bare"}' }],
    ['ever_written', { path: '/write?db=ever_written', body: 'n v=1' }],
  ] as const) {
    const reply = await service.request(make);
    t.true(reply.status < 300, reply.text);
    const old = await service.request({ path: `/write?db=${name}`, body: 'm v=7 1420070400000000000' });
    t.is(old.status, 204, old.text);
    t.deepEqual(await service.rows(`SELECT v FROM ${name}.m`), [[7]]);
    t.is(await keepOf(name), days);
    const [policy] = (
      JSON.parse(JSON.stringify(await query('SHOW RETENTION POLICIES', name))) as {
        results: { series: { values: unknown[][] }[] }[];
      }
    ).results[0]!.series[0]!.values;
    t.is(policy?.[1], '0s');
  }
});

test('a bucket is read, changed and dropped by its id', async (t) => {
  const headers = { 'content-type': 'application/json' };
  const day = 86_400;
  const of = async (method: string, path: string, body = '') => {
    const reply = await service.request({ method, path, headers, body });
    const { name, id, retentionRules, message, code } = reply.text === '' ? {} : JSON.parse(reply.text);
    return { status: reply.status, name, id, seconds: retentionRules?.[0]?.everySeconds, message, code };
  };
  const description = JSON.stringify({ name: 'by_id', retentionRules: [{ type: 'expire', everySeconds: 90 * day }] });
  await of('POST', '/api/v2/buckets', description);
  const path = '/api/v2/buckets/by_id';
  t.like(await of('GET', path), { status: 200, name: 'by_id', id: 'by_id', seconds: 90 * day });
  const rules = (everySeconds: unknown) => JSON.stringify({ retentionRules: [{ type: 'expire', everySeconds }] });
  t.like(await of('PATCH', path, rules(60 * day)), { status: 200, seconds: 60 * day });
  t.like(await of('PATCH', path, rules(0)), { status: 200, seconds: 0 });
  t.like(await of('PATCH', path, '{"description":"x"}'), { status: 200, seconds: 0 });
  t.like(await of('PATCH', path, rules('1d')), { status: 400, code: 'invalid' });
  t.like(await of('PATCH', path, rules(3600)), { status: 200, seconds: day });
  t.like(await of('PATCH', path, '{"name":"other"}'), { status: 400, message: 'a bucket cannot be renamed' });
  t.like(await of('PATCH', path, 'x'), { status: 400 });
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    t.like(await of(method, '/api/v2/buckets/no_such'), { status: 404, code: 'not found' });
  }
  t.is((await of('DELETE', path)).status, 204);
  t.is((await of('GET', path)).status, 404);
  t.like(await of('GET', '/api/v2/orgs/acme'), { status: 200, id: 'acme', name: 'acme' });
});

test('a bad line far behind in a long body is shown as it came', async (t) => {
  await service.run("CREATE DATABASE long_bodies PRECISION 'ns'");
  const good = (i: number) =>
    `ol,i=${i % 50} v=${i}i,pad="${'p'.repeat(40)}" ${1_700_000_000_000_000_000n + BigInt(i)}`;
  const lines = [...Array(30_000).keys()].map((i) => (i === 29_000 ? 'ol,i=0 v=bad' : good(i)));
  const reply = await service.request({ path: '/api/v3/write_lp?db=long_bodies', body: lines.join('\n') });
  t.like(JSON.parse(reply.text).data[0], { original_line: 'ol,i=0 v=bad', line_number: 29_001 });
  const point = (i: number) => ({ metric: 'op', timestamp: 1_700_000_000 + i, value: i, tags: { p: 'p'.repeat(100) } });
  const bad = { metric: 'op', timestamp: 'never', value: 1, tags: { a: 'b' } };
  const points = [...Array(30_000).keys()].map((i) => (i === 29_000 ? bad : point(i)));
  const put = await service.request({ path: '/api/put?details&db=long_bodies', body: JSON.stringify(points) });
  const answer = JSON.parse(put.text);
  t.like(answer, { success: 29_999, failed: 1 });
  t.deepEqual(answer.errors[0].datapoint, bad);
});
