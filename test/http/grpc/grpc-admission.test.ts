import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { BodyBudget } from '../../../src/async/body-budget.js';
import { OtlpGrpcEndpoint } from '../../../src/http/grpc/otlp-grpc.js';
import { createLoginCodes } from '../../../src/http/request/login-code.js';
import type { Delivery } from '../../../src/model/delivery.js';
import type { Exchange, GuardState, WriteRequest } from '../../../src/model/exchange.js';
import type { TlsSettings } from '../../../src/model/tls-settings.js';
import { certificates } from '../../support/certificates.js';
import { basic, isKnown, type LogLine, recordingLog, user, wrongPassword } from '../../support/inputs/http-server.js';
import { skipped } from '../../support/skipped.js';
import { until } from '../../support/until.js';

const messageBytes = 10_000;
const path = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';
const delivered: Delivery = { outcome: 'delivered', rows: 1, rejectedRows: 0, rejects: [] };

/** An input with a small budget; `open` are the writes that wait to be answered. */
async function startEndpoint(
  t: ExecutionContext,
  guard: () => GuardState = () => 'normal',
  secure?: TlsSettings,
  maxIdleMs = 60_000,
) {
  const bodies = new BodyBudget({ limitBytes: 40_000, maxWaiting: 2, waitMs: 300 });
  const open: Exchange<WriteRequest, Delivery>[] = [];
  const addresses = new Set<string | undefined>();
  const log: LogLine[] = [];
  const input = new OtlpGrpcEndpoint({
    intake: {
      authenticate: async (credentials) => {
        if (credentials.scheme === 'password') addresses.add(credentials.from);
        return isKnown(credentials) ? { user } : wrongPassword;
      },
      guard,
      write: (exchange) => open.push(exchange),
    },
    bodies,
    loginCodes: createLoginCodes({ secret: Buffer.alloc(32) }),
    settings: { createDatabase: false, messageBytes, db: 'otlp', enable: true },
    port: 0,
    tls: secure,
    log: recordingLog(log),
    maxIdleMs,
  });
  await input.start();
  const trusted =
    secure === undefined ? credentials.createInsecure() : credentials.createSsl(readFileSync(secure.certFile));
  const client = new Client(`127.0.0.1:${input.port}`, trusted);
  t.teardown(async () => {
    client.close();
    await input.stop();
  });
  /** Sends a message; gives the error of its call, and what cancels it. */
  const send = (bytes: number, headers: Record<string, string> = { authorization: basic }) => {
    const same = (bytes: Buffer): Buffer => bytes;
    let cancel = (): void => undefined;
    const error = new Promise<ServiceError | null>((resolve) => {
      const head = Metadata.fromHttp2Headers(headers);
      const call = client.makeUnaryRequest(path, same, same, Buffer.alloc(bytes), head, (failure) => resolve(failure));
      cancel = () => call.cancel();
    });
    return { error, cancel };
  };
  return { addresses, bodies, log, open, port: input.port, send };
}

/** A frame of HTTP/2. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The first bytes of a client of HTTP/2. */
const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))]);

/** The frames of a call with a message of so many bytes, of which each frame holds some. */
function callInFrames(stream: number, bytes: number, inEach: number): Buffer {
  const headers = {
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'a',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: basic,
  };
  const text = (value: string): Buffer => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);
  const fields = Object.entries(headers).flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]);
  const message = Buffer.alloc(5 + bytes);
  message.writeUInt32BE(bytes, 1);
  const frames = [frame(1, 4, stream, Buffer.concat(fields))];
  for (let at = 0; at < message.length; at += inEach)
    frames.push(frame(0, at + inEach >= message.length ? 1 : 0, stream, message.subarray(at, at + inEach)));
  return Buffer.concat(frames);
}

test('a connection that sends messages in very many tiny frames is closed', async (t) => {
  const { bodies, open, port } = await startEndpoint(t);
  const socket = net.connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  const received: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (bytes: Buffer) => received.push(bytes));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(Buffer.concat([preface, callInFrames(1, 1_020, 1)]));
  t.true(await until(() => open.length === 1), 'as many as are allowed');
  open[0]?.answer(delivered);
  socket.write(callInFrames(3, 1_100, 1));
  await closed;
  // GOAWAY behind stream 3, ENHANCE_YOUR_CALM.
  const last = Buffer.concat(received).toString('hex');
  t.true(last.includes(frame(7, 0, 0, Buffer.of(0, 0, 0, 3, 0, 0, 0, 11)).toString('hex')), last);
  t.is(open.length, 1);
  t.true(await until(() => bodies.bytes === 0));
});

