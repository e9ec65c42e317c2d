import test from 'ava';
import { Gathered, GatheredByPlace } from '../../../src/database/engine/gathered.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Resolves once so many runs have begun. */
async function begun(runs: readonly unknown[], count: number): Promise<void> {
  while (runs.length < count) await turn();
}

/** Doubles numbers; each run is noted and ends only when it is told to. */
function doubling() {
  const runs: { readonly inputs: readonly number[]; end(error?: Error): void }[] = [];
  const gathered = new Gathered<number, number>(
    (inputs) =>
      new Promise((resolve, reject) => {
        runs.push({
          inputs,
          end: (error) => (error === undefined ? resolve(inputs.map((input) => input * 2)) : reject(error)),
        });
      }),
  );
  return { runs, gathered, inputs: () => runs.map((run) => run.inputs) };
}

test('calls of one turn run together, and each gets its own output', async (t) => {
  const { runs, gathered, inputs } = doubling();
  const calls = [gathered.call(3), gathered.call(1)];
  const later = Promise.resolve().then(() => gathered.call(2));
  t.deepEqual(inputs(), []);
  await begun(runs, 1);
  t.deepEqual(inputs(), [[3, 1, 2]]);
  runs[0]!.end();
  t.deepEqual(await Promise.all([...calls, later]), [6, 2, 4]);
});

test('calls made while one runs wait for it and run together, in the order of the calls', async (t) => {
  const { runs, gathered, inputs } = doubling();
  const first = gathered.call(1);
  await begun(runs, 1);
  const others: Promise<number>[] = [];
  for (const input of [5, 4, 6]) {
    others.push(gathered.call(input));
    await turn();
  }
  t.deepEqual(inputs(), [[1]]);
  runs[0]!.end();
  t.is(await first, 2);
  await begun(runs, 2);
  t.deepEqual(inputs(), [[1], [5, 4, 6]]);
  runs[1]!.end();
  t.deepEqual(await Promise.all(others), [10, 8, 12]);
});

test('very many calls run some at a time, in the order of the calls', async (t) => {
  const { runs, gathered, inputs } = doubling();
  const calls = Array.from({ length: 2500 }, (_, at) => gathered.call(at));
  for (const [at, length] of [1024, 1024, 452].entries()) {
    await begun(runs, at + 1);
    t.is(inputs()[at]!.length, length);
    runs[at]!.end();
  }
  t.deepEqual(
    await Promise.all(calls),
    Array.from({ length: 2500 }, (_, at) => 2 * at),
  );
  t.deepEqual(
    inputs().flat(),
    Array.from({ length: 2500 }, (_, at) => at),
  );
});

test('an error reaches every caller of its run and no other, and later calls run', async (t) => {
  const { runs, gathered } = doubling();
  const broken = Promise.allSettled([gathered.call(1), gathered.call(2)]);
  await begun(runs, 1);
  const after = gathered.call(7);
  const error = new Error('broken off');
  runs[0]!.end(error);
  const reasons = (await broken).map((result) => (result.status === 'rejected' ? result.reason : undefined));
  t.deepEqual(reasons, [error, error]);
  await begun(runs, 2);
  runs[1]!.end();
  t.is(await after, 14);
  const idle = gathered.call(8);
  await begun(runs, 3);
  runs[2]!.end();
  t.is(await idle, 16);
});

test('a run that throws at once fails its callers alone', async (t) => {
  let broken = true;
  const gathered = new Gathered<number, number>((inputs) => {
    if (broken) throw new Error('not begun');
    return Promise.resolve(inputs);
  });
  await t.throwsAsync(gathered.call(1), { message: 'not begun' });
  broken = false;
  t.is(await gathered.call(2), 2);
});

test('calls for one place run together, and an error of one place is none for another', async (t) => {
  const runs: string[] = [];
  const gathered = new GatheredByPlace<number>(async (place, inputs) => {
    runs.push(`${place} ${inputs.join(' ')}`);
    if (place === 'bad') throw new Error('broken off');
  });
  const calls = [gathered.call('a', 1), gathered.call('bad', 2), gathered.call('a', 3), gathered.call('b', 4)];
  const endings = await Promise.allSettled(calls);
  t.deepEqual(
    endings.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  t.deepEqual(runs, ['a 1 3', 'bad 2', 'b 4']);
});
