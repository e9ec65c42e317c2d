import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Scope } from '../service/processes.js';
import { fileHash } from './city-hash.js';

/** Of the engine's protocol for fetching parts: the one that has the type of a part, its id and its projections in front of its files. */
const protocolVersion = 8;
const noId = '00000000-0000-0000-0000-000000000000';
/** Name of a replicated table in the keeper, as the layout of tables gives it. */
const endpoint = /^DataPartsExchange:\/sluice\/tables\/\d+\/(\w+)\.(\w+)\/replicas\/\d+$/;

/**
 * Gives other nodes the parts of the replicated tables of one node, out of its directory, as a server's own interserver port does. While the
 * node does not run, connections end.
 */
export async function serveParts(t: Scope, port: number, data: string, isRunning: () => boolean): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    const { searchParams } = new URL(request.url ?? '', 'http://node');
    const [, database, table] = endpoint.exec(searchParams.get('endpoint') ?? '') ?? [];
    if (!isRunning()) return void request.socket.destroy();
    try {
      const part = partBytes(join(data, database ?? '', table ?? '', searchParams.get('part') ?? ''));
      response.writeHead(200, { 'set-cookie': `server_protocol_version=${protocolVersion}` }).end(part);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function partBytes(directory: string): Buffer {
  const names = readdirSync(directory).filter((name) => name !== 'txn_version.txt');
  const files = names.map((name) => ({ name, bytes: readFileSync(join(directory, name)) }));
  const size = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const type = names.includes('data.bin') ? 'Compact' : 'Wide';
  const head = [number(size), text('ttl format version: 1\n{}'), text(type), Buffer.from(noId), number(0)];
  const bodies = files.flatMap(({ name, bytes }) => [text(name), number(bytes.length), bytes, fileHash(bytes)]);
  return Buffer.concat([...head, number(files.length), ...bodies]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** A text with its length in front; none here is longer than 127 bytes. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
}
