import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { moreCases } from '../support/cases.js';
import { inputBodies } from '../support/inputs/input-bodies.js';
import { packed } from '../support/messages/remote-messages.js';
import { mutated, type Random, randomFrom } from '../support/mutations.js';
import {
  directoryFor,
  enginePid,
  fileScope,
  memoryOf,
  post,
  rowsOf,
  startAdapter,
} from '../support/service/processes.js';
import { basic } from '../support/service/service.js';
import { until } from '../support/until.js';

/** Bodies per input; the parsers alone get as many as in the rare file in test/transforms/parse/mutated-bodies.test.ts. */
const count = Number(process.env.MUTATIONS ?? moreCases(80, 400));
const atOnce = 8;
/** Bodies of one test. Spoilt names make databases, tables and columns, which are dropped before the next one. */
const perTest = 4_000;
const parts = Math.ceil(count / perTest);
/** One path in so many is spoilt too; each may name a database that has to be made. */
const pathsPerSpoilt = parts > 1 ? 100 : 4;
/** What the service may take more than at its start; it makes tables of what the bodies happen to name. */
const mostGrownBytes = 400 * 1024 * 1024;

const { scope, end } = fileScope();
const adapter = await startAdapter(scope, [
  `--database.path=${directoryFor(scope)}`,
  '--smlAutoCreateDB=true',
  '--otlp.grpc=true',
  '--otlp.grpcPort=0',
  '--graphite.enable=true',
  '--graphite.port=0',
]);
const engine = enginePid(adapter);
const memoryAtFirst = memoryOf(adapter.pid, 'VmRSS');
test.after.always(end);

/** The port of a listener, as the log has it. */
function portOf(protocol: 'grpc' | 'tcp' | 'udp'): number {
  const name = protocol === 'grpc' ? 'otlp' : 'graphite';
  for (const line of adapter.stdout().split('\n')) {
    const said: { listens?: number; protocol?: string; database?: string } = line.startsWith('{')
      ? JSON.parse(line)
      : {};
    if (said.protocol === protocol && said.database === name && said.listens !== undefined) return said.listens;
  }
  throw new Error(`Nothing listens for ${protocol}.`);
}

