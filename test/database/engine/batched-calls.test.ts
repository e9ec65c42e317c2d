import test from 'ava';
import { BatchedCalls, BatchedCallsByTable } from '../../../src/database/engine/batched-calls.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Resolves once so many runs have begun. */
async function begun(runs: readonly unknown[], count: number): Promise<void> {
  while (runs.length < count) await turn();
}

/** Doubles numbers; records each run, which ends when the test resolves it. */
function doubling() {
  const runs: { readonly inputs: readonly number[]; end(error?: Error): void }[] = [];
  const batches = new BatchedCalls<number, number>(
    (inputs) =>
      new Promise((resolve, reject) => {
        runs.push({
          inputs,
          end: (error) => (error === undefined ? resolve(inputs.map((input) => input * 2)) : reject(error)),
        });
      }),
  );
  return { runs, batches, inputs: () => runs.map((run) => run.inputs) };
}

test('calls of one turn share a run, and each gets its own output', async (t) => {
  const { runs, batches, inputs } = doubling();
  const calls = [batches.call(3), batches.call(1)];
  const later = Promise.resolve().then(() => batches.call(2));
  t.deepEqual(inputs(), []);
  await begun(runs, 1);
  t.deepEqual(inputs(), [[3, 1, 2]]);
  runs[0]!.end();
  t.deepEqual(await Promise.all([...calls, later]), [6, 2, 4]);
});

test('calls during a run share the next one, in the order of the calls', async (t) => {
  const { runs, batches, inputs } = doubling();
  const first = batches.call(1);
  await begun(runs, 1);
  const others: Promise<number>[] = [];
  for (const input of [5, 4, 6]) {
    others.push(batches.call(input));
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

test('very many calls run in several batches, in the order of the calls', async (t) => {
  const { runs, batches, inputs } = doubling();
  const calls = Array.from({ length: 2500 }, (_, at) => batches.call(at));
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
  const { runs, batches } = doubling();
  const broken = Promise.allSettled([batches.call(1), batches.call(2)]);
  await begun(runs, 1);
  const after = batches.call(7);
  const error = new Error('aborted');
  runs[0]!.end(error);
  const reasons = (await broken).map((result) => (result.status === 'rejected' ? result.reason : undefined));
  t.deepEqual(reasons, [error, error]);
  await begun(runs, 2);
  runs[1]!.end();
  t.is(await after, 14);
  const idle = batches.call(8);
  await begun(runs, 3);
  runs[2]!.end();
  t.is(await idle, 16);
});

test('a run that throws at once fails only its own callers', async (t) => {
  let broken = true;
  const batches = new BatchedCalls<number, number>((inputs) => {
    if (broken) throw new Error('not begun');
    return Promise.resolve(inputs);
  });
  await t.throwsAsync(batches.call(1), { message: 'not begun' });
  broken = false;
  t.is(await batches.call(2), 2);
});

test('calls for one table share a run, and an error of one table does not reach another', async (t) => {
  const runs: string[] = [];
  const batches = new BatchedCallsByTable<number>(async (table, inputs) => {
    runs.push(`${table} ${inputs.join(' ')}`);
    if (table === 'bad') throw new Error('aborted');
  });
  const calls = [batches.call('a', 1), batches.call('bad', 2), batches.call('a', 3), batches.call('b', 4)];
  const endings = await Promise.allSettled(calls);
  t.deepEqual(
    endings.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  t.deepEqual(runs, ['a 1 3', 'bad 2', 'b 4']);
});
