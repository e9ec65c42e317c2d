import { once } from 'node:events';
import http from 'node:http';
import { createGunzip, gunzipSync } from 'node:zlib';
import test from 'ava';
import type { Exchange, SqlAnswer, SqlRequest } from '../../../src/model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../../src/model/fault.js';
import { basic, connect, rows, type ServerOptions, sendSql, startServer } from '../../support/inputs/http-server.js';
import { standsStill, until } from '../../support/until.js';

function refusing(refusal: Fault): (exchange: Exchange<SqlRequest, SqlAnswer>) => void {
  return (exchange) => exchange.refuse(refusal);
}

test('a result is exact, chunked JSON', async (t) => {
  const server = await startServer(t, { sql: (exchange) => exchange.answer(rows('["a\\n",', '1]\n["b",2', ']\n')) });
  const reply = await sendSql(server, 'select 1');
  t.is(reply.status, 200);
  t.is(reply.text, '{"code":0,"column_meta":[["v","INT",4]],"data":[["a\\n",1],["b",2]],"rows":2}');
  t.is(reply.headers['transfer-encoding'], 'chunked');
  t.is(reply.headers['content-type'], 'application/json; charset=utf-8');
});

test('a result without rows has column meta and no data', async (t) => {
  const reply = await sendSql(await startServer(t, { sql: (exchange) => exchange.answer(rows()) }), 'select 1');
  t.is(reply.text, '{"code":0,"column_meta":[["v","INT",4]],"data":[],"rows":0}');
});

test('affected rows have their own body, keyed on request', async (t) => {
  const server = await startServer(t, { sql: (exchange) => exchange.answer({ kind: 'affected', rows: 2 }) });
  const head = '{"code":0,"column_meta":[["affected_rows","INT",4]],"data":';
  t.is((await sendSql(server, 'insert')).text, `${head}[[2]],"rows":1}`);
  const keyed = await sendSql(server, 'insert', { path: '/rest/sql?row_with_meta=1' });
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
  const server = await startServer(t, { settings: { restfulRowLimit: 2 }, sql: (exchange) => exchange.answer(answer) });
  const reply = await sendSql(server, 'select 1');
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
    const one = await sendSql(await startServer(t, { sql }), 'x');
    t.deepEqual([one.status, one.text], [plain, `{"code":${code},"desc":"no good"}`]);
    const two = await sendSql(await startServer(t, { sql, settings: { httpCodeServerError: true } }), 'x');
    t.deepEqual([two.status, two.text], [mapped, one.text]);
  }
});

test('a shortage of resources is 503 with Retry-After', async (t) => {
  const sql = refusing(fault('resource', Codes.free, 'get connection timeout'));
  const reply = await sendSql(await startServer(t, { sql }), 'x');
  t.is(reply.status, 503);
  t.is(reply.headers['retry-after'], '5');
});

test('markup in an error description is escaped', async (t) => {
  const sql = refusing(fault('syntax', Codes.syntaxError, 'near "<b>&"'));
  const reply = await sendSql(await startServer(t, { sql }), 'x');
  t.is(reply.text, '{"code":9728,"desc":"near \\"\\u003cb\\u003e\\u0026\\""}');
});

test('a result that fails before its first row gets a proper error body', async (t) => {
  const failing = (error: Error): ServerOptions => ({
    sql: (exchange) => {
      async function* lines(): AsyncGenerator<Uint8Array> {
        yield* [];
        throw error;
      }
      exchange.answer({ kind: 'rows', meta: [], lines: lines() });
    },
  });
  const known = await startServer(t, failing(new FaultError(fault('database', Codes.tooManyWindows, 'too many'))));
  t.is((await sendSql(known, 'select 1')).text, '{"code":1802,"desc":"too many"}');
  const unknown = await startServer(t, failing(new Error('a secret inside')));
  const reply = await sendSql(unknown, 'select 1');
  t.is(reply.text, '{"code":65535,"desc":"internal error"}');
  t.is(unknown.log.filter((line) => line.level === 'error').length, 1);
});

