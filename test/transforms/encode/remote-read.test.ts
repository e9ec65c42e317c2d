import test from 'ava';
import fc from 'fast-check';
import { joinResults, ReadBudget, ReadResult } from '../../../src/transforms/encode/remote-read.js';
import { packed, type ReadSeries, readAnswer } from '../../support/messages/remote-messages.js';

type Sample = readonly [millis: bigint, value: number];

/** Rows as the engine prints them. */
function rowsOf(id: bigint, samples: readonly Sample[]): Buffer {
  return Buffer.concat(
    samples.map(([millis, value]) => {
      const row = Buffer.alloc(24);
      row.writeBigUInt64LE(id, 0);
      row.writeBigInt64LE(millis, 8);
      row.writeDoubleLE(value, 16);
      return row;
    }),
  );
}

function seriesOf(id: bigint, json: string): Buffer {
  const text = Buffer.from(json);
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(id);
  const length = text.length < 128 ? [text.length] : [(text.length & 0x7f) | 0x80, text.length >> 7];
  return Buffer.concat([head, Buffer.from(length), text]);
}

async function decoded(...results: ReadResult[]): Promise<(readonly ReadSeries[])[]> {
  const { parts, length } = await joinResults(results);
  const bytes = Buffer.concat([...parts]);
  if (bytes.length !== length) throw new Error(`${bytes.length} bytes instead of ${length}`);
  return readAnswer(packed(bytes));
}

test('series come in the order of their labels with their samples, whatever the order of their ids', async (t) => {
  const result = new ReadResult(new ReadBudget(1e6));
  await result.addSeries(
    Buffer.concat([seriesOf(1n, '{"b":"1"}'), seriesOf(2n ** 63n, '{"a":"2","z":""}'), seriesOf(3n, '{"a":"1"}')]),
  );
  result.addRows(
    rowsOf(1n, [
      [5n, 1.5],
      [6n, -0],
    ]),
  );
  result.addRows(rowsOf(2n ** 63n, [[-1n, 1e300]]));
  const samples = (...list: Sample[]) => list.map(([millis, value]) => ({ value, timestamp: String(millis) }));
  t.deepEqual(await decoded(result, new ReadResult(new ReadBudget(1))), [
    [
      { labels: [{ name: 'a', value: '2' }], samples: samples([-1n, 1e300]) },
      { labels: [{ name: 'b', value: '1' }], samples: samples([5n, 1.5], [6n, 0]) },
    ],
    [],
  ]);
  t.deepEqual(await decoded(), []);
});

test('labels are sorted by the bytes of their names; members that are no text are shown as text or left out', async (t) => {
  const result = new ReadResult(new ReadBudget(1e6));
  await result.addSeries(seriesOf(1n, '{"z":1,"9":true,"10":"x","n":null,"\\ue000":"p","\\ud83d\\ude00":"q"}'));
  result.addRows(rowsOf(1n, [[1n, 1]]));
  t.deepEqual(
    (await decoded(result))[0]?.[0]?.labels.map(({ name, value }) => `${name}=${value}`),
    ['10=x', '9=true', 'z=1', '\ue000=p', '😀=q'],
  );
});

test('very many series come in the order of their labels, and others have their turns meanwhile', async (t) => {
  const result = new ReadResult(new ReadBudget(1e8));
  const ids = Array.from({ length: 20_000 }, (_, at) => (at * 7_919) % 20_000);
  let turns = 0;
  const counting = setInterval(() => turns++);
  await result.addSeries(Buffer.concat(ids.map((id) => seriesOf(BigInt(id), `{"i":"${id}"}`))));
  result.addRows(Buffer.concat(ids.map((id) => rowsOf(BigInt(id), [[1n, id]]))));
  const values = (await decoded(result))[0]?.map(({ labels }) => labels[0]?.value);
  clearInterval(counting);
  t.deepEqual(values, ids.map(String).sort());
  t.true(turns > 1, `${turns} turns`);
});

test('rows of one millisecond are one sample, the last one; rows of a series that is not known are passed over', async (t) => {
  const result = new ReadResult(new ReadBudget(1e6));
  await result.addSeries(seriesOf(1n, '{"a":"1"}'));
  result.addRows(
    rowsOf(1n, [
      [1n, 1],
      [1n, 2],
      [2n, 3],
    ]),
  );
  result.addRows(
    rowsOf(7n, [
      [2n, 9],
      [3n, 9],
    ]),
  );
  t.deepEqual((await decoded(result))[0]?.[0]?.samples, [
    { value: 2, timestamp: '1' },
    { value: 3, timestamp: '2' },
  ]);
});

test('rows may be cut anywhere, and come in any number', async (t) => {
  const list = fc.array(
    fc.tuple(fc.uniqueArray(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), { minLength: 1, maxLength: 40 }), fc.double()),
    { maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(
      list,
      fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 10 }),
      async (series, cuts) => {
        const result = new ReadResult(new ReadBudget(1e6));
        const all = series.map(([times, value], i) =>
          times.toSorted((a, b) => (a < b ? -1 : 1)).map((time): Sample => [time, value + i]),
        );
        for (const i of all.keys()) await result.addSeries(seriesOf(BigInt(i), `{"i":"${i}"}`));
        const rows = Buffer.concat(all.map((samples, i) => rowsOf(BigInt(i), samples)));
        for (let at = 0, k = 0; at < rows.length; k++) {
          const size = cuts[k % cuts.length] ?? 1;
          result.addRows(rows.subarray(at, at + size));
          at += size;
        }
        const points = (await decoded(result))[0]?.map(({ samples }) =>
          samples.map(({ timestamp, value }) => [timestamp, value]),
        );
        t.deepEqual(
          points,
          all.map((samples) => samples.map(([time, value]) => [String(time), value + 0])),
        );
      },
    ),
  );
});

test('samples go on from chunk to chunk', async (t) => {
  const result = new ReadResult(new ReadBudget(1e8));
  await result.addSeries(Buffer.concat([seriesOf(1n, '{"a":"1"}'), seriesOf(2n, '{"a":"2"}')]));
  const samples = Array.from({ length: 200_000 }, (_, i): Sample => [BigInt(i) * 1_000_000_000n, i]);
  for (const id of [1n, 2n]) result.addRows(rowsOf(id, samples));
  for (const { samples: points } of (await decoded(result))[0] ?? []) {
    t.true(
      points.length === samples.length &&
        points.every(({ timestamp, value }, i) => value === i && timestamp === String(samples[i]?.[0])),
    );
  }
});

test('an answer ends with a fault as soon as it is longer than its budget, which its results share', async (t) => {
  const budget = new ReadBudget(50);
  const [first, second] = [new ReadResult(budget), new ReadResult(budget)];
  await first.addSeries(seriesOf(1n, '{"a":"1"}'));
  await second.addSeries(seriesOf(1n, '{"a":"1"}'));
  // 14 bytes each: two keys, two lengths or keys of fields, a double, and one byte of time.
  first.addRows(
    rowsOf(1n, [
      [1n, 1],
      [2n, 1],
    ]),
  );
  second.addRows(rowsOf(1n, [[1n, 1]]));
  t.throws(() => second.addRows(rowsOf(1n, [[2n, 1]])), { message: /longer than 50 bytes \(limits.remoteReadBytes\)/ });
});
