import test from 'ava';
import type { Label } from '../../../src/model/label-set.js';
import { SampleColumns } from '../../../src/pipelines/series/sample-columns.js';

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

const labels = new Map<bigint, readonly Label[]>([
  [7n, [['job', 'a']]],
  [8n, [['job', 'b']]],
]);
const long = Array.from({ length: 300 }, (_, i): Sample => [1000 + i, i / 3]);
const rows = Buffer.concat([rowOf(7n, [[5, 1]]), rowOf(9n, [[6, 2]]), rowOf(8n, long)]);

for (const length of [1, 7, 64, rows.length]) {
  test(`rows in pieces of ${length} bytes become columns, without series that are not known`, async (t) => {
    const columns = new SampleColumns();
    let taken = 0;
    await columns.add(cutInto(rows, length), labels, (samples) => {
      taken += samples;
    });
    const { labels: ofSeries, offsets, times, values } = columns.finish();
    t.deepEqual(ofSeries, [[['job', 'a']], [['job', 'b']]]);
    t.deepEqual([...offsets], [0, 1, 301]);
    t.deepEqual([...times], [5, ...long.map(([ms]) => ms)]);
    t.deepEqual([...values], [1, ...long.map(([, value]) => value)]);
    t.is(taken, 302);
  });
}

test('samples count before they are held', async (t) => {
  const columns = new SampleColumns();
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
  await t.throwsAsync(columns.add(begun(), labels, refuse), { message: '300 samples' });
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
  const columns = new SampleColumns();
  await columns.add(cutInto(bytes, bytes.length), labels, () => {});
  const { offsets, times, values } = columns.finish();
  t.deepEqual([...offsets], [0, 3]);
  t.deepEqual([...times], [1, 2, 4]);
  t.deepEqual([...new Uint32Array(values.buffer, 0, 2)], [2, 0x7ff00000]);
  t.deepEqual([...values.subarray(1)], [3, 5]);
});

test('rows that end early are an error', async (t) => {
  const columns = new SampleColumns();
  await t.throwsAsync(
    columns.add(cutInto(rows.subarray(0, -1), 50), labels, () => {}),
    { message: /end early/ },
  );
});
