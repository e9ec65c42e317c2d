import test from 'ava';
import { QueryError } from '../../src/promql/query-error.js';
import type { ReadBudget, SeriesSamples } from '../../src/promql/source.js';
import { MemorySource } from '../support/promql/memory-source.js';

const signal = new AbortController().signal;
const unlimited: ReadBudget = { takeSeries: () => {}, takeSamples: () => {}, signal };

async function piecesOf(pieces: AsyncIterable<SeriesSamples>): Promise<readonly SeriesSamples[]> {
  const all: SeriesSamples[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

const source = new MemorySource([
  {
    labels: { __name__: 'up', job: 'a' },
    samples: [
      [1000, 1],
      [2000, 2],
      [3000, undefined],
    ],
  },
  { labels: { __name__: 'up', job: 'b' }, samples: [[2000, 5]] },
]);

test('a source gives samples after the first time up to the last one', async (t) => {
  const matchers = [{ kind: 'equal', name: '__name__', value: 'up' }] as const;
  const [piece] = await piecesOf(source.read({ matchers, afterMs: 1000, untilMs: 3000 }, unlimited));
  const { labels, offsets, times, values } = piece!;
  t.deepEqual(
    labels.map((each) => Object.fromEntries(each).job),
    ['a', 'b'],
  );
  t.deepEqual([...offsets], [0, 2, 3]);
  t.deepEqual([...times], [2000, 3000, 2000]);
  t.is(values[0], 2);
  t.deepEqual([...new Uint32Array(values.buffer, 8, 2)], [2, 0x7ff00000]);
});

test('a limit of the budget ends a read', async (t) => {
  const budget: ReadBudget = {
    ...unlimited,
    takeSamples: (count) => {
      if (count > 2) throw new QueryError('execution', `${count} samples`);
    },
  };
  const error = await t.throwsAsync(piecesOf(source.read({ matchers: [], afterMs: 0, untilMs: 9000 }, budget)));
  t.true(error instanceof QueryError && error.kind === 'execution');
});
