import { once } from 'node:events';
import http from 'node:http';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import type { Exchange, SqlAnswer, SqlRequest } from '../../../src/model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../../src/model/fault.js';
import {
  ask,
  askSql,
  basic,
  connect,
  isKnown,
  type Reply,
  type RoomOptions,
  rows,
  startRoom,
  wrongPassword,
} from '../../support/http-room.js';

/** Remembers the requests that came through and answers each with one row. */
function recording(seen: SqlRequest[], answer: () => SqlAnswer = () => rows('[1]\n')): RoomOptions {
  return {
    sql: (exchange) => {
      seen.push(exchange.request);
      if (!isKnown(exchange.request.credentials)) exchange.refuse(wrongPassword);
      else exchange.answer(answer());
    },
  };
}

function refusing(found: Fault): (exchange: Exchange<SqlRequest, SqlAnswer>) => void {
  return (exchange) => exchange.refuse(found);
}

function codeOf(reply: Reply): unknown {
  return JSON.parse(reply.text).code;
}

function descOf(reply: Reply): string {
  return JSON.parse(reply.text).desc;
}

test('a request without Authorization is 401 with code 4357 and names the scheme to use', async (t) => {
  const reply = await askSql(await startRoom(t), 'select 1', { auth: false });
  t.is(reply.status, 401);
  t.is(reply.text, '{"code":4357,"desc":"no auth info input"}');
  t.is(reply.headers['www-authenticate'], 'Basic realm="adapter"');
  t.is(reply.headers['content-length'], String(reply.body.length));
  t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
});

test('malformed Authorization headers are 401 with their own codes', async (t) => {
  const room = await startRoom(t);
  const cases = [
    ['Basic !!!', 4388],
    [`Basic ${Buffer.from('nocolon').toString('base64')}`, 4388],
    [`Basic ${Buffer.from('root:').toString('base64')}`, 4388],
    ['Digest x', 4386],
    ['Custom AAAA', 4389],
  ] as const;
  for (const [authorization, code] of cases) {
    const reply = await askSql(room, 'select 1', { headers: { authorization } });
    t.is(reply.status, 401);
    t.is(codeOf(reply), code);
  }
});

test('a wrong password is 401 with code 855 in both status modes', async (t) => {
  const authorization = `Basic ${Buffer.from('root:wrong').toString('base64')}`;
  for (const httpCodeServerError of [false, true]) {
    const room = await startRoom(t, { settings: { httpCodeServerError } });
    const reply = await askSql(room, 'select 1', { headers: { authorization } });
    t.is(reply.status, 401);
    t.is(reply.text, '{"code":855,"desc":"Authentication failure"}');
    t.truthy(reply.headers['www-authenticate']);
  }
});

test('an empty body is 400 with code 4358 and a blank one 400 with code 4359', async (t) => {
  const room = await startRoom(t);
  const empty = await askSql(room, '');
  t.deepEqual([empty.status, empty.text], [400, '{"code":4358,"desc":"request is empty"}']);
  const blank = await askSql(room, '  \n');
  t.deepEqual([blank.status, blank.text], [400, '{"code":4359,"desc":"no sql input"}']);
});

test('a bad req_id is reported before missing credentials', async (t) => {
  const room = await startRoom(t);
  for (const id of ['a%20b', '%0a', '%207']) {
    const reply = await askSql(room, 'select 1', { auth: false, path: `/rest/sql?req_id=${id}` });
    t.is(reply.status, 400);
    t.is(codeOf(reply), 65535);
    t.true(descOf(reply).startsWith('illegal param, req_id must have at most 128'));
  }
});

test('missing credentials are reported before a bad time zone and an empty body', async (t) => {
  const reply = await askSql(await startRoom(t), '', {
    auth: false,
    path: '/rest/sql?tz=No/Where&row_with_meta=maybe',
  });
  t.is(codeOf(reply), 4357);
});

