import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import type { TlsSettings } from '../../../src/model/tls-settings.js';
import { certificates } from '../../support/certificates.js';
import { basic, type ServerOptions, send, startServer, type TestServer } from '../../support/inputs/http-server.js';
import { until } from '../../support/until.js';

const { make, remove } = certificates();
test.after.always(remove);
const reason = 'Skipped: there is no openssl to make a certificate with.';

/** A server that speaks TLS with a certificate of its own; undefined where none can be made. */
async function secureRoom(
  t: ExecutionContext,
  name: string,
  more: Partial<TlsSettings> = {},
  options: ServerOptions = {},
): Promise<(TestServer & { readonly tls: TlsSettings; readonly ca: Buffer }) | undefined> {
  const certificate = make(name);
  if (certificate === undefined) {
    t.log(reason);
    t.pass();
    return undefined;
  }
  const settings = { ...certificate, minVersion: 'TLSv1.2', plainHttp: 'loopback', ...more } as const;
  const server = await startServer(t, { ...options, tls: settings });
  return { ...server, tls: settings, ca: readFileSync(certificate.certFile) };
}

/** Asks for a row over TLS; gives the name in the certificate and the answer. */
async function askSecurely(
  port: number,
  more: https.RequestOptions,
): Promise<[name: unknown, status: number, body: string]> {
  const headers = { authorization: basic };
  const options = {
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/rest/sql',
    headers,
    agent: false,
    ...more,
  } as const;
  const request = https.request(options).end('SELECT 1');
  const [response] = await once(request, 'response');
  const { socket } = response;
  const name = socket instanceof tls.TLSSocket ? socket.getPeerCertificate().subject.CN : undefined;
  return [name, response.statusCode, await text(response)];
}

test('TLS is spoken on the port, and plain HTTP with those on this machine', async (t) => {
  const server = await secureRoom(t, 'spoken');
  if (server === undefined) return;
  const [name, status, body] = await askSecurely(server.port, { ca: server.ca });
  t.deepEqual([name, status, JSON.parse(body).data], ['spoken', 200, [[1]]]);
  t.is((await send(server, { body: 'SELECT 1' })).status, 200);
});

test('plain HTTP that is off is told to use TLS, and so is an older TLS than is spoken', async (t) => {
  const server = await secureRoom(t, 'alone', { plainHttp: 'off', minVersion: 'TLSv1.3' });
  if (server === undefined) return;
  const reply = await send(server, { body: 'SELECT 1' });
  t.deepEqual([reply.status, reply.text], [400, 'This port speaks TLS: use https.\n']);
  t.is((await askSecurely(server.port, { ca: server.ca }))[1], 200);
  await t.throwsAsync(askSecurely(server.port, { ca: server.ca, maxVersion: 'TLSv1.2' }));
});

test('a certificate that changes is used for new connections, open ones stay, and a broken one changes nothing', async (t) => {
  const server = await secureRoom(t, 'before');
  const next = make('after');
  if (server === undefined || next === undefined) return;
  const ca = [server.ca, readFileSync(next.certFile)];
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  t.is((await askSecurely(server.port, { ca, agent }))[0], 'before');
  copyFileSync(next.certFile, server.tls.certFile);
  copyFileSync(next.keyFile, server.tls.keyFile);
  await until(async () => (await askSecurely(server.port, { ca }))[0] === 'after');
  const [, status] = await askSecurely(server.port, { ca, agent });
  t.is(status, 200);
  writeFileSync(server.tls.certFile, 'no certificate');
  await until(() => server.log.some(({ message }) => message.includes('could not be read again')));
  t.is((await askSecurely(server.port, { ca }))[0], 'after');
});

test('strangers to both, and silent ones, are cut when the service stops', async (t) => {
  const server = await secureRoom(t, 'silent');
  if (server === undefined) return;
  const silent = net.connect(server.port, '127.0.0.1');
  await once(silent, 'connect');
  const noise = net.connect(server.port, '127.0.0.1');
  noise.write(Buffer.of(0x16, 3, 1, 255, 255, 0, 0, 0));
  noise.on('error', () => undefined);
  const kept = tls.connect({ port: server.port, host: '127.0.0.1', ca: server.ca });
  await once(kept, 'secureConnect');
  const closed = [silent, noise, kept].map((socket) => once(socket.resume(), 'close'));
  await until(() => server.server.connections > 0);
  await server.server.stop?.();
  await Promise.all(closed);
  t.pass();
});

test('files that are no certificate end the start with the setting in the words', async (t) => {
  const settings = { minVersion: 'TLSv1.2', plainHttp: 'off' } as const;
  const missing = startServer(t, { tls: { ...settings, certFile: '/nowhere/a', keyFile: '/nowhere/b' } });
  await t.throwsAsync(missing, { message: /^ssl\.certFile: \/nowhere\/a cannot be read: / });
  const file = import.meta.filename;
  const none = startServer(t, { tls: { ...settings, certFile: file, keyFile: file } });
  await t.throwsAsync(none, { message: /^ssl\.certFile and ssl\.keyFile: / });
});