function breaking(t: Parameters<typeof startServer>[0]) {
  return startServer(t, {
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
  const server = await breaking(t);
  await t.throwsAsync(() => sendSql(server, 'select 1'), { code: 'ECONNRESET' });
  await t.throwsAsync(() => sendSql(server, 'select 1', { headers: { 'accept-encoding': 'gzip' } }), {
    code: 'ECONNRESET',
  });
  t.is(server.log.filter((line) => line.level === 'warn').length, 2);
  t.is(server.log.filter((line) => line.level === 'error').length, 0);
});

test('a compressed result that fails right behind its first row is visibly incomplete too', async (t) => {
  const server = await startServer(t, {
    sql: (exchange) => {
      async function* lines() {
        yield Buffer.from('[1]\n');
        throw new Error('engine gone');
      }
      exchange.answer({ kind: 'rows', meta: [], lines: lines() });
    },
  });
  for (let i = 0; i < 10; i++) {
    await t.throwsAsync(() => sendSql(server, 'select 1', { headers: { 'accept-encoding': 'gzip' } }), {
      code: 'ECONNRESET',
    });
  }
  t.is(server.log.filter((line) => line.level === 'error').length, 0);
});

// Serial: a client whose loop is late reads data and reset in one go, and its platform then reports a plain end.
test.serial('an HTTP/1.0 client sees a broken result as a reset', async (t) => {
  const { socket } = connect(await breaking(t));
  socket.write(`POST /rest/sql HTTP/1.0\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`);
  const [error] = await once(socket, 'error').catch((caught) => [caught]);
  t.is(error.code, 'ECONNRESET');
});

test('an HTTP/1.0 client gets a result without chunks', async (t) => {
  const { socket, received } = connect(await startServer(t));
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
    const server = await startServer(t, {
      sql: (exchange) => exchange.answer({ kind: 'rows', meta: [], lines: lines() }),
    });
    const request = http.request({
      port: server.port,
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
  const server = await startServer(t, {
    settings: { restfulRowLimit: 2 },
    sql: (exchange) => exchange.answer(answer()),
  });
  const text = '{"code":0,"column_meta":[],"data":[[1],[2]],"rows":2}';
  const plain = await sendSql(server, 'select 1');
  t.deepEqual([plain.text, plain.headers['content-length']], [text, String(text.length)]);
  const packed = await sendSql(server, 'select 1', { headers: { 'accept-encoding': 'gzip' } });
  t.is(packed.headers['content-encoding'], 'gzip');
  t.is(packed.headers['content-length'], String(packed.body.length));
  t.is(gunzipSync(packed.body).toString(), text);
});

test('a client that stops reading holds the result back', async (t) => {
  let pulled = 0;
  async function* lines() {
    for (; pulled < 2_000; pulled++) yield Buffer.alloc(65_536, '[1]\n');
  }
  const server = await startServer(t, {
    sql: (exchange) => exchange.answer({ kind: 'rows', meta: [], lines: lines() }),
  });
  const { socket } = connect(server);
  socket.pause();
  socket.write(`POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`);
  await until(() => pulled > 0);
  await standsStill(() => pulled);
  t.true(pulled > 0 && pulled < 500, String(pulled));
  socket.destroy();
});

test('a client that goes away aborts the exchange and cancels the result', async (t) => {
  const ended = new Promise<string[]>((resolve) => {
    const events: string[] = [];
    const note = (event: string) => {
      if (events.push(event) === 2) resolve(events.sort());
    };
    const options: ServerOptions = {
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
    const request = startServer(t, options).then(async (server) => {
      const { socket } = connect(server);
      socket.write(
        `POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`,
      );
      await once(socket, 'data');
      socket.destroy();
    });
    request.catch((error: unknown) => t.fail(String(error)));
  });
  t.deepEqual(await ended, ['aborted', 'cancelled']);
});

test('a client that goes away before the answer aborts the exchange, and a late answer is cancelled', async (t) => {
  let cancelled = () => {};
  const whenCancelled = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const server = await startServer(t, {
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
  const { socket } = connect(server);
  socket.write(`POST /rest/sql HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic}\r\nContent-Length: 8\r\n\r\nselect 1`);
  await whenCancelled;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual(
    server.log.filter((line) => line.level !== 'debug'),
    [],
  );
});

test('a result is compressed when the client takes gzip, and only then', async (t) => {
  const server = await startServer(t);
  const plain = await sendSql(server, 'select 1');
  t.is(plain.headers['content-encoding'], undefined);
  t.is(plain.headers.vary, 'Accept-Encoding');
  const packed = await sendSql(server, 'select 1', { headers: { 'accept-encoding': 'br, gzip;q=0.5' } });
  t.is(packed.headers['content-encoding'], 'gzip');
  t.is(packed.headers.vary, 'Accept-Encoding');
  t.is(gunzipSync(packed.body).toString(), plain.text);
  const unwanted = await sendSql(server, 'select 1', { headers: { 'accept-encoding': 'gzip;q=0' } });
  t.is(unwanted.text, plain.text);
});
