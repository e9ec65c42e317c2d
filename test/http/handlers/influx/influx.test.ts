import test from 'ava';
import { delivered } from '../../../../src/model/delivery.js';
import type { Credentials, WriteRequest } from '../../../../src/model/exchange.js';
import { Codes, fault } from '../../../../src/model/fault.js';
import { answering, basic, password, rows, send, startServer, user } from '../../../support/inputs/http-server.js';

const bad = fault('parameter', Codes.lineSyntax, 'no field');

test('all writes say database and precision in their own way', async (t) => {
  const seen: WriteRequest[] = [];
  const server = await startServer(t, answering(seen));
  for (const path of [
    '/write?db=d&rp=autogen&consistency=one&precision=ms',
    '/api/v2/write?org=o&bucket=d/autogen&precision=ms',
    '/api/v3/write_lp?db=d&precision=millisecond&no_sync=true',
  ]) {
    const reply = await send(server, { path, body: 'm v=1' });
    t.deepEqual([reply.status, reply.headers['x-influxdb-version']], [204, '1.8.10'], path);
    t.like(seen.pop(), { format: 'lineproto', target: { database: 'd', precision: 'ms', ttl: 0 } });
  }
});

test('a write of version 3 tells units by their size, and takes a text whole where it must not be stored in part', async (t) => {
  const seen: WriteRequest[] = [];
  const rejects = [
    { row: 3, fault: bad },
    { row: 1, fault: bad, text: 'm v=' },
  ];
  const bad3 = await startServer(t, answering(seen, delivered(0, 3, rejects)));
  const [line2, line4] = ['m v=', ''].map((text, at) => ({
    original_line: text,
    line_number: 2 + 2 * at,
    error_message: 'no field',
  }));
  const path = '/api/v3/write_lp?db=d';
  for (const [query, precision] of [
    ['', 'auto'],
    ['&precision=auto', 'auto'],
    ['&precision=s&accept_partial=true', 's'],
  ] as const) {
    const reply = await send(bad3, { path: `${path}${query}`, body: 'm v=1' });
    const desc = 'partial write: line 2: [0x21b] no field (3 rejected, 0 written) dropped=3';
    const error = 'partial write of line protocol occurred';
    t.deepEqual(JSON.parse(reply.text), { error, data: [line2, line4], code: 0x21b, desc });
    t.is(reply.headers['x-influxdb-error'], desc);
    t.like(seen.pop(), { maxMessageBytes: undefined, target: { precision, isWhole: undefined } });
  }
  const whole = await send(bad3, { path: `${path}&accept_partial=false`, body: 'm v=1' });
  t.is(whole.status, 400);
  t.deepEqual(JSON.parse(whole.text), {
    error: 'parsing failed for write_lp endpoint',
    data: line2,
    code: 0x21b,
    desc: 'no line is written, because accept_partial is false: line 2: [0x21b] no field (3 rejected, 0 written)',
  });
  t.like(seen.pop(), { maxMessageBytes: 4_194_304, target: { isWhole: true } });
  const word = await send(bad3, { path: `${path}&accept_partial=maybe`, body: 'm v=1' });
  t.deepEqual(
    [word.status, JSON.parse(word.text).error],
    [400, 'illegal param, accept_partial must be boolean: "maybe"'],
  );
  const long = fault('parameter', Codes.statementTooLong, 'the body is longer than 4194304 bytes');
  const refusing = await startServer(t, {
    write: (exchange) => {
      exchange.request.body.resume();
      exchange.refuse(long);
    },
  });
  const tooLong = await send(refusing, { path: `${path}&accept_partial=false`, body: 'm v=1' });
  t.deepEqual(
    [tooLong.status, JSON.parse(tooLong.text).error],
    [413, 'with accept_partial=false the body may have at most 4194304 bytes'],
  );
  t.is((await send(bad3, { path: '/write?db=d&precision=auto', body: 'm v=1' })).status, 400);
});

