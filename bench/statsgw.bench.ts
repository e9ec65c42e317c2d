import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ByteCreditGate } from '../src/pipelines/credit-gate.js';
import { LineListener } from '../src/sources/support/line-listener.js';
import { StatsdReader } from '../src/transforms/parse/statsd.js';
import { StatStore } from '../src/transforms/stat-store.js';

const names = 1000;
const silent = { error() {}, warn() {}, info() {}, debug() {} };
const target = { database: 'd', user: 'u', createDatabase: false, ttl: 0, precision: 'ns' } as const;
const store = () =>
  new StatStore({ maxKeys: 100_000, maxKeyBytes: 1e8, maxSetValues: 1e6 }, [true, true, true, true, true], []);

/** Packets of so many lines each, of all kinds. */
function packetsOf(packets: number, linesEach: number): Buffer[] {
  const line = (i: number): string => {
    const name = `service.requests.n${i % names}`;
    if (i % 4 === 0) return `${name}:${i % 100}|ms|@0.5|#env:prod,zone:a`;
    return i % 4 === 1 ? `${name}:${i}|g` : `${name}:1|c|#env:prod`;
  };
  return Array.from({ length: packets }, (_, p) =>
    Buffer.from(Array.from({ length: linesEach }, (_, i) => line(p * linesEach + i)).join('\n')),
  );
}

/** What a source takes while something sends; prints how fast it was and what was lost. */
async function taken(name: string, protocol: 'tcp' | 'udp', send: (port: number) => Promise<number>): Promise<void> {
  const options = {
    name: 'statsgw',
    format: 'statsd',
    protocols: [protocol],
    host: '127.0.0.1',
    port: 0,
    maxTCPConnections: 10,
    tcpKeepAlive: false,
  } as const;
  const source = new LineListener(
    { ...options, allowPendingMessages: 50_000, target },
    new ByteCreditGate(32e6),
    silent,
  );
  const reader = new StatsdReader();
  const collected = store();
  let messages = 0;
  let first = 0;
  let last = 0;
  source.batches$.subscribe((batch) => {
    reader.read(batch.payload.bytes, collected);
    messages += reader.messages;
    last = performance.now();
    if (first === 0) first = last;
    batch.settle({ outcome: 'delivered', rows: reader.messages, rejectedRows: 0, rejects: [] });
  });
  await source.start();
  const sent = await send(source.ports[0]!);
  for (let before = -1; before !== messages; ) {
    before = messages;
    await sleep(200);
  }
  await source.stop();
  const rate = (messages / (last - first) / 1000).toFixed(2);
  const lost = (100 * (1 - messages / sent)).toFixed(2);
  console.log(`statsgw over ${protocol}, ${name}: ${rate} M messages/s taken, ${lost} % lost`);
}

async function sendTcp(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const all = Buffer.concat(packetsOf(1000, 100).flatMap((packet) => [packet, Buffer.from('\n')]));
  for (let i = 0; i < 20; i++) await new Promise((resolve) => socket.write(all, resolve));
  await new Promise<void>((resolve) => socket.end(() => resolve()));
  return 20 * countLines(all);
}

/** Sends from a process of its own, so many messages a second for three seconds. */
async function sendUdp(port: number, linesEach: number, perSecond: number): Promise<number> {
  const args = [fileURLToPath(import.meta.url), 'send', port, linesEach, perSecond].map(String);
  const sender = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return Number(await text(sender.stdout));
}

/** The sender's half: in even steps of time, as many packets as are due. */
async function sendPaced(port: number, linesEach: number, perSecond: number): Promise<void> {
  const packets = packetsOf(1000, linesEach);
  const total = (3 * perSecond) / linesEach;
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.connect(port, '127.0.0.1', resolve));
  const begun = performance.now();
  let sent = 0;
  while (sent < total) {
    const due = Math.min(total, ((performance.now() - begun) / 1000) * (perSecond / linesEach));
    for (; sent < due; sent++) socket.send(packets[sent % packets.length]!);
    await sleep(1);
  }
  socket.close();
  console.log(sent * linesEach);
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}

/** StatsD text: read and collected in memory, then through sockets. */
export async function run(): Promise<void> {
  const lines = Buffer.concat(packetsOf(1000, 100).flatMap((packet) => [packet, Buffer.from('\n')]));
  const reader = new StatsdReader();
  const collected = store();
  const begun = performance.now();
  let messages = 0;
  for (let i = 0; i < 20; i++) {
    reader.read(lines, collected);
    messages += reader.messages;
  }
  const seconds = (performance.now() - begun) / 1000;
  console.log(`statsgw read and collected in memory: ${(messages / seconds / 1e6).toFixed(2)} M messages/s`);
  await taken('as fast as it goes', 'tcp', sendTcp);
  for (const [linesEach, perSecond] of [
    [20, 200_000],
    [20, 400_000],
    [1, 100_000],
    [1, 200_000],
  ] as const) {
    const name = `${perSecond / 1000} k messages/s sent, ${linesEach} a datagram`;
    await taken(name, 'udp', (port) => sendUdp(port, linesEach, perSecond));
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , mode, port, linesEach, perSecond] = process.argv;
  if (mode === 'send') await sendPaced(Number(port), Number(linesEach), Number(perSecond));
  else await run();
}