test('a bad time zone is reported before row_with_meta, and that before the body', async (t) => {
  const room = await startRoom(t);
  const zone = await askSql(room, '', { path: '/rest/sql?tz=Nowhere/City&row_with_meta=maybe' });
  t.deepEqual([zone.status, zone.text], [400, '{"code":65535,"desc":"unknown time zone Nowhere/City"}']);
  const flag = await askSql(room, '', { path: '/rest/sql?row_with_meta=maybe' });
  t.is(flag.status, 400);
  t.true(descOf(flag).startsWith('illegal param, row_with_meta must be boolean'));
});

test('parameters, database and trimmed statement reach the pipeline', async (t) => {
  const seen: SqlRequest[] = [];
  const room = await startRoom(t, recording(seen));
  await askSql(room, ' \t select 1 \r\n', { path: '/rest/sql/My%20%60Db?tz=Asia/Tokyo&row_with_meta=T&req_id=-3' });
  const [request] = seen;
  t.is(request?.statement.toString(), 'select 1');
  t.is(request?.database, 'My `Db');
  t.is(request?.timeZone, 'Asia/Tokyo');
  t.true(request?.keyed);
  t.is(request?.rowLimit, -1);
});

test('a connection zone is that of the output too, and tz is not looked at beside it', async (t) => {
  const seen: SqlRequest[] = [];
  const room = await startRoom(t, recording(seen));
  await askSql(room, 'select 1', { path: '/rest/sql?tz=nonsense&conn_tz=Asia/Tokyo' });
  await askSql(room, 'select 1', { path: '/rest/sql?tz=Asia/Tokyo' });
  t.deepEqual(
    seen.map(({ timeZone, connectionZone }) => [timeZone, connectionZone]),
    [
      ['Asia/Tokyo', 'Asia/Tokyo'],
      ['Asia/Tokyo', undefined],
    ],
  );
  const unknown = await askSql(room, '', { path: '/rest/sql?conn_tz=Nowhere/City' });
  t.deepEqual([unknown.status, unknown.text], [400, '{"code":65535,"desc":"unknown time zone Nowhere/City"}']);
});

test('defaults are no database, UTC and rows as arrays', async (t) => {
  const seen: SqlRequest[] = [];
  const room = await startRoom(t, recording(seen));
  await askSql(room, 'select 1', { path: '/rest/sql?tz=&row_with_meta=&req_id=' });
  const [request] = seen;
  t.deepEqual([request?.database, request?.timeZone, request?.keyed], [undefined, 'UTC', false]);
});

test('the first of repeated parameters wins', async (t) => {
  const seen: SqlRequest[] = [];
  await askSql(await startRoom(t, recording(seen)), 'select 1', { path: '/rest/sql?tz=Asia/Tokyo&tz=Bad' });
  t.is(seen[0]?.timeZone, 'Asia/Tokyo');
});

test('the exchange carries the given request id as hexadecimal digits, or a fresh one', async (t) => {
  const ids: string[] = [];
  const room = await startRoom(t, {
    sql: (exchange) => {
      ids.push(exchange.id);
      exchange.answer(rows());
    },
  });
  for (const id of ['255', '%2B7', '-1', '0', '']) await askSql(room, 'select 1', { path: `/rest/sql?req_id=${id}` });
  t.deepEqual(ids.slice(0, 3), ['0xff', '0x7', '0xffffffffffffffff']);
  t.regex(ids[3] ?? '', /^0x20[0-9a-f]{14}$/);
  t.not(ids[3], ids[4]);
});

test('a result is exact, chunked JSON', async (t) => {
  const room = await startRoom(t, { sql: (exchange) => exchange.answer(rows('["a\\n",', '1]\n["b",2', ']\n')) });
  const reply = await askSql(room, 'select 1');
  t.is(reply.status, 200);
  t.is(reply.text, '{"code":0,"column_meta":[["v","INT",4]],"data":[["a\\n",1],["b",2]],"rows":2}');
  t.is(reply.headers['transfer-encoding'], 'chunked');
  t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
});

