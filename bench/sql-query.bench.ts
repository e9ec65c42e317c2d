import { Agent, request } from 'node:http';
import { pathToFileURL } from 'node:url';
import { post, startBenchService } from './support/service.js';

const rows = 1_000_000;
const runs = 5;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  return work().then(() => performance.now() - begun);
}

/** A million rows by four columns as JSON: through the adapter, and as the engine host prints them itself. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  const agent = new Agent({ keepAlive: true });
  try {
    await service.sql('CREATE DATABASE bench');
    await service.sql('CREATE STABLE m (ts TIMESTAMP, a DOUBLE, b INT, c BIGINT) TAGS (site INT)', 'bench');
    for (let block = 0; block < rows / 20_000; block++) {
      const values = Array.from({ length: 20_000 }, (_, i) => {
        const row = block * 20_000 + i;
        return `(${1_760_000_000_000 + row},${(row % 1000) / 8},${row},${row * 7})`;
      });
      await service.sql(`INSERT INTO t1 USING m TAGS (1) VALUES ${values.join('')}`, 'bench');
    }
    const statement = Buffer.from('SELECT ts, a, b, c FROM m');
    const own = () => post(agent, service.port, '/rest/sql/bench', statement);
    const [[storage] = []] = await engineRows(service.enginePort, service.secret, engineTable);
    const printed = `SELECT fromUnixTimestamp64Milli(ts, 'UTC'), * EXCEPT (id, ts) FROM ${storage} FINAL FORMAT JSONCompact`;
    const engine = () => enginePost(agent, service.enginePort, service.secret, printed);
    await own();
    await engine();
    const pairs: [number, number][] = [];
    for (let i = 0; i < runs; i++) pairs.push([await timed(own), await timed(engine)]);
    const adapterMs = median(pairs.map(([a]) => a));
    const engineMs = median(pairs.map(([, b]) => b));
    const ratio = (engineMs / adapterMs).toFixed(2);
    console.log(
      `SELECT of ${rows} rows by 4 columns: adapter ${adapterMs.toFixed(0)} ms, engine host's own JSONCompact ` +
        `${engineMs.toFixed(0)} ms, ratio of rates ${ratio}`,
    );
  } finally {
    agent.destroy();
    await service.stop();
  }
}

const engineTable =
  "SELECT concat(database, '.', name) FROM system.tables WHERE database LIKE 'd%\\_%' AND name LIKE 't%'";

function enginePost(agent: Agent, port: number, secret: string, statement: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-clickhouse-user': 'default', 'x-clickhouse-key': secret };
    const call = request({ agent, port, method: 'POST', path: '/', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
    call.on('error', reject);
    call.end(statement);
  });
}

async function engineRows(port: number, secret: string, statement: string): Promise<string[][]> {
  const agent = new Agent();
  const text = await enginePost(agent, port, secret, `${statement} FORMAT TSV`);
  agent.destroy();
  return text
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
