import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import test from 'ava';
import {
  HttpConnections,
  type HttpConnectionsOptions,
  wholeBody,
} from '../../../src/database/engine/http-connections.js';

/** A server, and connections to it. */
async function serving(
  answer: RequestListener,
  options: Partial<HttpConnectionsOptions> = {},
): Promise<{ http: HttpConnections; server: Server; end(): void }> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const limits = { maxSockets: 2, maxFreeSockets: 2, requestTimeoutMs: 60_000, ...options };
  const http = new HttpConnections({ url: `http://127.0.0.1:${port}`, ...limits });
  const end = (): void => {
    http.close();
    server.closeAllConnections();
    server.close();
  };
  return { http, server, end };
}

const request = { method: 'POST', path: '/' } as const;

test('requests beyond the connections wait, and a connection is used again', async (t) => {
  let open = 0;
  let most = 0;
  const sockets = new Set<unknown>();
  const { http, end } = await serving((request, response) => {
    open++;
    most = Math.max(most, open);
    sockets.add(request.socket);
    request.resume().on('end', () => {
      open--;
      response.end('x');
    });
  });
  const answers = await Promise.all(Array.from({ length: 20 }, async () => wholeBody(await http.send(request))));
  t.is(answers.length, 20);
  t.true(most <= 2);
  t.true(sockets.size <= 2);
  end();
});

test('a request to a silent server times out', async (t) => {
  const { http, end } = await serving(() => {}, { requestTimeoutMs: 50 });
  await t.throwsAsync(http.send(request), { message: 'no answer within 50 ms' });
  end();
});

test('a stale connection is replaced once, and only for idempotent requests', async (t) => {
  let requests = 0;
  const seen = new WeakSet<IncomingMessage['socket']>();
  // The second request on a connection finds it closed.
  const { http, end } = await serving((request, response) => {
    requests++;
    if (seen.has(request.socket)) request.socket.resetAndDestroy();
    else response.end('answered');
    seen.add(request.socket);
  });
  const send = async (mayRetry: boolean) => (await wholeBody(await http.send({ ...request, mayRetry }))).toString();
  t.is(await send(true), 'answered');
  t.is(await send(true), 'answered');
  t.is(requests, 3);
  await t.throwsAsync(send(false), { code: 'ECONNRESET' });
  t.is(requests, 4);
  end();
});

test('a request on a new connection that breaks is not retried', async (t) => {
  let requests = 0;
  const { http, end } = await serving((request) => {
    requests++;
    request.socket.resetAndDestroy();
  });
  await t.throwsAsync(http.send({ ...request, mayRetry: true }), { code: 'ECONNRESET' });
  t.is(requests, 1);
  end();
});

test('a refused connection has the code of the system, and closed connections send nothing', async (t) => {
  const { http, server, end } = await serving(() => {});
  server.close();
  await once(server, 'close');
  await t.throwsAsync(http.send(request), { code: 'ECONNREFUSED' });
  end();
  await t.throwsAsync(http.send(request), { message: 'the connections were given up' });
});