test('credentials are those of a parameter, of a Basic header or of a token', async (t) => {
  const seen: WriteRequest[] = [];
  const server = await startServer(t, answering(seen));
  const known: Credentials = { scheme: 'password', user, password, from: '127.0.0.1' };
  const cases: [string, string | undefined, Credentials][] = [
    ['', basic, known],
    ['', `Token ${user}:${password}`, known],
    ['', `Bearer ${user}:${password}`, known],
    ['', 'Token abc==', { scheme: 'token', token: 'abc==', from: '127.0.0.1' }],
    [`&u=${user}&p=${encodeURIComponent(password)}`, undefined, known],
    [`&u=${user}&p=${encodeURIComponent(password)}`, 'Token abc', known],
  ];
  for (const [query, authorization, expected] of cases) {
    const headers = authorization === undefined ? {} : { authorization };
    await send(server, { path: `/write?db=d${query}`, headers, auth: false, body: 'm v=1' });
    t.deepEqual(seen.pop()?.credentials, expected, `${authorization} ${query}`);
  }
});

test('refusals of version 1 are one text that clients know, in the body and a header', async (t) => {
  const server = await startServer(t, answering([], delivered(3, 2, [{ row: 1, fault: bad }])));
  const cases = [
    ['/write?db=d', {}, 400, 'partial write: line 2: [0x21b] no field (2 rejected, 3 written) dropped=2'],
    ['/write?db=none', {}, 404, 'database not found: "none"'],
    ['/write', {}, 400, 'parameter db is required'],
    [
      '/write?db=d&precision=y',
      {},
      400,
      'parameter precision must be one of n, ns, u, us, \u00b5, \u00b5s, \u03bc, \u03bcs, ms, s, m, h',
    ],
    ['/write?db=d', { auth: false }, 401, 'unable to parse authentication credentials: no auth info input'],
    [
      '/write?db=d',
      { headers: { authorization: 'Digest x' } },
      401,
      'authorization failed: invalid type of Authorization',
    ],
  ] as const;
  for (const [path, more, status, error] of cases) {
    const reply = await send(server, { path, body: 'm v=1', ...more });
    t.is(reply.status, status, path);
    t.like(JSON.parse(reply.text), { error, desc: error });
    t.is(reply.headers['x-influxdb-error'], error.replace(/[^ -~]/g, '?'));
  }
});

test('refusals of version 2 are code and message', async (t) => {
  const server = await startServer(t, answering([], delivered(3, 2, [{ row: 1, fault: bad }])));
  const path = '/api/v2/write?bucket=d';
  const cases = [
    [
      path,
      {},
      400,
      { code: 'invalid', message: 'line 2: [0x21b] no field (2 rejected, 3 written)', op: 'parse line', line: 2 },
    ],
    ['/api/v2/write?bucket=none', {}, 404, { code: 'not found', message: 'bucket "none" not found' }],
    ['/api/v2/write', {}, 400, { code: 'invalid', message: 'parameter bucket is required' }],
    [path, { auth: false }, 401, { code: 'unauthorized', message: 'no auth info input' }],
  ] as const;
  for (const [at, more, status, body] of cases) {
    const reply = await send(server, { path: at, body: 'm v=1', ...more });
    t.deepEqual([reply.status, JSON.parse(reply.text)], [status, { ...body, desc: body.message }], at);
  }
});

