import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { lastValueFrom, map, reduce } from 'rxjs';
import { encodeTables } from '../src/database/engine/native-block.js';
import { type DatabaseDef, dataType, type SubTable } from '../src/model/schema.js';
import { ByteCreditGate } from '../src/pipelines/credit-gate.js';
import { setRuntimeFlags } from '../src/process/runtime-flags.js';
import { fromBytes } from '../src/sources/support/bridges.js';
import { type Frame, framing } from '../src/sources/support/framing.js';
import { parseLineProtocol } from '../src/transforms/parse/lineproto.js';
import { SeriesDictionary } from '../src/transforms/points/series-dictionary.js';
import { LineCutter } from '../src/transforms/wire/line-cutter.js';

const lineCount = 1_000_000;
const series = 10_000;
const maxLineBytes = 1024 * 1024;

const database: DatabaseDef = { id: 'd1_0', name: 'db', precision: 'ns', keepDays: 3650, options: {}, created: 0 };

function text(): Buffer {
  const lines: string[] = [];
  for (let i = 0; i < lineCount; i++) {
    const value = ((i * 7919) % 100_000) / 1000;
    const time = 1_760_000_000_000_000_000n + BigInt(Math.floor(i / series)) * 1_000_000_000n;
    lines.push(`m,host=server-${i % series},zone=z${i % 10} a=${value},b=${value + 1},c=${value + 2} ${time}\n`);
  }
  return Buffer.from(lines.join(''));
}

function report(stage: string, begun: number): void {
  const seconds = (performance.now() - begun) / 1000;
  console.log(`stage alone, ${stage}: ${(lineCount / seconds / 1e6).toFixed(1)} M lines/s`);
}

/** Each stage of the line-protocol path alone, on the same million lines. */
export async function run(): Promise<void> {
  setRuntimeFlags();
  const body = text();
  const chunks = function* () {
    for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
  };
  const gate = new ByteCreditGate(Number.MAX_SAFE_INTEGER);
  const never = new AbortController().signal;

  let begun = performance.now();
  let bytes = 0;
  for await (const chunk of Readable.from(chunks())) bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
  report(`drain (${(bytes / lineCount).toFixed(0)}-byte lines)`, begun);

  const limits = { blockBytes: 262_144, maxLineBytes };
  const frame = async (take: (bytes: Uint8Array) => void): Promise<void> => {
    const chain = framing(() => new LineCutter(maxLineBytes), limits);
    const framed$ = fromBytes<Frame>(Readable.from(chunks()), chain, gate, never);
    await lastValueFrom(
      framed$.pipe(
        map(({ bytes }) => take(bytes)),
        reduce(() => 0, 0),
      ),
    );
  };
  const frames: Uint8Array[] = [];
  await frame((bytes) => frames.push(bytes));
  // Nobody keeps frames: new memory for each of them would cost several times what framing does, and so does cold code.
  for (let i = 0; i < 4; i++) await frame(() => {});
  begun = performance.now();
  await frame(() => {});
  report('frame', begun);

  const subTables = new Map<string, SubTable>();
  const options = {
    database,
    precision: 'ns',
    nowTicks: 1n,
    ttl: 0,
    schema: { table: () => undefined, view: () => undefined },
    dictionary: new SeriesDictionary(),
    makeSubTable: (superTable: string, name: string, tags: SubTable['tags'], ttl: number): SubTable => {
      let known = subTables.get(name);
      const id = BigInt(subTables.size);
      known ??= { key: id, id, name, superTable, tags, ttl, registered: true };
      subTables.set(name, known);
      return known;
    },
  } as const;
  for (const frame of frames.slice(0, 8)) parseLineProtocol(frame, options);
  begun = performance.now();
  const blocks = frames.flatMap((frame) => parseLineProtocol(frame, options).blocks);
  report('parse', begun);

  begun = performance.now();
  const columns = ['a', 'b', 'c'].map((name) => ({ name, physical: name, type: dataType('DOUBLE') }));
  for (let at = 0; at < blocks.length; at += 8) encodeTables([{ blocks: blocks.slice(at, at + 8), columns }]);
  report('encode', begun);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await run();
