import { dataType, type TableDef } from '../src/model/schema.js';
import { setRuntimeFlags } from '../src/process/runtime-flags.js';
import { type InsertContext, scanInsert } from '../src/sql/insert/scanner.js';

const rows = 30000;
const rounds = 40;
const firstMs = 1700000000000;

const table: TableDef = {
  id: 'meters',
  database: 'plant',
  name: 'meters',
  kind: 'super',
  timeColumn: 'ts',
  columns: [
    { name: 'current', type: dataType('FLOAT'), physical: 'c1' },
    { name: 'voltage', type: dataType('INT'), physical: 'c2' },
    { name: 'phase', type: dataType('FLOAT'), physical: 'c3' },
  ],
  tags: [{ name: 'site', type: dataType('INT'), physical: 't1' }],
  storage: 'meters',
  tagStorage: 'meters_tags',
  seriesId: undefined,
  comment: undefined,
  ttl: 0,
  created: 0,
  revision: 1,
};

const context: InsertContext = {
  currentDatabase: 'plant',
  zone: 'UTC',
  nowNs: BigInt(firstMs) * 1000000n,
  database: () => ({ id: '1', name: 'plant', precision: 'ms', keepDays: 3650, options: {}, created: 0 }),
  resolve: (_database, name) => ({
    kind: 'sub',
    table,
    subTable: { key: 42n, id: 42n, name, superTable: 'meters', tags: new Map(), ttl: 0, registered: true },
  }),
  timeRange: () => ({ min: 0n, max: 1n << 53n }),
  makeSubTable: () => {
    throw new Error('Every sub-table of this benchmark exists.');
  },
};

/** A statement of 30,000 rows with times written by `time`. */
function statement(time: (index: number) => string): Buffer {
  const parts = Array.from({ length: rows }, (_, index) => {
    const current = (10 + (index % 1000) / 100).toFixed(2);
    const phase = (0.3 + (index % 777) / 1000).toFixed(3);
    return `(${time(index)},${current},${210 + (index % 30)},${phase})`;
  });
  return Buffer.from(`INSERT INTO d1 VALUES ${parts.join('')}`);
}

/** Prints MB/s and rows/s of statements with ticks and with timestamp text. */
export async function run(): Promise<void> {
  setRuntimeFlags();
  measure(
    'ticks',
    statement((index) => String(firstMs + index)),
  );
  measure(
    'text',
    statement((index) => `'${new Date(firstMs + index).toISOString()}'`),
  );
}

function measure(name: string, text: Buffer): void {
  for (let i = 0; i < 10; i++) scanInsert(text, context);
  const begin = process.hrtime.bigint();
  for (let i = 0; i < rounds; i++) scanInsert(text, context);
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  const megabytes = (text.length * rounds) / 1e6 / seconds;
  const millionRows = (rows * rounds) / 1e6 / seconds;
  console.log(`insert scanner, ${name}: ${megabytes.toFixed(0)} MB/s, ${millionRows.toFixed(2)} million rows/s`);
}
