import test from 'ava';
import { Subject } from 'rxjs';
import { deferred } from '../../src/async/deferred.js';
import { type Stage, type StageOutput, stage } from '../../src/async/stage.js';

/** A chain of one stage, with what comes out of it. */
function chain(open: (output: StageOutput<number>) => Stage<number>) {
  const input = new Subject<number>();
  const events: unknown[] = [];
  const subscription = input.pipe(stage(open)).subscribe({
    next: (value) => events.push(value),
    error: (error: unknown) => events.push(error),
    complete: () => events.push('complete'),
  });
  return { input, events, subscription };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a stage completes after its input, its work and what it has begun', async (t) => {
  const work = deferred();
  let output: StageOutput<number> | undefined;
  const { input, events } = chain((out) => {
    output = out;
    return {
      take: (value) => {
        out.begin();
        out.work(work.promise.then(() => out.next(value)));
      },
      finish: async () => out.next(9),
    };
  });
  input.next(1);
  input.complete();
  await settled();
  t.deepEqual(events, [9]);
  work.resolve();
  await settled();
  t.deepEqual(events, [9, 1]);
  output!.end();
  t.deepEqual(events, [9, 1, 'complete']);
});

test('a stage without work completes with its input at once', (t) => {
  const { input, events } = chain((out) => ({ take: (value) => out.next(value) }));
  input.next(1);
  input.complete();
  t.deepEqual(events, [1, 'complete']);
});

test('an exception, a rejected work and a rejected finish break the chain once, and the stage is stopped', async (t) => {
  const defect = new Error('a defect');
  const throwing = async (): Promise<void> => {
    throw defect;
  };
  const stages: readonly ((out: StageOutput<number>) => Stage<number>)[] = [
    () => ({
      take: () => {
        throw defect;
      },
    }),
    (out) => ({ take: () => out.work(throwing()) }),
    () => ({ take: () => undefined, finish: throwing }),
    () => ({
      take: () => undefined,
      finish: () => {
        throw defect;
      },
    }),
  ];
  for (const open of stages) {
    let stops = 0;
    let output: StageOutput<number> | undefined;
    const { input, events } = chain((out) => {
      output = out;
      const stop = (): void => {
        stops++;
      };
      return { ...open(out), stop };
    });
    input.next(1);
    input.complete();
    await settled();
    t.deepEqual(events, [defect]);
    t.is(stops, 1);
    t.true(output!.closed);
  }
});

test('errors of the input go on, and a stage that is unsubscribed is stopped and puts out nothing', (t) => {
  const failing = chain((out) => ({ take: (value) => out.next(value) }));
  const error = new Error('broken before');
  failing.input.error(error);
  t.deepEqual(failing.events, [error]);
  let isStopped = false;
  let output: StageOutput<number> | undefined;
  const { input, events, subscription } = chain((out) => {
    output = out;
    const stop = (): void => {
      isStopped = true;
    };
    return { take: (value) => out.next(value), stop };
  });
  subscription.unsubscribe();
  input.next(1);
  output!.next(2);
  t.deepEqual([events, isStopped, output!.closed], [[], true, true]);
});
