import test from 'ava';
import type { Label } from '../../../src/model/label-set.js';
import { samplePieces } from '../../../src/pipelines/series/sample-columns.js';

type Sample = readonly [ms: number, value: number];

/** A row of one series in the engine's binary format. */
function rowOf(id: bigint, samples: readonly Sample[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(id);
  const length =
    samples.length < 128 ? [samples.length] : [(samples.length & 0x7f) | 0x80, Math.floor(samples.length / 128)];
  const columns = [0, 1].map((column) => Float64Array.from(samples, (sample) => sample[column]!));
  return Buffer.concat([head, ...columns.flatMap(({ buffer }) => [Buffer.from(length), Buffer.from(buffer)])]);
}

async function* cutInto(bytes: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

interface Columns {
  readonly labels: (readonly Label[])[];
  readonly offsets: number[];
  readonly times: number[];
  /** Eight bytes for each value. */
  readonly values: Buffer;
}

/** All pieces as one. */
async function columnsOf(rows: AsyncIterable<Uint8Array>, take = (_: number): void => {}): Promise<Columns> {
  const all = { labels: [] as (readonly Label[])[], offsets: [0], times: [] as number[] };
  const values: Buffer[] = [];
  for await (const piece of samplePieces(rows, labels, take)) {
    all.labels.push(...piece.labels);
    all.offsets.push(...[...piece.offsets.subarray(1)].map((offset) => offset + all.times.length));
    all.times.push(...piece.times);
    values.push(Buffer.from(piece.values.buffer, piece.values.byteOffset, piece.values.byteLength));
  }
  return { ...all, values: Buffer.concat(values) };
}

const labels = new Map<bigint, readonly Label[]>([
  [7n, [['job', 'a']]],
  [8n, [['job', 'b']]],
]);
const long = Array.from({ length: 300 }, (_, i): Sample => [1000 + i, i / 3]);
const rows = Buffer.concat([rowOf(7n, [[5, 1]]), rowOf(9n, [[6, 2]]), rowOf(8n, long)]);

for (const length of [1, 7, 64, rows.length]) {
  test(`rows in pieces of ${length} bytes become columns, without series that are not known`, async (t) => {
    let taken = 0;
    const columns = await columnsOf(cutInto(rows, length), (samples) => {
      taken += samples;
    });
    const { labels: ofSeries, offsets, times, values } = columns;
    t.deepEqual(ofSeries, [[['job', 'a']], [['job', 'b']]]);
    t.deepEqual([...offsets], [0, 1, 301]);
    t.deepEqual([...times], [5, ...long.map(([ms]) => ms)]);
    t.deepEqual(values, Buffer.from(Float64Array.of(1, ...long.map(([, value]) => value)).buffer));
    t.is(taken, 302);
  });
}

test('samples count before they are held', async (t) => {
  let pieces = 0;
  async function* begun(): AsyncGenerator<Uint8Array> {
    for await (const piece of cutInto(rowOf(8n, long), 100)) {
      pieces++;
      yield piece;
    }
  }
  const refuse = (samples: number): void => {
    if (samples > 100) throw new Error(`${samples} samples`);
  };
  await t.throwsAsync(columnsOf(begun(), refuse), { message: '300 samples' });
  t.is(pieces, 1);
});

test('of samples within one millisecond the last one counts, with the bits of its number', async (t) => {
  const samples: Sample[] = [
    [1, 1],
    [1, Number.NaN],
    [2, 3],
    [4, 4],
    [4, 5],
  ];
  const bytes = rowOf(7n, samples);
  // The stale marker, which is a NaN with bits of its own.
  bytes.writeUInt32LE(2, bytes.length - 4 * 8);
  bytes.writeUInt32LE(0x7ff00000, bytes.length - 4 * 8 + 4);
  const { offsets, times, values } = await columnsOf(cutInto(bytes, bytes.length));
  t.deepEqual([...offsets], [0, 3]);
  t.deepEqual([...times], [1, 2, 4]);
  t.deepEqual([values.readUInt32LE(0), values.readUInt32LE(4)], [2, 0x7ff00000]);
  t.deepEqual([values.readDoubleLE(8), values.readDoubleLE(16)], [3, 5]);
});

test('rows that end early are an error', async (t) => {
  await t.throwsAsync(columnsOf(cutInto(rows.subarray(0, -1), 50)), { message: /end early/ });
});
