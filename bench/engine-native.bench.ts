import { pathToFileURL } from 'node:url';
import { EngineClient } from '../src/database/engine/client.js';
import { encodeTables } from '../src/database/engine/native-block.js';
import { BlockBuilder, type ColumnBlock } from '../src/model/column-block.js';
import { dataType } from '../src/model/schema.js';
import { startBenchService } from './support/service.js';

const rowsPerBlock = 30_000;
/** As many rows as the line-protocol loads write, so that both pay for the merges that begin meanwhile. */
const blockCount = 200;
const series = 10_000;
const columns = ['a', 'b', 'c'].map((name) => ({ name, physical: name, type: dataType('DOUBLE') }));

/** A block of three DOUBLE columns; every row of all blocks has a key of its own. */
function blockNumber(block: number): ColumnBlock {
  const builder = new BlockBuilder('db', 't', 'overwrite', rowsPerBlock);
  const built = columns.map(({ name, type }) => builder.addColumn(name, type));
  for (let i = 0; i < rowsPerBlock; i++) {
    const row = block * rowsPerBlock + i;
    builder.setKey(BigInt(row % series) * 1_844_674_407_370_955n, BigInt(Math.floor(row / series)) * 1_000_000_000n);
    for (const [k, column] of built.entries()) {
      column.reserve(i);
      if (column.values instanceof Float64Array) column.values[i] = ((row * 7919 + k * 104_729) % 100_000) / 1000;
      column.nulls[i] = 0;
      column.filled++;
    }
    builder.rows++;
  }
  return builder.finish();
}

/** What the engine host takes in ready-made Native blocks over HTTP: the ceiling of every write path. */
export async function run(): Promise<void> {
  const service = await startBenchService();
  const url = `http://127.0.0.1:${service.enginePort}`;
  const client = new EngineClient({ url, user: 'default', password: service.secret });
  const blocks = Array.from({ length: blockCount }, (_, i) => encodeTables([{ blocks: [blockNumber(i)], columns }]));
  try {
    for (const connections of [1, 2, 4]) {
      const table = `default.native${connections}`;
      await client.exec(
        `CREATE TABLE ${table} (id UInt64, ts Int64 CODEC(DoubleDelta, LZ4), a Nullable(Float64), b Nullable(Float64),
         c Nullable(Float64)) ENGINE = ReplacingMergeTree ORDER BY (id, ts)
         SETTINGS auto_statistics_types = '', merge_selector_base = 30`,
      );
      const insert = { table, columns: 'id, ts, a, b, c', settings: 'optimize_on_insert = 0', format: 'Native' };
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let block = blocks[next++]; block !== undefined; block = blocks[next++])
          await client.insert(insert, block);
      };
      const begun = performance.now();
      await Promise.all(Array.from({ length: connections }, worker));
      const seconds = (performance.now() - begun) / 1000;
      const rate = ((blocks.length * rowsPerBlock) / seconds / 1e6).toFixed(2);
      console.log(`engine host, Native blocks of ${rowsPerBlock} rows, ${connections} connections: ${rate} M rows/s`);
    }
  } finally {
    await client.close();
    await service.stop();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