test('a result without rows has column meta and no data', async (t) => {
  const reply = await askSql(await startRoom(t, { sql: (exchange) => exchange.answer(rows()) }), 'select 1');
  t.is(reply.text, '{"code":0,"column_meta":[["v","INT",4]],"data":[],"rows":0}');
});

test('affected rows have their own body, keyed on request', async (t) => {
  const room = await startRoom(t, { sql: (exchange) => exchange.answer({ kind: 'affected', rows: 2 }) });
  const head = '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":';
  t.is((await askSql(room, 'insert')).text, `${head}[[2]],"rows":1}`);
  const keyed = await askSql(room, 'insert', { path: '/rest/sql?row_with_meta=1' });
  t.is(keyed.text, `${head}[{"affected_rows":2}],"rows":1}`);
});

test('the row limit ends the answer and cancels the statement', async (t) => {
  let cancelled = false;
  async function* lines() {
    try {
      for (;;) yield Buffer.from('[1]\n[2]\n[3]\n');
    } finally {
      cancelled = true;
    }
  }
  const answer: SqlAnswer = { kind: 'rows', meta: [], lines: lines() };
  const room = await startRoom(t, { settings: { restfulRowLimit: 2 }, sql: (exchange) => exchange.answer(answer) });
  const reply = await askSql(room, 'select 1');
  t.is(reply.text, '{"code":0,"column_meta":[],"data":[[1],[2]],"rows":2}');
  t.true(cancelled);
});

test('a syntax error is 200 and, with httpCodeServerError, 400; a missing table is 200 and 500', async (t) => {
  const cases = [
    [Codes.syntaxError, 200, 400],
    [Codes.tableNotExist, 200, 500],
    [Codes.networkUnavailable, 200, 502],
  ] as const;
  for (const [code, plain, mapped] of cases) {
    const sql = refusing(fault('database', code, 'no good'));
    const one = await askSql(await startRoom(t, { sql }), 'x');
    t.deepEqual([one.status, one.text], [plain, `{"code":${code},"desc":"no good"}`]);
    const two = await askSql(await startRoom(t, { sql, settings: { httpCodeServerError: true } }), 'x');
    t.deepEqual([two.status, two.text], [mapped, one.text]);
  }
});

test('a shortage of resources is 503 with Retry-After', async (t) => {
  const sql = refusing(fault('resource', Codes.free, 'get connection timeout'));
  const reply = await askSql(await startRoom(t, { sql }), 'x');
  t.is(reply.status, 503);
  t.is(reply.headers['retry-after'], '5');
});

test('markup in an error description is escaped', async (t) => {
  const sql = refusing(fault('syntax', Codes.syntaxError, 'near "<b>&"'));
  const reply = await askSql(await startRoom(t, { sql }), 'x');
  t.is(reply.text, '{"code":9728,"desc":"near \\"\\u003cb\\u003e\\u0026\\""}');
});

test('a result that fails before its first row gets a proper error body', async (t) => {
  const failing = (error: Error): RoomOptions => ({
    sql: (exchange) => {
      async function* lines(): AsyncGenerator<Uint8Array> {
        yield* [];
        throw error;
      }
      exchange.answer({ kind: 'rows', meta: [], lines: lines() });
    },
  });
  const known = await startRoom(t, failing(new FaultError(fault('database', Codes.tooManyWindows, 'too many'))));
  t.is((await askSql(known, 'select 1')).text, '{"code":1802,"desc":"too many"}');
  const unknown = await startRoom(t, failing(new Error('a secret inside')));
  const reply = await askSql(unknown, 'select 1');
  t.is(reply.text, '{"code":65535,"desc":"internal error"}');
  t.is(unknown.log.filter((line) => line.level === 'error').length, 1);
});

function breaking(t: Parameters<typeof startRoom>[0]) {
  return startRoom(t, {
    sql: (exchange) => {
      async function* lines() {
        yield Buffer.from('[1]\n');
        await new Promise((resolve) => setTimeout(resolve, 20));
        throw new Error('engine gone');
      }
      exchange.answer({ kind: 'rows', meta: [], lines: lines() });
    },
  });
}