/** Drops every database. */
async function forget(): Promise<void> {
  for (const [name] of await rowsOf(adapter, 'SHOW DATABASES')) {
    if (!/^(?:information|performance)_schema$/.test(String(name))) {
      await rowsOf(adapter, `DROP DATABASE IF EXISTS \`${String(name).replaceAll('`', '``')}\``);
    }
  }
}

type Send = (random: Random, at: number) => Promise<void>;

/** Declares tests that send `count` bodies together; each gets what calls its `send` for its own number of bodies, a few at once. */
function spoil(
  title: string,
  run: (t: ExecutionContext, each: (send: Send) => Promise<number>) => Promise<void>,
): void {
  for (let part = 0; part < parts; part++) {
    test.serial(part === 0 ? title : `${title} (${part + 1} of ${parts})`, async (t) => {
      if (part > 0) await forget();
      const random = randomFrom(20_260_102 + part);
      const bodies = Math.min(perTest, count - part * perTest);
      await run(t, async (send) => {
        for (let from = 0; from < bodies; from += atOnce) {
          const some = Array.from({ length: Math.min(atOnce, bodies - from) }, (_, at) => send(random, from + at));
          await Promise.all(some);
        }
        return bodies;
      });
    });
  }
}

const pick = (bodies: readonly Buffer[], random: Random): Buffer => bodies[random(bodies.length)]!;

/** A path whose last pieces are spoilt too, now and then. */
function spoiltPath(path: string, random: Random): string {
  if (random(pathsPerSpoilt) > 0) return path;
  return path.replace(/[^/?=&]+$/, (last) =>
    encodeURI(mutated(last, random).toString('latin1').replace(/[#\s]/g, '%')),
  );
}

type Bodies = readonly Buffer[];
const protobuf = { 'content-type': 'application/x-protobuf' };
const version2 = { ...protobuf, 'x-prometheus-remote-write-version': '2.0.0' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const inputs: readonly (readonly [
  path: string,
  bodies: Bodies,
  headers: Record<string, string>,
  compress?: 'snappy',
])[] = [
  ['/v1/metrics?db=mutated', inputBodies.otlp, protobuf],
  ['/v1/metrics?db=mutated', inputBodies.otlpJson, { 'content-type': 'application/json' }],
  ['/metricsdb/v1/remote_write/mutated', inputBodies.remoteWrite1, protobuf, 'snappy'],
  ['/metricsdb/v1/remote_write/mutated', inputBodies.remoteWrite2, version2, 'snappy'],
  ['/write?db=mutated&precision=ns', inputBodies.lines, {}],
  ['/api/v2/write?org=any&bucket=mutated', inputBodies.lines, {}],
  ['/query?q=', inputBodies.queries, form],
  ['/query', inputBodies.queries.map((text) => Buffer.from(`q=${encodeURIComponent(text.toString())}`)), form],
  ['/api/v1/import/prometheus?db=mutated&extra_label=a=b', inputBodies.exposition, {}],
  ['/metrics/job/mutated/instance/a', inputBodies.exposition, { 'x-sluice-db': 'mutated' }],
  ['/api/put?details&db=mutated', inputBodies.openTsdb, { 'content-type': 'application/json' }],
  ['/tsdbwire/v1/put/telnet/mutated', inputBodies.telnet, {}],
];

for (const [index, [path, bodies, headers, compress]] of inputs.entries()) {
  spoil(`${index}: spoilt bodies of ${path} are answered, never with a fault of the service`, async (t, each) => {
    await each(async (random) => {
      const plain = mutated(pick(bodies, random), random);
      const body = compress === 'snappy' ? packed(plain) : plain;
      const isZipped = random(8) === 0;
      const sent = isZipped ? mutated(gzipSync(body), () => 0) : body;
      const asked = path.endsWith('q=') ? `${path}${encodeURIComponent(plain.toString())}` : spoiltPath(path, random);
      const answer = await post(
        adapter.port,
        asked,
        sent,
        isZipped ? { ...headers, 'content-encoding': 'gzip' } : headers,
      );
      if (answer.status >= 500) t.fail(`${answer.status} ${answer.text} for ${asked} ${sent.toString('hex', 0, 1000)}`);
    });
    const grown = memoryOf(adapter.pid, 'VmRSS') - memoryAtFirst;
    t.true(grown < mostGrownBytes, `${Math.round(grown / 2 ** 20)} MiB more than at first`);
    t.is(enginePid(adapter), engine, 'the engine lives');
  });
}

/** Sends one frame stream to the gRPC input; gives its status, or undefined where the connection broke off. */
async function callGrpc(session: ClientHttp2Session, bytes: Buffer): Promise<number | undefined> {
  const call = session.request({
    ':method': 'POST',
    ':path': '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
    'content-type': 'application/grpc',
    'grpc-encoding': 'gzip',
    te: 'trailers',
    authorization: basic,
    'x-sluice-db': 'mutated',
  });
  let code: number | undefined;
  const note = (headers: Record<string, unknown>): void => {
    if (headers['grpc-status'] !== undefined) code = Number(headers['grpc-status']);
  };
  call
    .on('response', note)
    .on('trailers', note)
    .on('error', () => undefined);
  call.resume().end(bytes);
  if (!call.closed) await once(call, 'close');
  return code;
}

spoil('spoilt calls of gRPC end with a status, and none of it is a fault of the service', async (t, each) => {
  const session = connectHttp2(`http://127.0.0.1:${portOf('grpc')}`);
  t.teardown(() => session.close());
  const codes = new Map<number | undefined, number>();
  await each(async (random) => {
    const message = mutated(inputBodies.otlp[0], random);
    const isZipped = random(4) === 0;
    const body = isZipped ? gzipSync(message) : message;
    const head = Buffer.from([isZipped ? 1 : 0, 0, 0, 0, 0]);
    head.writeUInt32BE(body.length, 1);
    const frame = Buffer.concat([head, body]);
    const code = await callGrpc(session, random(4) === 0 ? mutated(frame, random) : frame);
    codes.set(code, (codes.get(code) ?? 0) + 1);
  });
  // 0 stored, 3 not a message, 8 too long, 12 an unknown coding; 13 is the library's word for a frame that cannot be unpacked.
  const known = [0, 3, 8, 12, 13];
  t.deepEqual(
    [...codes.keys()].filter((code) => !known.includes(code ?? -1)),
    [],
    JSON.stringify([...codes]),
  );
  t.true((codes.get(3) ?? 0) > 0, JSON.stringify([...codes]));
});

spoil('spoilt lines of Graphite over TCP and UDP cost the good ones nothing', async (t, each) => {
  const seconds = Math.floor(Date.now() / 1000);
  const good = (n: number, way: string): string => `kept.${way} ${n} ${seconds + n}\n`;
  const datagrams = createSocket('udp4');
  t.teardown(() => datagrams.close());
  const stored = async (): Promise<number> => {
    const rows = await rowsOf(adapter, 'SELECT COUNT(*) FROM graphite.kept_tcp').catch(() => [[0]]);
    return Number(rows[0]?.[0]);
  };
  const sent = await each(async (random, n) => {
    const spoilt = mutated(pick(inputBodies.graphite, random), random);
    const socket = connect(portOf('tcp'), '127.0.0.1');
    socket.end(Buffer.concat([spoilt, Buffer.from('\n'), Buffer.from(good(n, 'tcp'))]));
    await once(socket.resume(), 'close');
    datagrams.send(spoilt.subarray(0, 60_000), portOf('udp'), '127.0.0.1');
  });
  t.true(await until(async () => (await stored()) === sent));
  datagrams.send(good(0, 'udp'), portOf('udp'), '127.0.0.1');
  const arrived = () => rowsOf(adapter, 'SELECT * FROM graphite.kept_udp').then((rows) => rows.length > 0);
  t.true(await until(() => arrived().catch(() => false)));
});

test.serial('every input still takes what is good', async (t) => {
  for (const [path, bodies, headers, compress] of inputs) {
    if (path.startsWith('/query')) continue;
    const [body] = bodies;
    const { status, text } = await post(adapter.port, path, compress === 'snappy' ? packed(body!) : body!, headers);
    t.true(status === 200 || status === 204, `${path} ${status} ${text}`);
  }
  const faults = /A request broke|A call of OTLP failed|"level":"(?:error|fatal)"/;
  // Of two series that are spoilt into one sub-table name (`a,,` with the tag `t`, `a` with the tag `,,t`) the second is refused.
  const sameName = /"reason":"Table already exists in other stables"/;
  const lines = adapter.stdout().split('\n');
  t.deepEqual(
    lines.filter((line) => faults.test(line) && !sameName.test(line)),
    [],
  );
  t.is(enginePid(adapter), engine, 'the engine lives');
});
