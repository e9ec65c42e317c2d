import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { requestOf, type ScrapeOptions, scrape } from '../../../src/sources/hostexporter/target.js';
import { directoryFor } from '../../support/service/processes.js';
import { skipped } from '../../support/skipped.js';

function optionsOf(more: Partial<ScrapeOptions> = {}, secure: https.AgentOptions = {}): ScrapeOptions {
  const agents = { http: new http.Agent(), https: new https.Agent(secure) };
  return { authorization: '', responseTimeoutMs: 5_000, maxBodyBytes: 1000, agents, ...more };
}

const never = new AbortController().signal;

/** Starts a server and gives its port, or the path of its socket. */
async function listening(t: ExecutionContext, server: http.Server | https.Server, path?: string): Promise<number> {
  const waiting: Server = path === undefined ? server.listen(0, '127.0.0.1') : server.listen(path);
  await new Promise((resolve) => waiting.once('listening', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = waiting.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('an address without a path means /metrics; one with a path or a query is taken as it is', (t) => {
  t.like(requestOf('http://host:9100'), { host: 'host', port: 9100, path: '/metrics', isSecure: false });
  t.like(requestOf('https://[::1]/x?a=b'), { host: '::1', port: undefined, path: '/x?a=b', isSecure: true });
  t.like(requestOf('unix:///run/x.sock'), { socketPath: '/run/x.sock', path: '/metrics' });
  t.like(requestOf('unix:///run/x.sock?path=/m'), { socketPath: '/run/x.sock', path: '/m' });
  t.like(requestOf('http://ann:s%40@host'), { auth: 'ann:s@' });
});

test('the answer is read, and its type gives its format', async (t) => {
  let seen: http.IncomingHttpHeaders = {};
  const server = http.createServer((request, response) => {
    seen = request.headers;
    const type = request.url === '/om' ? 'Application/OpenMetrics-Text; version=1.0.0' : 'text/plain; version=0.0.4';
    response.setHeader('content-type', type).end(`${request.url} 1\n# EOF\n`);
  });
  const url = `http://127.0.0.1:${await listening(t, server)}`;
  const plain = await scrape(url, optionsOf({ authorization: 'Bearer abc' }), never);
  t.deepEqual([plain.body.toString(), plain.form], ['/metrics 1\n# EOF\n', 'text']);
  t.is(seen.authorization, 'Bearer abc');
  t.regex(seen.accept ?? '', /text\/plain;version=0\.0\.4/);
  t.is((await scrape(`${url}/om`, optionsOf(), never)).form, 'openmetrics');
});

test('OpenMetrics text that was cut off is no answer', async (t) => {
  const texts: Record<string, string> = {
    '/whole': 'a 1\n# EOF\n',
    '/without-break': 'a 1\n# EOF',
    '/windows': 'a 1\r\n# EOF\r\n\r\n',
    '/cut': 'a 1\nb 12',
    '/lines': 'a 1\n',
    '/half': 'a 1\n# E',
    '/empty': '',
    '/value': 'a{b="# EOF"} 1',
  };
  const server = http.createServer((request, response) => {
    const type = 'application/openmetrics-text; version=1.0.0';
    response.setHeader('content-type', type).end(texts[request.url ?? ''] ?? '');
  });
  const url = `http://127.0.0.1:${await listening(t, server)}`;
  for (const path of ['/whole', '/without-break', '/windows'])
    t.is((await scrape(url + path, optionsOf(), never)).body.toString(), texts[path] ?? '');
  for (const path of ['/cut', '/lines', '/half', '/empty', '/value'])
    await t.throwsAsync(scrape(url + path, optionsOf(), never), { message: '# EOF is missing: the text was cut off' });
});

test('a socket of this machine is asked', async (t) => {
  const path = join(directoryFor(t), 'x.sock');
  await listening(
    t,
    http.createServer((request, response) => response.end(`${request.url} 1\n`)),
    path,
  );
  t.is((await scrape(`unix://${path}?path=/m`, optionsOf(), never)).body.toString(), '/m 1\n');
});

test('an answer may be in gzip, and its limit is that of the plain text', async (t) => {
  const texts: Record<string, Buffer> = {
    '/short': gzipSync('a 1\n'),
    '/long': gzipSync('x'.repeat(1001)),
    '/broken': Buffer.from('a 1\n'),
    '/cut': gzipSync('a 1\n').subarray(0, 15),
  };
  let asked: unknown;
  const server = http.createServer((request, response) => {
    asked = request.headers['accept-encoding'];
    const coding = request.url === '/other' ? 'br' : 'gzip';
    response.setHeader('content-encoding', coding).end(texts[request.url ?? ''] ?? '');
  });
  const url = `http://127.0.0.1:${await listening(t, server)}`;
  t.is((await scrape(`${url}/short`, optionsOf(), never)).body.toString(), 'a 1\n');
  t.is(asked, 'gzip');
  await t.throwsAsync(scrape(`${url}/long`, optionsOf(), never), { message: 'the answer is longer than 1000 bytes' });
  await t.throwsAsync(scrape(`${url}/broken`, optionsOf(), never), { message: /incorrect header check/ });
  await t.throwsAsync(scrape(`${url}/cut`, optionsOf(), never), { message: /unexpected end of file/ });
  await t.throwsAsync(scrape(`${url}/other`, optionsOf(), never), { message: /coding "br"/ });
});

test('a target may send the scrape on, and only the same server gets the password', async (t) => {
  const seen: string[] = [];
  const note = (request: http.IncomingMessage): void => {
    seen.push(`${request.url} ${request.headers.authorization ?? 'nobody'}`);
  };
  const other = http.createServer((request, response) => {
    note(request);
    response.end('other 1\n');
  });
  const otherUrl = `http://127.0.0.1:${await listening(t, other)}`;
  const targets: Record<string, string> = {
    '/metrics': '/metrics/',
    '/away': `${otherUrl}/m?x=1`,
    '/loop': 'loop',
    '/file': 'file:///etc/passwd',
  };
  const server = http.createServer((request, response) => {
    note(request);
    const location = targets[request.url ?? ''];
    if (location !== undefined) response.writeHead(302, { location }).end('elsewhere');
    else if (request.url === '/lost') response.writeHead(301).end();
    else response.end('here 1\n');
  });
  const url = `http://127.0.0.1:${await listening(t, server)}`;
  const options = optionsOf({ authorization: 'Bearer abc' });
  t.is((await scrape(url, options, never)).body.toString(), 'here 1\n');
  t.is((await scrape(`${url}/away`, options, never)).body.toString(), 'other 1\n');
  t.deepEqual(seen, ['/metrics Bearer abc', '/metrics/ Bearer abc', '/away Bearer abc', '/m?x=1 nobody']);
  await t.throwsAsync(scrape(`${url}/loop`, options, never), { message: /redirects more than 10 times/ });
  await t.throwsAsync(scrape(`${url}/file`, options, never), { message: 'the answer is status 302' });
  await t.throwsAsync(scrape(`${url}/lost`, options, never), { message: 'the answer is status 301' });
});

test('what goes wrong is said in one line', async (t) => {
  const server = http.createServer((request, response) => {
    if (request.url === '/500') response.writeHead(500).end('no');
    else if (request.url === '/long') response.end('x'.repeat(2000));
    else if (request.url === '/half') response.write('half');
    else if (request.url === '/cut')
      response.writeHead(200, { 'content-length': 100 }).write('x', () => request.socket.destroy());
  });
  const url = `http://127.0.0.1:${await listening(t, server)}`;
  const failure = (path: string, more: Partial<ScrapeOptions> = {}) =>
    t.throwsAsync(scrape(url + path, optionsOf(more), never));
  t.is((await failure('/500'))?.message, 'the answer is status 500');
  t.is((await failure('/long'))?.message, 'the answer is longer than 1000 bytes');
  t.is((await failure('/half', { responseTimeoutMs: 50 }))?.message, 'there is no whole answer within 50 ms');
  t.is((await failure('/silent', { responseTimeoutMs: 50 }))?.message, 'there is no whole answer within 50 ms');
  await failure('/cut');
  await t.throwsAsync(scrape('http://127.0.0.1:1', optionsOf(), never), { message: /ECONNREFUSED/ });
});

test('certificates are checked against the given authority, and shown to those who ask', async (t) => {
  const home = directoryFor(t);
  const file = (name: string): string => join(home, name);
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2', '-nodes'];
  try {
    const out = ['-keyout', file('key'), '-out', file('cert')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...out, ...subject], { stdio: 'ignore' });
  } catch {
    skipped(t, 'there is no openssl');
    return;
  }
  const cert = readFileSync(file('cert'));
  const key = readFileSync(file('key'));
  const server = https.createServer(
    { cert, key, ca: cert, requestCert: true, rejectUnauthorized: true },
    (_, response) => response.end('a 1\n'),
  );
  const url = `https://127.0.0.1:${await listening(t, server)}`;
  t.is((await scrape(url, optionsOf({}, { ca: cert, cert, key }), never)).body.toString(), 'a 1\n');
  t.is((await scrape(url, optionsOf({}, { rejectUnauthorized: false, cert, key }), never)).body.toString(), 'a 1\n');
  await t.throwsAsync(scrape(url, optionsOf({}, { cert, key }), never), { message: /self-signed|self signed/ });
  await t.throwsAsync(scrape(url, optionsOf({}, { ca: cert }), never));
});