test('a result that fails after bytes are out is visibly incomplete', async (t) => {
  const room = await breaking(t);
  await t.throwsAsync(() => askSql(room, 'select 1'), { code: 'ECONNRESET' });
  await t.throwsAsync(() => askSql(room, 'select 1', { headers: { 'accept-encoding': 'gzip' } }), {
    code: 'ECONNRESET',
  });
  t.is(room.log.filter((line) => line.level === 'warn').length, 2);
  t.is(room.log.filter((line) => line.level === 'error').length, 0);
});

test('a compressed result that fails right behind its first row is visibly incomplete too', async (t) => {
  const room = await startRoom(t, {
    sql: (exchange) => {
      async function* lines() {
        yield Buffer.from('[1]\n');
        throw new Error('engine gone');
      }
      exchange.answer({ kind: 'rows', meta: [], lines: lines() });
    },
  });
  for (let i = 0; i < 10; i++) {
    await t.throwsAsync(() => askSql(room, 'select 1', { headers: { 'accept-encoding': 'gzip' } }), {
      code: 'ECONNRESET',
    });
  }
  t.is(room.log.filter((line) => line.level === 'error').length, 0);
});

// Serial: a client whose loop is late reads data and reset in one go, and its platform then reports a plain end.
test.serial('an HTTP/1.0 client sees a broken result as a reset', async (t) => {
  const { socket } = connect(await breaking(t));
  socket.write(`POST /rest/sql HTTP/1.0\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`);
  const [error] = await once(socket, 'error').catch((caught) => [caught]);
  t.is(error.code, 'ECONNRESET');
});

test('an HTTP/1.0 client gets a result without chunks', async (t) => {
  const { socket, received } = connect(await startRoom(t));
  socket.write(`POST /rest/sql HTTP/1.0\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`);
  const [, body] = (await received).split('\r\n\r\n');
  t.is(body, '{"code":0,"column_meta":[["v","INT",4]],"data":[[1]],"rows":1}');
});

test('the first rows go out before the result is complete, compressed or not', async (t) => {
  for (const encoding of ['identity', 'gzip']) {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* lines() {
      yield Buffer.from('[1]\n');
      await held;
      yield Buffer.from('[2]\n');
    }
    const room = await startRoom(t, {
      sql: (exchange) => exchange.answer({ kind: 'rows', meta: [], lines: lines() }),
    });
    const request = http.request({
      port: room.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/rest/sql',
      headers: { authorization: basic, 'accept-encoding': encoding },
    });
    request.end('select 1');
    const [response] = await once(request, 'response');
    const body = encoding === 'gzip' ? response.pipe(createGunzip()) : response;
    const [first] = await once(body, 'data');
    t.is(first.toString(), '{"code":0,"column_meta":[],"data":[[1]');
    let rest = '';
    body.on('data', (chunk: Buffer) => {
      rest += chunk.toString();
    });
    release();
    await once(body, 'end');
    t.is(rest, ',[2]],"rows":2}');
  }
});

test('a result that is all there has a length, keeps to the row limit and is compressed on demand', async (t) => {
  const pieces = (): Buffer[] => [Buffer.from('[1]\n[2'), Buffer.from(']\n[3]\n')];
  const answer = (): SqlAnswer => ({ kind: 'rows', meta: [], lines: pieces() });
  const room = await startRoom(t, { settings: { restfulRowLimit: 2 }, sql: (exchange) => exchange.answer(answer()) });
  const text = '{"code":0,"column_meta":[],"data":[[1],[2]],"rows":2}';
  const plain = await askSql(room, 'select 1');
  t.deepEqual([plain.text, plain.headers['content-length']], [text, String(text.length)]);
  const packed = await askSql(room, 'select 1', { headers: { 'accept-encoding': 'gzip' } });
  t.is(packed.headers['content-encoding'], 'gzip');
  t.is(packed.headers['content-length'], String(packed.body.length));
  t.is(gunzipSync(packed.body).toString(), text);
});

