import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { engineOf } from './support/measure.js';
import { type BenchService, sendAll, startBenchService, usage } from './support/service.js';

const points = 1_500_000;
/** Every metric of every host is a series; there are as many in both loads. */
interface Load {
  readonly prefix: string;
  readonly metrics: number;
  readonly hosts: number;
}
const few = { metrics: 10, hosts: 1_000 } as const;
const many = { metrics: 500, hosts: 20 } as const;
const connections = 4;
const pointsPerRequest = 5_000;
const start = 1_760_000_000;

interface Point {
  readonly metric: string;
  readonly time: number;
  readonly value: string;
  readonly host: string;
}

/** Point number `i`: every metric of every host once a second. */
function point(i: number, { prefix, metrics, hosts }: Load): Point {
  const series = i % (metrics * hosts);
  return {
    metric: `${prefix}.cpu.m${series % metrics}`,
    time: start + Math.floor(i / (metrics * hosts)),
    value: (((i * 7919) % 100_000) / 1000).toFixed(3),
    host: `server-${String(Math.floor(series / metrics)).padStart(5, '0')}`,
  };
}

function telnetLine({ metric, time, value, host }: Point): string {
  return `put ${metric} ${time} ${value} host=${host} region=eu-west\n`;
}

function jsonObject({ metric, time, value, host }: Point): string {
  return `{"metric":"${metric}","timestamp":${time},"value":${value},"tags":{"host":"${host}","region":"eu-west"}}`;
}

/** All points as texts of so many each. */
function texts(join: (from: number, to: number) => string): Buffer[] {
  return Array.from({ length: points / pointsPerRequest }, (_, i) =>
    Buffer.from(join(i * pointsPerRequest, (i + 1) * pointsPerRequest)),
  );
}

async function stored(service: BenchService, { prefix, metrics }: Load): Promise<number> {
  let count = 0;
  for (let m = 0; m < metrics; m++) {
    try {
      const [[rows] = []] = await service.sql(`SELECT COUNT(*) FROM ${prefix}_cpu_m${m}`, 'bench');
      count += Number(rows);
    } catch {
      // The table comes with its first rows.
    }
  }
  return count;
}

/** Seconds until everything that was sent over some connections is stored. */
async function overTcp(service: BenchService, port: number, blocks: readonly Buffer[]): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    for (let block = blocks[next++]; block !== undefined; block = blocks[next++]) {
      if (!socket.write(block)) await once(socket, 'drain');
    }
    // The service ends the connection when all that came over it is stored.
    socket.end();
    socket.resume();
    await once(socket, 'close');
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - begun) / 1000;
  for (let i = 0; i < 100 && (await stored(service, telnet)) < points; i++) await sleep(100);
  return seconds;
}

const telnet: Load = { prefix: 'telnet', ...few };

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Telnet lines over TCP and JSON over HTTP, end to end: bytes in, counted in the engine. */
export async function run(): Promise<void> {
  const port = await freePort();
  const service = await startBenchService([
    '--tsdbwire_telnet.enable=true',
    `--tsdbwire_telnet.ports=[${port}]`,
    '--tsdbwire_telnet.dbs=[bench]',
  ]);
  const measure = async (name: string, load: Load, bytes: number, send: () => Promise<number>): Promise<void> => {
    const engine = engineOf(service);
    const before = [usage(service.process.pid!), usage(engine)] as const;
    const seconds = await send();
    const after = [usage(service.process.pid!), usage(engine)] as const;
    const count = await stored(service, load);
    if (count !== points) throw new Error(`${points} points were sent, ${count} are stored.`);
    const rate = (points / seconds / 1e6).toFixed(3);
    const [adapterMicros, engineMicros] = [0, 1].map((at) => {
      return (((after[at]!.cpuSeconds - before[at]!.cpuSeconds) / points) * 1e6).toFixed(2);
    });
    const { metrics, hosts } = load;
    console.log(
      `tsdbwire end to end, ${name} (${Math.round(bytes / points)}-byte points, ${metrics} metrics, ${metrics * hosts} series): ` +
        `${rate} M points/s; CPU µs a point: adapter ${adapterMicros}, engine ${engineMicros}; peak ${after[0].peakMegabytes.toFixed(0)} MB`,
    );
  };
  try {
    await service.sql("CREATE DATABASE bench PRECISION 'ms'");
    const lines = texts((from, to) => {
      let text = '';
      for (let i = from; i < to; i++) text += telnetLine(point(i, telnet));
      return text;
    });
    const size = (blocks: readonly Buffer[]) => blocks.reduce((sum, block) => sum + block.length, 0);
    await measure(`telnet over ${connections} connections`, telnet, size(lines), () => overTcp(service, port, lines));
    for (const load of [
      { prefix: 'json', ...few },
      { prefix: 'many', ...many },
    ]) {
      const arrays = texts((from, to) => {
        const objects: string[] = [];
        for (let i = from; i < to; i++) objects.push(jsonObject(point(i, load)));
        return `[${objects.join(',')}]`;
      });
      await measure(`JSON, ${pointsPerRequest} objects a request`, load, size(arrays), () =>
        sendAll(service.port, '/tsdbwire/v1/put/json/bench', arrays, connections),
      );
    }
  } finally {
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
