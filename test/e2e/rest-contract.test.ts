import { gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { version } from '../../src/model/version.js';
import { basicOf, type RequestParts, root } from '../support/service/service.js';
import { sharedService } from '../support/service/shared-service.js';

const { service, end } = await sharedService();
const mapped = await service.attach('--httpCodeServerError=true', '--cors.allowAllOrigins=false');
test.after.always(async () => {
  await mapped.stop();
  await end();
});

/** What `/rest/sql` is asked, and the whole answer: its status here and with `httpCodeServerError`, and its text. */
interface Case {
  readonly request: Partial<RequestParts>;
  readonly status: number;
  /** Where it differs. */
  readonly mapped?: number;
  /** The whole text, or a pattern of it. */
  readonly text: string | RegExp;
}

const one = '{"code":0,"column_meta":[["1","BIGINT",8]],"data":[[1]],"rows":1}';
const noneAffected = '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":[[0]],"rows":1}';

function refused(code: number, desc: string): string {
  return JSON.stringify({ code, desc });
}

/** Asks for `select 1` with these credentials. */
function authorized(auth: string | false): RequestParts {
  return { path: '/rest/sql', body: 'select 1', auth };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** `path` is `/rest/sql` unless given, the method POST, the credentials those of root. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  'who asks without credentials, or with broken ones, is sent which': [
    { request: authorized(false), status: 401, text: refused(4357, 'no auth info input') },
    { request: authorized(''), status: 401, text: refused(4357, 'no auth info input') },
    { request: authorized('Basic !!!'), status: 401, text: refused(4388, 'invalid basic Authorization') },
    {
      request: authorized(`Basic ${base64('nocolon')}`),
      status: 401,
      text: refused(4388, 'invalid basic Authorization'),
    },
    { request: authorized(basicOf(root.user, '')), status: 401, text: refused(4388, 'invalid basic Authorization') },
    { request: authorized(basicOf('', 'x')), status: 401, text: refused(4388, 'invalid basic Authorization') },
    { request: authorized('Digest x'), status: 401, text: refused(4386, 'invalid type of Authorization') },
    { request: authorized('Basic'), status: 401, text: refused(4386, 'invalid type of Authorization') },
    { request: authorized('Custom AAAA'), status: 401, text: refused(4389, 'invalid custom Authorization') },
    { request: authorized(basicOf(root.user, 'wrong')), status: 401, text: refused(855, 'Authentication failure') },
    { request: authorized(basicOf('nobody', 'wrong')), status: 401, text: refused(855, 'Authentication failure') },
    { request: authorized('Bearer unknown'), status: 401, text: refused(855, 'Authentication failure') },
  ],
  'an empty body and a blank one have their own codes, behind the credentials': [
    { request: { body: '' }, status: 400, text: refused(4358, 'request is empty') },
    { request: { body: '   ' }, status: 400, text: refused(4359, 'no sql input') },
    { request: { body: '\r\n\t\v\f ' }, status: 400, text: refused(4359, 'no sql input') },
    { request: { body: `select 1${' '.repeat(3_000_000)}` }, status: 200, mapped: 500, text: /^\{"code":537,/ },
    { request: { body: `${' '.repeat(1_000_000)}select 1${' '.repeat(1_000_000)}` }, status: 200, text: one },
    { request: { body: '', auth: false }, status: 401, text: refused(4357, 'no auth info input') },
    {
      request: { body: gzipSync(''), headers: { 'content-encoding': 'gzip' } },
      status: 400,
      text: refused(4358, 'request is empty'),
    },
  ],
  'a bad parameter is named, the first one in the order of checks': [
    {
      request: { path: '/rest/sql?req_id=x%201', auth: false },
      status: 400,
      text: /^\{"code":65535,"desc":"illegal param, req_id/,
    },
    ...['%207', 'a%0ab'].map((id) => ({
      request: { path: `/rest/sql?req_id=${id}` },
      status: 400,
      text: /^\{"code":65535,"desc":"illegal param, req_id must have at most 128 characters/,
    })),
    ...['9f1c7a60-5b0e-4d11-8a53-0242ac120002', 'x1', '1.5', '-3', '0', '7', '%2B7', '-9223372036854775808', ''].map(
      (id) => ({
        request: { path: `/rest/sql?req_id=${id}`, body: 'select 1' },
        status: 200,
        text: one,
      }),
    ),
    {
      request: { path: '/rest/sql?tz=bad&row_with_meta=bad' },
      status: 400,
      text: refused(65535, 'unknown time zone bad'),
    },
    ...['%2B08:00', 'utc', 'asia/tokyo', 'UTC%2B8'].map((tz) => ({
      request: { path: `/rest/sql?tz=${tz}` },
      status: 400,
      text: refused(65535, `unknown time zone ${decodeURIComponent(tz)}`),
    })),
    ...['../etc/passwd', '/UTC', '%5CUTC'].map((tz) => ({
      request: { path: `/rest/sql?tz=${tz}` },
      status: 400,
      text: refused(65535, 'time: invalid location name'),
    })),
    {
      request: { path: '/rest/sql?row_with_meta=maybe' },
      status: 400,
      text: /^\{"code":65535,"desc":"illegal param, row_with_meta must be boolean/,
    },
    { request: { path: '/rest/sql?tz=UTC&tz=bad', body: 'select 1' }, status: 200, text: one },
  ],
  'one statement is taken, with blanks around it and a semicolon behind it': [
    { request: { body: ' \n\tselect 1;\r\n' }, status: 200, text: one },
    { request: { body: 'select 1; select 2' }, status: 200, mapped: 400, text: /^\{"code":9728,/ },
    {
      request: { body: 'not a statement' },
      status: 200,
      mapped: 400,
      text: /^\{"code":9728,"desc":"syntax error near/,
    },
    { request: { body: 'not <a> & "b"' }, status: 200, mapped: 400, text: /\\u003ca\\u003e \\u0026 \\"b\\"/ },
    {
      request: { body: 'select * from demo.nothing' },
      status: 200,
      mapped: 500,
      text: /^\{"code":9826,.*not exist: nothing at line 1, column 20"\}$/,
    },
  ],
  'the database comes from the address or stands in the statement': [
    { request: { body: 'select v from one' }, status: 200, mapped: 500, text: refused(9750, 'Database not specified') },
    { request: { body: 'use demo' }, status: 200, text: noneAffected },
    { request: { body: 'select v from one' }, status: 200, mapped: 500, text: refused(9750, 'Database not specified') },
    { request: { path: '/rest/sql/demo', body: 'select v as `1` from one' }, status: 200, text: one },
    { request: { path: '/rest/sql/none', body: 'select v as `1` from demo.one' }, status: 200, text: one },
    { request: { path: '/rest/sql/d%65mo', body: 'select v as `1` from one' }, status: 200, text: one },
    {
      request: { path: '/rest/sql/not_yet', body: 'create database if not exists not_yet' },
      status: 200,
      text: noneAffected,
    },
    { request: { path: '/rest/sql/de%2Fmo', body: 'select 1' }, status: 404, text: '404 page not found' },
  ],
  'rows are arrays, or objects by column name': [
    {
      request: { path: '/rest/sql?row_with_meta=T', body: 'select 1' },
      status: 200,
      text: one.replace('[[1]]', '[{"1":1}]'),
    },
    { request: { path: '/rest/sql?row_with_meta=False', body: 'select 1' }, status: 200, text: one },
    {
      request: { path: '/rest/sql?row_with_meta=1', body: 'create database if not exists not_yet' },
      status: 200,
      text: noneAffected.replace('[[0]]', '[{"affected_rows":0}]'),
    },
    {
      request: { body: 'select count(*), v from demo.one where v > 100 group by v' },
      status: 200,
      text: '{"code":0,"column_meta":[["count(*)","BIGINT",8],["v","BIGINT",8]],"data":[],"rows":0}',
    },
  ],
  'a body may be compressed': [
    { request: { body: gzipSync('select 1'), headers: { 'content-encoding': 'gzip' } }, status: 200, text: one },
    {
      request: { body: gzipSync(gzipSync('select 1')), headers: { 'content-encoding': 'gzip, GZIP' } },
      status: 200,
      text: one,
    },
    { request: { body: 'select 1', headers: { 'content-encoding': 'gzip' } }, status: 400, text: /^\{"code":65535,/ },
    {
      request: { body: 'select 1', headers: { 'content-encoding': 'gzip, br' } },
      status: 415,
      text: /^\{"code":65535,/,
    },
    { request: { body: 'select 1', headers: { 'content-encoding': 'deflate' } }, status: 200, text: one },
  ],
  'an interface that does not exist is 404 in plain text': [
    { request: { method: 'GET' }, status: 404, text: '404 page not found' },
    { request: { path: '/no/such' }, status: 404, text: '404 page not found' },
    { request: { path: '/rest/sqlt' }, status: 404, text: '404 page not found' },
    { request: { path: '/rest/sqlutc' }, status: 404, text: '404 page not found' },
    { request: { path: '/REST/sql' }, status: 404, text: '404 page not found' },
  ],
};

test.before(async () => {
  await service.run('CREATE DATABASE demo');
  await service.run('CREATE TABLE demo.one (ts TIMESTAMP, v BIGINT)');
  await service.run('INSERT INTO demo.one VALUES (1700000000000, 1)');
});

for (const [title, list] of Object.entries(cases)) {
  test(title, async (t) => {
    for (const { request, status, mapped: other = status, text } of list) {
      for (const [client, expected] of [
        [service, status],
        [mapped, other],
      ] as const) {
        const reply = await client.request({ path: '/rest/sql', ...request });
        const sent = JSON.stringify({ ...request, expected });
        t.is(reply.status, expected, `${sent}\n${reply.text}`);
        if (typeof text === 'string') t.is(reply.text, text, sent);
        else t.regex(reply.text, text, sent);
        if (expected !== 404) t.is(reply.headers['content-type'], 'application/json; charset=utf-8', sent);
      }
    }
  });
}

test('an answer is compressed where the client takes that', async (t) => {
  const response = await service.open({ path: '/rest/sql', body: 'select 1', headers: { 'accept-encoding': 'gzip' } });
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  t.is(response.headers['content-encoding'], 'gzip');
  t.is(response.headers.vary, 'Accept-Encoding');
  t.is(gunzipSync(Buffer.concat(pieces)).toString(), one);
});

test('an authorization code stands for user and password, unless a character of it is changed', async (t) => {
  const login = await service.request({ method: 'GET', path: '/rest/login/root/taosdata', auth: false });
  const { code, desc }: { code: number; desc: string } = JSON.parse(login.text);
  t.deepEqual([login.status, code], [200, 0]);
  t.is((await service.request(authorized(`Custom ${desc}`))).text, one);
  const changed = desc.slice(0, 20) + (desc[20] === 'A' ? 'B' : 'A') + desc.slice(21);
  t.is((await service.request(authorized(`Custom ${changed}`))).status, 401);
  const wrong = await service.request({ method: 'GET', path: '/rest/login/root/wrong', auth: false });
  t.deepEqual([wrong.status, wrong.text], [401, refused(3, 'Authentication failure')]);
  const long = await service.request({ method: 'GET', path: `/rest/login/${'x'.repeat(25)}/y`, auth: false });
  t.deepEqual([long.status, long.text], [400, refused(4362, 'generate token error')]);
});

test('a page of another origin is let in, or refused where not all of them are allowed', async (t) => {
  const origin = 'http://x.example';
  const asked = await service.request({ method: 'OPTIONS', path: '/rest/sql', headers: { origin }, auth: false });
  t.deepEqual([asked.status, asked.headers['access-control-allow-origin']], [204, '*']);
  const foreign = { path: '/rest/sql', body: 'select 1', headers: { origin } };
  const open = await service.request(foreign);
  t.deepEqual([open.status, open.headers['access-control-allow-origin']], [200, '*']);
  const closed = await mapped.request(foreign);
  t.deepEqual(
    [closed.status, closed.text],
    [403, refused(0xffff, `origin ${origin} is not allowed, see cors.allowOrigins`)],
  );
});

test('a browser may not use the first password for a foreign page or under a foreign name, other passwords it may', async (t) => {
  await service.run("CREATE USER webber PASS 'Secret_12'");
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
  const origin = 'http://evil.example';
  const pages = [
    [{ ...browser, origin }, `origin ${origin}`],
    [{ ...browser, host: 'evil.example:6041', origin: 'http://evil.example:6041' }, 'host evil.example'],
  ] as const;
  const login = await service.request({ method: 'GET', path: '/rest/login/root/taosdata', auth: false });
  const code: { readonly desc: string } = JSON.parse(login.text);
  const write = '/lineproto/v1/write?db=demo&u=root&p=taosdata';
  const own = { ...browser, origin: `http://127.0.0.1:${service.port}` };
  for (const [headers, page] of pages) {
    const calls: readonly RequestParts[] = [
      { path: '/rest/sql', body: 'select 1', headers },
      { path: '/rest/sql', body: 'select 1', headers, auth: `Custom ${code.desc}` },
      { method: 'GET', path: '/rest/login/root/taosdata', headers, auth: false },
      { path: write, body: 'cpu value=1', headers, auth: false },
    ];
    // A connection that has brought the same credentials for the page of the service.
    t.is((await service.request({ path: '/rest/sql', body: 'select 1', headers: own })).status, 200);
    for (const call of calls) {
      const { status, text } = await service.request(call);
      t.is(status, 403, `${call.path} ${text}`);
      t.true(text.includes(`${page} may not use the first password of root`), text);
    }
    t.is((await service.sql('select 1', { headers, auth: basicOf('webber', 'Secret_12') })).status, 200);
    t.is((await service.sql('select 1', { headers, auth: basicOf('root', 'wrong') })).status, 401);
  }
  t.is((await service.request({ path: '/rest/sql', body: 'select 1', headers: own })).status, 200);
});

test('a browser is not asked for Basic, which it would remember for the requests of every page', async (t) => {
  const schemeFor = async (headers: Record<string, string>) =>
    (await service.request({ path: '/rest/sql', body: 'select 1', headers, auth: false })).headers['www-authenticate'];
  t.is(await schemeFor({}), 'Basic realm="adapter"');
  t.is(await schemeFor({ 'user-agent': 'Mozilla/5.0 (X11)' }), 'Bearer realm="adapter"');
  t.is(await schemeFor({ 'sec-fetch-site': 'cross-site' }), 'Bearer realm="adapter"');
});

test('adapter and database say one version', async (t) => {
  const [[server, client] = []] = await service.rows('SELECT SERVER_VERSION(), CLIENT_VERSION()');
  const description = await service.request({ method: 'GET', path: '/openapi.json', auth: false });
  const document: { readonly info: { readonly version: string } } = JSON.parse(description.text);
  const { text } = await service.request({ method: 'GET', path: '/metrics', auth: false });
  const said = [server, client, document.info.version, /adapter_build_info\{version="([^"]*)"/.exec(text)?.[1]];
  for (const row of await service.rows('SHOW VARIABLES')) if (row[0] === 'version') said.push(row[1]);
  t.deepEqual(
    said,
    Array.from({ length: 5 }, () => version),
  );
});

test('a row limit cuts a result, of 0 to nothing', async (t) => {
  const limited = await service.attach('--restfulRowLimit=0');
  t.teardown(() => limited.stop());
  t.is(
    (await limited.request({ path: '/rest/sql', body: 'select 1' })).text,
    one.replace('[[1]],"rows":1', '[],"rows":0'),
  );
  t.is((await limited.request({ path: '/rest/sql', body: 'use demo' })).text, noneAffected);
});