test('a client that stops reading holds the result back', async (t) => {
  let pulled = 0;
  async function* lines() {
    for (; pulled < 2_000; pulled++) yield Buffer.alloc(65_536, '[1]\n');
  }
  const room = await startRoom(t, { sql: (exchange) => exchange.answer({ kind: 'rows', meta: [], lines: lines() }) });
  const { socket } = connect(room);
  socket.pause();
  socket.write(`POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.true(pulled > 0 && pulled < 500, String(pulled));
  socket.destroy();
});

test('a client that goes away aborts the exchange and cancels the result', async (t) => {
  const ended = new Promise<string[]>((resolve) => {
    const events: string[] = [];
    const note = (event: string) => {
      if (events.push(event) === 2) resolve(events.sort());
    };
    const options: RoomOptions = {
      sql: (exchange) => {
        exchange.aborted.addEventListener('abort', () => note('aborted'));
        async function* lines() {
          try {
            for (;;) {
              yield Buffer.alloc(65_536, '[1]\n');
              await new Promise((next) => setTimeout(next, 1));
            }
          } finally {
            note('cancelled');
          }
        }
        exchange.answer({ kind: 'rows', meta: [], lines: lines() });
      },
    };
    startRoom(t, options).then(async (room) => {
      const { socket } = connect(room);
      socket.write(
        `POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`,
      );
      await once(socket, 'data');
      socket.destroy();
    });
  });
  t.deepEqual(await ended, ['aborted', 'cancelled']);
});

test('a client that goes away before the answer aborts the exchange, and a late answer is cancelled', async (t) => {
  let cancelled = () => {};
  const whenCancelled = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const room = await startRoom(t, {
    sql: (exchange) => {
      async function* lines() {
        try {
          yield Buffer.from('[1]\n');
        } finally {
          cancelled();
        }
      }
      exchange.aborted.addEventListener('abort', () => {
        exchange.answer({ kind: 'rows', meta: [], lines: lines() });
      });
      setTimeout(() => socket.destroy(), 20);
    },
  });
  const { socket } = connect(room);
  socket.write(`POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`);
  await whenCancelled;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual(
    room.log.filter((line) => line.level !== 'debug'),
    [],
  );
});

test('a gzip body is inflated, layer by layer, whatever case the header has', async (t) => {
  const seen: SqlRequest[] = [];
  const room = await startRoom(t, recording(seen));
  const once = gzipSync('select 1');
  const twice = gzipSync(once);
  for (const [body, encoding] of [
    [once, 'gzip'],
    [once, 'GZip'],
    [twice, 'gzip, gzip'],
  ] as const) {
    const reply = await ask(room, { body, headers: { 'content-encoding': encoding } });
    t.is(reply.status, 200);
  }
  t.deepEqual(
    seen.map((request) => request.statement.toString()),
    ['select 1', 'select 1', 'select 1'],
  );
});

test('a body that is not the gzip data it claims to be is 400, another coding beside gzip 415', async (t) => {
  const room = await startRoom(t);
  const plain = await askSql(room, 'select 1', { headers: { 'content-encoding': 'gzip' } });
  t.is(plain.status, 400);
  t.is(codeOf(plain), 65535);
  const cut = await ask(room, { body: gzipSync('select 1').subarray(0, 15), headers: { 'content-encoding': 'gzip' } });
  t.is(cut.status, 400);
  const mixed = await askSql(room, 'select 1', { headers: { 'content-encoding': 'gzip, br' } });
  t.is(mixed.status, 415);
  t.is(codeOf(mixed), 65535);
});

test('other codings are not touched', async (t) => {
  const seen: SqlRequest[] = [];
  await askSql(await startRoom(t, recording(seen)), 'select 1', { headers: { 'content-encoding': 'deflate' } });
  t.is(seen[0]?.statement.toString(), 'select 1');
});

test('a statement above the limit is 400 with code 537, announced, chunked or inflated', async (t) => {
  const room = await startRoom(t, { settings: { sqlBytes: 100_000 } });
  const long = 'x'.repeat(100_001);
  const answers = [
    await askSql(room, long),
    await askSql(room, long, { headers: { 'transfer-encoding': 'chunked' } }),
    await ask(room, { body: gzipSync(Buffer.alloc(200_000_000)), headers: { 'content-encoding': 'gzip' } }),
  ];
  for (const reply of answers) t.deepEqual([reply.status, codeOf(reply)], [400, 537]);
  t.is((await askSql(room, 'x'.repeat(100_000))).status, 200);
});

test('a stranger who announces a long statement is refused before it is read', async (t) => {
  const room = await startRoom(t);
  const { socket, received } = connect(room);
  const stranger = Buffer.from('root:wrong-password').toString('base64');
  socket.write(
    `POST /rest/sql HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${stranger}\r\nContent-Length: 900000\r\n\r\nselect`,
  );
  const answer = await new Promise<string>((resolve) =>
    socket.once('data', (chunk) => resolve(chunk.toString('latin1'))),
  );
  t.regex(answer, /^HTTP\/1\.1 401 /);
  socket.destroy();
  await received;
});

test('a result is compressed when the client takes gzip, and only then', async (t) => {
  const room = await startRoom(t);
  const plain = await askSql(room, 'select 1');
  t.is(plain.headers['content-encoding'], undefined);
  t.is(plain.headers.vary, 'Accept-Encoding');
  const packed = await askSql(room, 'select 1', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
  t.is(packed.headers['content-encoding'], 'gzip');
  t.is(packed.headers.vary, 'Accept-Encoding');
  t.is(gunzipSync(packed.body).toString(), plain.text);
  const unwanted = await askSql(room, 'select 1', { headers: { 'accept-encoding': 'gzip;q=0' } });
  t.is(unwanted.text, plain.text);
});

test('everything paused refuses before any other check', async (t) => {
  const room = await startRoom(t, { guard: () => 'all-paused' });
  const reply = await askSql(room, '', { auth: false, path: '/rest/sql?req_id=x' });
  t.deepEqual([reply.status, reply.text], [503, 'memory exceeds threshold']);
  t.is(reply.headers['retry-after'], '120');
  t.is(reply.headers['content-type'], 'text/plain; charset=utf-8');
});

test('paused queries are refused by their first keyword before they run; the rest goes on', async (t) => {
  const seen: SqlRequest[] = [];
  const room = await startRoom(t, { ...recording(seen), guard: () => 'query-paused' });
  for (const statement of [
    'select 1',
    'SHOW databases',
    'desc t',
    ' Describe t',
    '/* x */ -- y\n(select 1)',
    'explain x',
  ]) {
    const reply = await askSql(room, statement);
    t.deepEqual([reply.status, reply.text], [503, 'query memory exceeds threshold'], statement);
    t.is(reply.headers['retry-after'], '120');
  }
  t.is(seen.length, 0);
  for (const statement of ['insert into t values (1)', 'create table selected (ts timestamp)', 'descending']) {
    t.is((await askSql(room, statement)).status, 200);
  }
});

test('the content type of a request does not matter, however strange', async (t) => {
  const room = await startRoom(t);
  for (const type of [
    'text/plain',
    'application/json',
    'application/x-www-form-urlencoded',
    ';;;',
    'x/y; charset=\u00ff',
  ]) {
    t.is((await askSql(room, 'select 1', { headers: { 'content-type': type } })).status, 200, type);
  }
});

test('a trailing slash is redirected with method, body and query kept', async (t) => {
  const reply = await askSql(await startRoom(t), 'select 1', { path: '/rest/sql/?tz=UTC' });
  t.deepEqual([reply.status, reply.headers.location], [307, '/rest/sql?tz=UTC']);
});

test('a mistake in a pipeline is 500 without details, and is logged', async (t) => {
  const room = await startRoom(t, {
    sql: () => {
      throw new Error('a secret inside');
    },
  });
  const reply = await askSql(room, 'select 1');
  t.deepEqual([reply.status, reply.text], [500, '{"code":65535,"desc":"internal error"}']);
  t.is(room.log.filter((line) => line.level === 'error').length, 1);
});
