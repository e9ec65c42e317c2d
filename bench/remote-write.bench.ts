import { pathToFileURL } from 'node:url';
import { deflateSnappy } from '../src/transforms/wire/deflate-snappy.js';
import { double, field, text, varint } from './support/protobuf.js';
import { sendAll, startBenchService, usage } from './support/service.js';

const seriesCount = 10_000;
/** One shape of load: each request holds one sample of each of so many series. */
const loads = [
  { samplesPerRequest: 500, connections: 8, samples: 1_000_000 },
  { samplesPerRequest: 2_000, connections: 4, samples: 3_000_000 },
  { samplesPerRequest: 5_000, connections: 4, samples: 4_000_000 },
  { samplesPerRequest: 2_000, connections: 16, samples: 4_000_000 },
  { samplesPerRequest: 10_000, connections: 8, samples: 4_000_000 },
] as const;

/** Labels as a scrape of many hosts gives them: about 150 bytes. */
function labelsOf(series: number): Buffer {
  const labels = {
    __name__: `node_network_receive_bytes_total_${series % 10}`,
    cluster: 'production',
    device: `eth${series % 7}`,
    instance: `host-${Math.floor(series / 10)}.example.com:9100`,
    job: 'node',
    zone: `zone-${series % 3}`,
  };
  return Buffer.concat(Object.entries(labels).map(([name, value]) => field(1, text(1, name), text(2, value))));
}

function bodiesOf(samples: number, samplesPerRequest: number, firstMillis: number): Buffer[] {
  const labels = Array.from({ length: seriesCount }, (_, series) => labelsOf(series));
  const bodies: Buffer[] = [];
  for (let at = 0; at < samples; at += samplesPerRequest) {
    const list = Array.from({ length: samplesPerRequest }, (_, i) => {
      const millis = firstMillis + Math.floor((at + i) / seriesCount) * 15_000;
      return field(
        1,
        labels[(at + i) % seriesCount]!,
        field(2, double(1, ((at + i) * 7919) % 100_003), varint(2, millis)),
      );
    });
    const message = Buffer.concat(list);
    bodies.push(Buffer.concat([...deflateSnappy([message], message.length)]));
  }
  return bodies;
}

/** Remote write end to end: HTTP in, counted in the engine. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  try {
    await service.sql("CREATE DATABASE bench PRECISION 'ms'");
    let stored = 0;
    for (const [i, { samplesPerRequest, connections, samples }] of loads.entries()) {
      const bodies = bodiesOf(samples, samplesPerRequest, 1_760_000_000_000 + i * 10_000_000);
      const before = usage(service.process.pid!);
      const seconds = await sendAll(service.port, '/metricsdb/v1/remote_write/bench', bodies, connections);
      const after = usage(service.process.pid!);
      stored += samples;
      const [[count] = []] = await service.sql('SELECT COUNT(*) FROM metrics', 'bench');
      if (count !== stored) throw new Error(`${stored} samples were answered, ${count} are stored.`);
      const rate = (samples / seconds / 1e6).toFixed(3);
      const cpu = (after.cpuSeconds - before.cpuSeconds).toFixed(1);
      const size = (bodies[0]!.length / samplesPerRequest).toFixed(0);
      console.log(
        `remote write end to end, ${samplesPerRequest} samples a request, ${connections} connections (${size} bytes a sample): ${rate} M samples/s; ` +
          `${bodies.length} requests in ${seconds.toFixed(1)} s; adapter ${cpu} CPU s, peak ${after.peakMegabytes.toFixed(0)} MB`,
      );
    }
  } finally {
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
