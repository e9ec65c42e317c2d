import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';

const folder = join(import.meta.dirname, '../../../src');

/** A listener by which code reads a socket or stream itself. */
const reader = /\.(?:on|once|addListener|prependListener)\(\s*['"](?:data|readable)['"]/g;

/** The files that read sockets and streams by such listeners, and how many each has. All other code uses these files, or pipes. */
const readers: Readonly<Record<string, number>> = {
  // Whole bodies, with a limit and room of a budget.
  'async/collect-bytes.ts': 1,
  // Listeners of text over TCP.
  'sources/support/socket-reader.ts': 1,
  // The compressor has no other sign that its first bytes are there.
  'http/answer/reply.ts': 1,
  // The first byte of a connection tells TLS from plain HTTP.
  'http/connection/tls-port.ts': 1,
  // Bytes of a gRPC frame, counted before the library collects them.
  'http/grpc/frame-limit.ts': 1,
  // Bytes of a message of WebSocket, counted before the library collects them.
  'http/websocket/connection.ts': 1,
  // The engine and its host.
  'database/engine/engine-server.ts': 1,
  'database/engine/host-channel.ts': 1,
  'database/engine/http-connections.ts': 1,
  'database/host/connection/result-pipe.ts': 1,
  'database/host/server/channel-server.ts': 1,
  'database/host/server/reply.ts': 1,
  'database/host/supervisor.ts': 1,
  // Output of other processes of the service.
  'workers/slot.ts': 2,
  // Complaints of a server of telnet, which come at any time.
  'load/sinks/telnet-tcp.ts': 1,
};

function readersIn(file: string): number {
  const code = readFileSync(join(folder, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...code.matchAll(reader)].length;
}

test('sockets and streams are read in the named files only', (t) => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const counted = Object.fromEntries(files.map((file) => [file, readersIn(file)] as const).filter(([, n]) => n > 0));
  t.deepEqual(counted, readers, 'Read a stream with the files above, with `pipe` or with `for await`.');
});

test('listeners of bytes are found, whatever method adds them', (t) => {
  const count = (code: string): number => [...code.matchAll(reader)].length;
  t.is(count("socket.on('data', take).once(\n  'readable', look); stream.addListener(\"data\", x)"), 3);
  t.is(count("stream.on('end', done); stream.pipe(out); batches.on('database', x)"), 0);
});