test('statements run as SQL, from the query string or a form, and the first failure ends them', async (t) => {
  const asked: string[] = [];
  const server = await startServer(t, {
    sql: ({ request, answer, refuse }) => {
      const text = request.statement.toString();
      asked.push(text);
      if (text.includes('taken')) refuse(fault('database', Codes.insufficientPrivilege, 'Insufficient privilege'));
      else if (/^(?:CREATE|DROP)/.test(text)) answer({ kind: 'affected', rows: 0 });
      else if (text.startsWith('SHOW')) answer(rows('["a"]\n["information_schema"]\n["b', '"]\n'));
      else answer(rows('["3650d,3650d,3650d"]\n'));
    },
  });
  const get = await send(server, { method: 'GET', path: `/query?q=${encodeURIComponent('SHOW DATABASES')}` });
  const databases = { name: 'databases', columns: ['name'], values: [['a'], ['b']] };
  t.deepEqual(JSON.parse(get.text), { results: [{ statement_id: 0, series: [databases] }] });
  t.is(get.headers['x-influxdb-version'], '1.8.10');
  const body = new URLSearchParams({
    q: 'CREATE DATABASE "x`y" WITH DURATION 3d; SHOW RETENTION POLICIES',
    db: "it's",
  }).toString();
  const post = await send(server, { path: '/query', body });
  const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'];
  const policies = { columns, values: [['autogen', '87600h0m0s', '168h0m0s', 1, true]] };
  t.deepEqual(JSON.parse(post.text), { results: [{ statement_id: 0 }, { statement_id: 1, series: [policies] }] });
  t.deepEqual(asked.slice(1), [
    "CREATE DATABASE IF NOT EXISTS `x``y` PRECISION 'ns' KEEP 4320m",
    "SELECT `keep` FROM information_schema.ins_databases WHERE name = 'it\\'s'",
  ]);
  const tidied = await send(server, {
    path: `/query?q=${encodeURIComponent('CREATE RETENTION POLICY p ON d DURATION 1d REPLICATION 1;DROP DATABASE d')}`,
  });
  const [changed, dropped] = JSON.parse(tidied.text).results;
  t.regex(JSON.stringify(changed.messages), /^\[\{"level":"warning","text":"retention policies mean nothing here/);
  t.deepEqual([dropped, asked.at(-1)], [{ statement_id: 1 }, 'DROP DATABASE IF EXISTS `d`']);
  // The Python client with gzip switched on says so of a request without a body, too.
  const named = { path: `/query?q=${encodeURIComponent('SHOW DATABASES')}`, headers: { 'content-encoding': 'gzip' } };
  t.is((await send(server, named)).text, get.text);
  const failed = await send(server, { path: `/query?q=${encodeURIComponent('CREATE DATABASE taken;SHOW DATABASES')}` });
  t.deepEqual(JSON.parse(failed.text), { results: [{ statement_id: 0, error: 'Insufficient privilege' }] });
  const select = await send(server, { path: `/query?q=${encodeURIComponent('SELECT * FROM cpu')}` });
  t.is(select.status, 400);
  t.regex(JSON.parse(select.text).error, /^error parsing query: SELECT \* is not answered here\. .*POST \/rest\/sql$/);
});

test('ping, health and ready send nobody who they are, and follow the memory guard', async (t) => {
  const server = await startServer(t);
  for (const method of ['GET', 'HEAD']) {
    const reply = await send(server, { method, path: '/ping', auth: false });
    t.deepEqual(
      [reply.status, reply.headers['x-influxdb-version'], reply.headers['x-influxdb-build']],
      [204, '1.8.10', 'Sluice'],
    );
  }
  const verbose = await send(server, { method: 'GET', path: '/ping?verbose=true', auth: false });
  t.deepEqual([verbose.status, JSON.parse(verbose.text)], [200, { version: '1.8.10' }]);
  t.like(JSON.parse((await send(server, { method: 'GET', path: '/health', auth: false })).text), { status: 'pass' });
  const ready = JSON.parse((await send(server, { method: 'GET', path: '/ready', auth: false })).text);
  t.is(ready.status, 'ready');
  t.true(Date.parse(ready.started) < Date.now());
  t.regex(ready.up, /^\d+\.\d{3}s$/);
  const paused = await startServer(t, { guard: () => 'all-paused' });
  t.is((await send(paused, { method: 'GET', path: '/ping', auth: false })).status, 503);
  const health = await send(paused, { method: 'GET', path: '/health', auth: false });
  t.deepEqual([health.status, JSON.parse(health.text).status], [503, 'fail']);
  t.is((await send(paused, { method: 'GET', path: '/ready', auth: false })).status, 503);
});