test('messages in many frames of 300 bytes, and many short messages, are taken', async (t) => {
  const { open, port } = await startEndpoint(t);
  const socket = net.connect(port, '127.0.0.1').resume();
  t.teardown(() => socket.destroy());
  socket.write(preface);
  for (let call = 0; call < 60; call++) {
    socket.write(callInFrames(2 * call + 1, call < 50 ? 9_000 : 10, 300));
    t.true(await until(() => open.length === call + 1));
    open[call]?.answer(delivered);
  }
});

test('a message takes room for itself until its call is answered', async (t) => {
  const { bodies, open, send } = await startEndpoint(t);
  const { error } = send(1_234);
  t.true(await until(() => open.length === 1));
  t.is(bodies.bytes, 1_234);
  t.is(open[0]?.request.whole?.(1_234)?.length, 1_234);
  open[0]?.answer(delivered);
  t.is(await error, null);
  t.true(await until(() => bodies.bytes === 0));
});

test('a call waits for room, and is to be tried again when there is none for long', async (t) => {
  const { bodies, open, send } = await startEndpoint(t);
  const never = new AbortController().signal;
  const lease = await bodies.lease('other', 40_000, never);
  const late = send(10);
  t.true(await until(() => bodies.waiting === 1));
  lease.release();
  t.true(await until(() => open.length === 1));
  open[0]?.answer(delivered);
  t.is(await late.error, null);

  const full = await bodies.lease('other', 40_000, never);
  const refused = await send(10).error;
  t.is(refused?.code, status.UNAVAILABLE);
  t.regex(refused?.details ?? '', /too many request bodies/);
  const gone = send(10);
  t.true(await until(() => bodies.waiting === 1));
  gone.cancel();
  t.is((await gone.error)?.code, status.CANCELLED);
  t.true(await until(() => bodies.waiting === 0));
  full.release();
  t.is(bodies.bytes, 0);
  t.is(open.length, 1, 'nothing else was written');
});

test('strangers, a guard that pauses everything, and a message that is too long end the call before it is read', async (t) => {
  let state: GuardState = 'normal';
  const { addresses, bodies, open, send } = await startEndpoint(t, () => state);
  t.is((await send(10, {}).error)?.code, status.UNAUTHENTICATED);
  t.is((await send(10, { authorization: 'Basic bm86Ym9keQ==' }).error)?.code, status.UNAUTHENTICATED);
  t.deepEqual([...addresses], ['127.0.0.1']);
  t.is((await send(messageBytes + 1).error)?.code, status.RESOURCE_EXHAUSTED);
  state = 'all-paused';
  t.is((await send(10).error)?.code, status.UNAVAILABLE);
  t.is(open.length, 0);
  t.true(await until(() => bodies.bytes === 0));
});

test('connections without calls are closed, those that say nothing too', async (t) => {
  const { port, open, send } = await startEndpoint(t, undefined, undefined, 200);
  const call = send(10);
  t.true(await until(() => open.length === 1));
  const silent = net.connect(port, '127.0.0.1').resume();
  await once(silent, 'close');
  open[0]?.answer(delivered);
  t.is(await call.error, null, 'a call that is under way keeps its connection');
});

/** The name in the certificate that a new connection is shown. */
async function shownName(port: number): Promise<unknown> {
  const socket = tls.connect({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
}

test('a certificate that changes is shown to new connections, open ones stay, and a broken one changes nothing', async (t) => {
  const { make, remove } = certificates();
  t.teardown(remove);
  const [pair, next] = [make('before'), make('after')];
  if (pair === undefined || next === undefined) return skipped(t, 'there is no openssl to make a certificate with');
  const secure = { ...pair, minVersion: 'TLSv1.3', plainHttp: 'off' } as const;
  const { log, open, port, send } = await startEndpoint(t, () => 'normal', secure);
  const call = async (): Promise<ServiceError | null> => {
    const before = open.length;
    const { error } = send(10);
    await Promise.race([error, until(() => open.length > before)]);
    open.at(-1)?.answer(delivered);
    return await error;
  };
  t.is(await call(), null);
  t.is(await shownName(port), 'before');
  copyFileSync(next.certFile, pair.certFile);
  copyFileSync(next.keyFile, pair.keyFile);
  t.true(await until(async () => (await shownName(port)) === 'after'));
  t.is(await call(), null, 'the client, which trusts only the old one, goes on with its connection');
  writeFileSync(pair.keyFile, 'no key');
  t.true(await until(() => log.some(({ message }) => message.includes('could not be read again'))));
  t.is(await shownName(port), 'after');
  const old = tls.connect({ port, host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false });
  const [error] = await once(old, 'error');
  t.regex(String(error), /protocol version/, 'the oldest version of the setting counts');
});
