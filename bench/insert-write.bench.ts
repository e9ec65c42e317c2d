import { pathToFileURL } from 'node:url';
import { sendAll, startBenchService, usage } from './support/service.js';

const tables = 10_000;
const tablesPerRequest = 500;
const rowsPerTable = 10;
const requests = 400;
const connections = 4;

/** Requests of `INSERT INTO t1 USING … TAGS … VALUES … t2 …`: 5,000 rows each, over all sub-tables in turn. */
function statements(): Buffer[] {
  return Array.from({ length: requests }, (_, request) => {
    const parts = Array.from({ length: tablesPerRequest }, (_, k) => {
      const table = (request * tablesPerRequest + k) % tables;
      const round = Math.floor((request * tablesPerRequest + k) / tables);
      const rows = Array.from({ length: rowsPerTable }, (_, row) => {
        const line = round * rowsPerTable + row;
        const values = [0, 1, 2].map((c) => ((line * 7919 + table * 31 + c * 104_729) % 100_000) / 1000);
        return `(${1_760_000_000_000 + line * 1000},${values.join(',')})`;
      });
      return `d${table} USING m TAGS('value-${table}','value-${table % 10}') VALUES ${rows.join('')}`;
    });
    return Buffer.from(`INSERT INTO ${parts.join(' ')}`);
  });
}

/** INSERT statements over HTTP end to end: multi-table, with the tables made on the way. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  try {
    await service.sql('CREATE DATABASE bench');
    await service.sql(
      'CREATE STABLE m (ts TIMESTAMP, a DOUBLE, b DOUBLE, c DOUBLE) TAGS (x VARCHAR(32), y VARCHAR(32))',
      'bench',
    );
    const bodies = statements();
    const rows = requests * tablesPerRequest * rowsPerTable;
    const before = usage(service.process.pid!);
    const seconds = await sendAll(service.port, '/rest/sql/bench', bodies, connections, 200);
    const after = usage(service.process.pid!);
    const [[count] = []] = await service.sql('SELECT COUNT(*) FROM m', 'bench');
    if (count !== rows) throw new Error(`${rows} rows were answered, ${count} are stored.`);
    const rate = (rows / seconds / 1e6).toFixed(3);
    const cpu = (after.cpuSeconds - before.cpuSeconds).toFixed(1);
    console.log(
      `multi-table INSERT, ${tablesPerRequest} tables of ${rowsPerTable} rows a request, ${connections} connections: ` +
        `${rate} M rows/s; adapter ${cpu} CPU s, peak ${after.peakMegabytes.toFixed(0)} MB`,
    );
  } finally {
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
