import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { EngineError, EngineHttp, engineErrorIn } from '../../../src/database/engine/engine-http.js';
import { wholeBody } from '../../../src/database/engine/http-connections.js';

/** A server and connections to it, below a path. */
async function serving(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ http: EngineHttp; server: Server; end(): void }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const limits = { maxSockets: 2, maxFreeSockets: 2, idleTimeoutMs: 5_000, requestTimeoutMs: 60_000 };
  const http = new EngineHttp({ url: `http://127.0.0.1:${port}/behind/`, ...limits });
  const end = (): void => {
    http.close();
    server.closeAllConnections();
    server.close();
  };
  return { http, server, end };
}

const someone = { user: 'a', password: 'ü:' };

test('a statement is one POST below the path of the URL, with its parameters and credentials', async (t) => {
  const { http, end } = await serving(async (request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers.authorization} ${await text(request)}`);
  });
  const answer = await http.send({ ...someone, parameters: { query: 'a b' }, body: 'grün' });
  const credentials = Buffer.from('a:ü:').toString('base64');
  t.is((await wholeBody(answer)).toString(), `POST /behind/?query=a+b Basic ${credentials} grün`);
  await http.ping();
  end();
  await t.throwsAsync(http.ping());
});

test('an incomplete result is an error, and so is one that is aborted while it is read', async (t) => {
  const { http, end } = await serving((request, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('part', () => request.url?.includes('broken') && response.destroy());
  });
  const broken = await http.send({ ...someone, parameters: { broken: '1' }, body: '' });
  await t.throwsAsync(wholeBody(broken));
  const request = new AbortController();
  const aborted = wholeBody(await http.send({ ...someone, parameters: {}, body: '', signal: request.signal }));
  request.abort();
  await t.throwsAsync(aborted);
  end();
});

test('errors are read with their code and name, also from a server that adds its version', (t) => {
  const plain = engineErrorIn('Code: 60. DB::Exception: Unknown table t (of db). (UNKNOWN_TABLE)\n');
  t.true(plain instanceof EngineError);
  t.like(plain, { code: 60, type: 'UNKNOWN_TABLE', message: 'Unknown table t (of db).' });
  const versioned =
    'Code: 62. DB::Exception: Syntax error:\nnear (x). (SYNTAX_ERROR) (version 26.1.2.3 (official build))';
  t.like(engineErrorIn(versioned), { code: 62, type: 'SYNTAX_ERROR', message: 'Syntax error:\nnear (x).' });
  // The engine's words end at a byte 0 that they quote, before the name.
  const cut = engineErrorIn('Code: 36. DB::Exception: Incorrect WKT format value: \u0001');
  t.true(cut instanceof EngineError);
  t.like(cut, { code: 36, type: '', message: 'Incorrect WKT format value: \u0001'.trim() });
  const foreign = engineErrorIn('Bad gateway\n');
  t.false(foreign instanceof EngineError);
  t.is(foreign.message, 'Bad gateway');
});
