import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import type { DatabaseDef, SubTable } from '../src/model/schema.js';
import { setRuntimeFlags } from '../src/process/runtime-flags.js';
import { parseLineProtocol } from '../src/transforms/parse/lineproto.js';
import type { MakeSubTable, ParseOptions } from '../src/transforms/points/parse-options.js';
import { SeriesDictionary } from '../src/transforms/points/series-dictionary.js';
import { LineCutter } from '../src/transforms/wire/line-cutter.js';

const seriesCount = 10_000;
const lineCount = 100_000;
const rounds = 20;
const pieceBytes = 1024 * 1024;
const maxLineBytes = 1024 * 1024;

const database: DatabaseDef = { id: 'b', name: 'bench', precision: 'ns', keepDays: 3650, options: {}, created: 0 };
const schema: ParseOptions['schema'] = { table: () => undefined, view: () => undefined };

let nextId = 1n;
const makeSubTable: MakeSubTable = (superTable, name, tags, ttl): SubTable => {
  nextId += 0x9e3779b97f4a7c15n;
  const id = BigInt.asUintN(64, nextId);
  return { key: id, id, name, superTable, tags, ttl, registered: true };
};

/** Lines of about 118 bytes: two tags, three fields, a nanosecond time. */
function body(decimals: number): Uint8Array {
  const lines: string[] = [];
  for (let i = 0; i < lineCount; i++) {
    const host = String((i * 7919) % seriesCount).padStart(6, '0');
    const user = ((i * 37) % 10_000) / 100;
    const system = ((i * 91) % 10_000) / 10 ** decimals;
    const time = 1_700_000_000_000_000_000n + BigInt(i) * 1_000_000n;
    const fields = `usage_user=${user.toFixed(decimals)},usage_system=${system.toFixed(decimals)},processes=${i % 900}i`;
    lines.push(`cpu_load,host=server-${host},region=eu-west ${fields} ${time}\n`);
  }
  return Buffer.from(lines.join(''));
}

/** Blocks of whole lines, as the streaming source cuts them. */
function pieces(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const block = bytes.subarray(at, at + pieceBytes);
    const cut = new LineCutter(maxLineBytes).lastLineBreak(block);
    blocks.push(block.subarray(0, cut));
    at += cut;
  }
  return blocks;
}

function parseAll(blocks: readonly Uint8Array[], options: ParseOptions): void {
  let rows = 0;
  for (const block of blocks) rows += parseLineProtocol(block, options).rows;
  if (rows !== lineCount) throw new Error(`Parsed ${rows} rows of ${lineCount}.`);
}

function measure(name: string, bytes: Uint8Array, work: () => void): void {
  for (let i = 0; i < 3; i++) work();
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rounds; i++) {
    const begin = performance.now();
    work();
    best = Math.min(best, performance.now() - begin);
  }
  const perSecond = (lineCount / best) * 1000;
  const megabytes = ((bytes.length / best) * 1000) / 1e6;
  const width = (bytes.length / lineCount).toFixed(0);
  console.log(`${name}: ${(perSecond / 1e6).toFixed(2)} M lines/s, ${megabytes.toFixed(0)} MB/s (${width}-byte lines)`);
}

/** Measures the line-protocol parser and the line cutter; prints lines per second. */
export async function run(): Promise<void> {
  setRuntimeFlags();
  const options: ParseOptions = {
    database,
    precision: 'ns',
    nowTicks: 1n,
    ttl: 0,
    schema,
    dictionary: new SeriesDictionary(),
    makeSubTable,
  };
  const short = body(2);
  const shortPieces = pieces(short);
  measure('lineproto parse, 3 fields, 2 tags, 10,000 series', short, () => {
    parseAll(shortPieces, options);
  });
  const long = body(17);
  const longPieces = pieces(long);
  measure('lineproto parse, doubles of 17 and more digits', long, () => {
    parseAll(longPieces, options);
  });
  measure('lineproto cut at the last line, no quotes', short, () => {
    new LineCutter(maxLineBytes).lastLineBreak(short);
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
