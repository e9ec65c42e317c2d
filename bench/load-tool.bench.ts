import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Catalogue } from '../src/database/catalogue/catalogue.js';
import { EngineClient } from '../src/database/engine/client.js';
import { encodeTables } from '../src/database/engine/native-block.js';
import type { LoadReport } from '../src/load/model/report.js';
import { BlockBuilder, type ColumnBlock } from '../src/model/column-block.js';
import { dataType } from '../src/model/schema.js';
import { engineOf } from './support/measure.js';
import { type BenchService, startBenchService, usage } from './support/service.js';

const program = fileURLToPath(new URL('../src/bench.js', import.meta.url));
const silent = { error() {}, warn() {}, info() {}, debug() {} };
/** As the default run has it. */
const rowsPerTable = 10_000;
const tables = 500;
const columns = [
  { name: 'current', type: dataType('FLOAT') },
  { name: 'voltage', type: dataType('INT') },
  { name: 'phase', type: dataType('FLOAT') },
];

/** Rows per second of the modes of the load tool, beside what the engine host takes in ready-made blocks of the same rows. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  try {
    const ceiling = await nativeBlocks(service);
    tell('ready-made Native blocks', ceiling, undefined);
    const rates = new Map<string, number>();
    for (const mode of ['stmt', 'taosc', 'rest', 'sml', 'sml-rest']) {
      const count = mode.startsWith('sml') ? tables / 10 : tables;
      rates.set(mode, await modeRate(service, mode, count));
    }
    const share = (part: number | undefined, whole: number | undefined): string =>
      `${(((part ?? 0) / (whole ?? 1)) * 100).toFixed(0)} %`;
    console.log(`stmt: ${share(rates.get('stmt'), ceiling)} of the Native blocks`);
    console.log(`rest: ${share(rates.get('rest'), rates.get('taosc'))} of taosc`);
  } finally {
    await service.stop();
  }
}

function tell(what: string, rate: number, more: string | undefined): void {
  console.log(`load tool, ${what}: ${(rate / 1e6).toFixed(2)} M rows/s${more === undefined ? '' : `; ${more}`}`);
}

/** Runs the tool as a person does and reads its report. */
async function modeRate(service: BenchService, mode: string, count: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-load-'));
  const isHttp = mode === 'rest' || mode === 'sml-rest';
  const port = String(isHttp ? service.port : service.enginePort);
  const rows = ['-t', String(count), '-n', String(rowsPerTable), '-d', `bench_${mode.replace('-', '_')}`];
  const argv = ['-y', '-h', '127.0.0.1', '-P', port, '-I', mode, ...rows, '--json', 'report.json'];
  const pids = [service.process.pid!, engineOf(service)];
  const cpuOf = (): number => pids.reduce((sum, pid) => sum + usage(pid).cpuSeconds, 0);
  const before = cpuOf();
  const child = spawn(process.execPath, [program, ...argv], { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = once(child, 'exit');
  let peak = 0;
  const timer = setInterval(() => {
    if (child.pid !== undefined && child.exitCode === null) peak = Math.max(peak, usage(child.pid).peakMegabytes);
  }, 200);
  const [code] = await ended;
  clearInterval(timer);
  if (code !== 0) throw new Error((await said).join('\n'));
  const { totals }: LoadReport = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
  rmSync(directory, { recursive: true });
  const rate = totals.rows / totals.seconds;
  const micros = (seconds: number): string => `${((seconds / totals.rows) * 1e6).toFixed(2)} µs`;
  const parts = `generating ${micros(totals.generateSeconds)}, encoding ${micros(totals.encodeSeconds)} a row`;
  tell(
    mode,
    rate,
    `${parts}, service and engine ${micros(cpuOf() - before)} CPU a row, tool at most ${peak.toFixed(0)} MB`,
  );
  return rate;
}

/** What the engine host takes in: blocks of one table's rows each, made beforehand, over two connections. */
async function nativeBlocks(service: BenchService): Promise<number> {
  await service.sql('CREATE DATABASE native');
  await service.sql('CREATE STABLE m (ts TIMESTAMP, current FLOAT, voltage INT, phase FLOAT) TAGS (g INT)', 'native');
  await service.sql('INSERT INTO d0 USING m TAGS (1) VALUES (1500000000000, 1, 1, 1)', 'native');
  const url = `http://127.0.0.1:${service.enginePort}`;
  const client = new EngineClient({ url, user: 'default', password: service.secret });
  const catalogue = new Catalogue(client, silent);
  await catalogue.sync();
  const table = catalogue.table('native', 'm')!;
  const blocks = Array.from({ length: tables }, (_, i) =>
    encodeTables([{ blocks: [blockOf(BigInt(i))], columns: table.columns }]),
  );
  const list = ['id', 'ts', ...table.columns.map(({ physical }) => physical)].join(', ');
  const insert = { table: table.storage, columns: list, settings: 'optimize_on_insert = 0', format: 'Native' };
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let block = blocks[next++]; block !== undefined; block = blocks[next++]) await client.insert(insert, block);
  };
  const begun = performance.now();
  await Promise.all([worker(), worker()]);
  const seconds = (performance.now() - begun) / 1000;
  await client.close();
  return (tables * rowsPerTable) / seconds;
}

function blockOf(id: bigint): ColumnBlock {
  const builder = new BlockBuilder('native', 'm', 'overwrite', rowsPerTable);
  const built = columns.map(({ name, type }) => builder.addColumn(name, type));
  for (; builder.rows < rowsPerTable; builder.rows++) {
    const row = builder.rows;
    builder.setKey(id * 1_844_674_407_370_955n, 1_500_000_000_000n + BigInt(row));
    for (const column of built) {
      column.reserve(row);
      if (column.values instanceof Float32Array || column.values instanceof Int32Array) column.values[row] = row % 10;
      column.nulls[row] = 0;
      column.filled++;
    }
  }
  return builder.finish();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
