import test from 'ava';
import fc from 'fast-check';
import type { Batch, EarlierGroup } from '../../../src/model/batch.js';
import type { ColumnBlock } from '../../../src/model/column-block.js';
import { type Delivery, delivered } from '../../../src/model/delivery.js';
import { Codes, type Fault, fault } from '../../../src/model/fault.js';
import {
  emptyQueue,
  groupMembers,
  next,
  type QueueEffect,
  type QueueEvent,
  type QueuePolicy,
  type TableQueue,
  wakeAt,
} from '../../../src/pipelines/commit/table-queue.js';
import { oneRow } from '../../support/blocks/group-commit.js';
import { propertyRuns } from '../../support/property-seed.js';

const policy: QueuePolicy = {
  batchSize: 1_000,
  maxRows: 1e6,
  maxBytes: 100,
  flushIntervalMs: 1_000,
  retryDelayMs: (failures) => failures * 100,
};

const away = fault('network', Codes.networkUnavailable, 'away');
const refusal: Delivery = { outcome: 'rejected', fault: fault('parameter', Codes.free, 'refused') };

/** A block of 40 bytes out of a payload of the log. */
function logged(sequence: number, table = 'a', earlierGroup?: EarlierGroup): Batch<ColumnBlock> {
  return { ...oneRow(table, 1), bytes: 40, logged: { sequences: [sequence], again: async () => [], earlierGroup } };
}

function block(batch: Batch<ColumnBlock>): QueueEvent {
  return { kind: 'block', batch };
}

/** A queue after events, which come at one time, and what must be done after the last of them. */
function after(events: readonly QueueEvent[], now = 0, from = emptyQueue, own = policy) {
  let queue = from;
  let effects: readonly QueueEffect[] = [];
  for (const event of events) [queue, effects] = next(queue, event, now, own);
  return { queue, effects, phase: queue.phase };
}

const worker: QueueEvent = { kind: 'worker' };
const flush: QueueEvent = { kind: 'flush' };
const unnoted: QueueEvent = { kind: 'noted', noted: undefined };
const answer = (delivery: Delivery): QueueEvent => ({ kind: 'answer', delivery });

test('a block of a sender is due at once, and goes without a note in the log', (t) => {
  const { queue, phase } = after([block(oneRow('a', 1))]);
  t.deepEqual(phase, { kind: 'due' });
  const { effects } = after([worker], 0, queue);
  t.deepEqual(
    effects.map(({ kind }) => kind),
    ['send'],
  );
});

test('logged blocks are due when the first of them is old enough, when there are enough, and for a reader', (t) => {
  const { queue, phase } = after([block(logged(1)), block(logged(2))], 5);
  t.deepEqual(phase, { kind: 'gathering', expected: 1, until: Number.POSITIVE_INFINITY });
  t.is(wakeAt(queue), 1_005);
  t.is(after([{ kind: 'time' }], 1_004, queue).phase.kind, 'gathering');
  t.is(after([{ kind: 'time' }], 1_005, queue).phase.kind, 'due');
  t.is(after([flush], 6, queue).phase.kind, 'due');
  t.is(after([block(logged(3))], 6, queue, { ...policy, batchSize: 3 }).phase.kind, 'due');
});

test('a group has so many bytes at most, except one block that is larger and the rest of a payload', (t) => {
  const taken = (batches: readonly Batch<ColumnBlock>[], maxBytes = 100): number => {
    return groupMembers(after([...batches.map(block), flush, worker], 0, emptyQueue, { ...policy, maxBytes }).queue)
      .length;
  };
  t.is(taken([logged(1), logged(2), logged(3)]), 2);
  t.is(taken([logged(1), logged(2)], 1), 1);
  t.is(taken([logged(1), logged(2), logged(2, 'b'), logged(3)]), 3);
  t.is(
    taken(
      Array.from({ length: 5_000 }, (_, sequence) => logged(sequence)),
      1e9,
    ),
    4_096,
    'so many blocks at most',
  );
});

test('a group of an earlier process waits for all of its blocks, and goes by itself', (t) => {
  const earlier = { group: 7, pairs: 2 };
  const { queue } = after([block(logged(1, 'a', earlier)), flush]);
  t.is(queue.phase.kind, 'gathering');
  t.is(after([{ kind: 'time' }], 1_000, queue).phase.kind, 'gathering');
  t.is(wakeAt(after([{ kind: 'time' }], 1_000, queue).queue), 2_000, 'a time that has passed does not wake it again');
  const whole = after([block(logged(2, 'a', earlier)), block(logged(3)), worker], 0, queue);
  t.is(groupMembers(whole.queue).length, 2);
  t.is(after([{ kind: 'recovered' }], 0, queue).phase.kind, 'due', 'the rest of it does not come any more');
});

test('a group that fails for a transient reason stays as it is, and is inserted again after a delay', (t) => {
  const { queue, effects } = after([
    block(logged(1)),
    flush,
    worker,
    unnoted,
    answer({ outcome: 'failed', fault: away }),
  ]);
  t.deepEqual(
    effects.map(({ kind }) => kind),
    ['fail', 'answer readers'],
  );
  t.is(wakeAt(queue), 100);
  const { queue: due, phase } = after([block(logged(2)), { kind: 'time' }], 100, queue);
  t.is(phase.kind, 'due');
  const again = after([worker], 100, due);
  t.is(again.phase.kind, 'in flight');
  t.deepEqual(
    groupMembers(again.queue).map((member) => member.logged?.sequences),
    [[1]],
  );
  const failed = after([answer({ outcome: 'failed', fault: away })], 100, again.queue);
  t.is(wakeAt(failed.queue), 300, 'the next delay is longer');
  t.is(wakeAt(after([{ kind: 'flush', reader: reader() }], 100, failed.queue).queue), 300);
  const slow = { ...policy, retryDelayMs: () => 5_000 };
  const late = after([answer({ outcome: 'failed', fault: away })], 100, again.queue, slow).queue;
  t.is(wakeAt(late), 5_100);
  t.is(
    wakeAt(after([{ kind: 'flush', reader: reader() }], 200, late, slow).queue),
    600,
    'a reader does not wait so long',
  );
});

test('a reader who waits for the blocks so far waits for those that take the place of one, too', (t) => {
  const inFlight = after([block(logged(1)), flush, worker, unnoted]).queue;
  const { queue } = after(
    [block(logged(4)), block(logged(5)), { kind: 'flush', reader: reader() }, answer(refusal)],
    0,
    inFlight,
  );
  t.is(queue.phase.kind, 'settling');
  const back = [1, 2, 3].map((sequence) => {
    const { logged: own, ...batch } = logged(sequence);
    return { ...batch, logged: { ...own!, isReadAgain: true } };
  });
  let current = after([{ kind: 'settled', ended: 0, back }], 0, queue).queue;
  const sizes: number[] = [];
  const answers: boolean[] = [];
  // No time passes.
  while (current.phase.kind === 'due') {
    current = after([worker, unnoted], 0, current).queue;
    sizes.push(groupMembers(current).length);
    const settled: QueueEvent = { kind: 'settled', ended: sizes.at(-1)!, back: [] };
    const { queue: ending, effects } = after([answer(delivered(1)), settled], 0, current);
    answers.push(effects.some(({ kind }) => kind === 'answer readers'));
    current = ending;
  }
  t.deepEqual(sizes, [1, 1, 1, 2], 'one by one, then those behind them');
  t.deepEqual(answers, [false, false, false, true]);
});

test('an event that is impossible in a phase is a defect', (t) => {
  for (const event of [worker, unnoted, answer(delivered(1)), { kind: 'settled', ended: 1, back: [] } as const]) {
    t.throws(() => next(emptyQueue, event, 0, policy), { message: /^A table queue that is idle got the event / });
  }
});

test('earlier states of a queue do not change', (t) => {
  const first = after([block(logged(1))]).queue;
  const [second, other] = [2, 3].map((sequence) => after([block(logged(sequence))], 0, first).queue);
  const sequencesOf = (queue: TableQueue) => queue.waiting.toArray().map((batch) => batch.logged?.sequences[0]);
  t.deepEqual([first, second!, other!].map(sequencesOf), [[1], [1, 2], [1, 3]]);
});

function reader(calls: (Fault | undefined)[] = []) {
  return { resolve: () => calls.push(undefined), reject: (failure: Fault) => calls.push(failure) };
}

/** A step of a run, by the numbers that it draws. */
type Draw = readonly [step: number, choice: number, more: number];

const tables = ['x', 'y'] as const;

/** A run of a queue without a clock: every effect waits until the run draws that it is done. */
class Run {
  queue = emptyQueue;
  now = 0;
  effects: QueueEffect[] = [];
  /** Blocks that came, by their value, with the delivery of those that have ended; `replaced` ones were parsed again. */
  readonly came: { readonly table: string; readonly order: number; readonly ends: (Delivery | 'replaced')[] }[] = [];
  readonly readers: (Fault | undefined)[][] = [];
  readonly problems: string[] = [];

  apply(event: QueueEvent): void {
    const [queue, effects] = next(this.queue, event, this.now, { ...policy, maxRows: 4 });
    this.queue = queue;
    for (const effect of effects) {
      if (effect.kind !== 'answer readers') this.effects.push(effect);
      else
        for (const { resolve, reject } of effect.readers) {
          if (effect.failure === undefined) resolve();
          else reject(effect.failure);
        }
    }
    this.#check();
  }

  /** A new block; one that is parsed again has the order of the block that it replaces. */
  block(isLogged: boolean, table: string, order?: number): Batch<ColumnBlock> {
    const value = this.came.length;
    this.came.push({ table, order: order ?? value, ends: [] });
    const batch = oneRow(table, value);
    const isReadAgain = order !== undefined;
    return isLogged ? { ...batch, logged: { sequences: [value], isReadAgain, again: async () => [] } } : batch;
  }

  step([step, choice, more]: Draw): void {
    const [effect] = this.effects;
    if (step < 3) this.apply(block(this.block(choice % 2 === 0, tables[more % 2]!)));
    else if (step === 3) this.now += more * 100;
    else if (step === 4) this.apply({ kind: 'time' });
    else if (step === 5) {
      const calls: (Fault | undefined)[] = [];
      this.readers.push(calls);
      this.apply({ kind: 'flush', reader: reader(calls) });
    } else if (effect !== undefined) this.#do(effect, choice, more);
  }

  /** Lets everything end well. */
  end(): void {
    this.apply({ kind: 'end' });
    for (let steps = 0; steps < 10_000 && this.queue.phase.kind !== 'idle'; steps++) {
      const [effect] = this.effects;
      if (effect !== undefined) this.#do(effect, 0, 0);
      else {
        if (wakeAt(this.queue) === Number.POSITIVE_INFINITY) this.problems.push('nothing wakes the queue');
        this.now = Math.max(this.now, wakeAt(this.queue));
        this.apply({ kind: 'time' });
      }
    }
  }

  #do(effect: QueueEffect, choice: number, more: number): void {
    this.effects = this.effects.slice(1);
    if (effect.kind === 'line up') this.apply(worker);
    else if (effect.kind === 'note') {
      this.apply({ kind: 'noted', noted: { number: 1, token: 'one', progressed: () => {} } });
    } else if (effect.kind === 'send') this.apply(answer(this.#answerTo(effect.group.members, choice, more)));
    else if (effect.kind === 'settle') this.#settle(effect, more);
  }

  /** The database answers alike for all blocks of a table. */
  #answerTo(members: readonly Batch<ColumnBlock>[], choice: number, more: number): Delivery {
    const bad = [
      { outcome: 'failed', fault: away } as const,
      refusal,
      { outcome: 'failed', fault: fault('database', Codes.free, 'refused') } as const,
    ][choice % 4];
    if (choice === 0 || bad === undefined) return delivered(members.length);
    const apart = new Map<number, Delivery>();
    for (const [place, { payload }] of members.entries()) {
      if (more % 3 === 2 || payload.table === tables[more % 3]) apart.set(place, bad);
    }
    return { outcome: 'delivered', rows: members.length - apart.size, rejectedRows: 0, rejects: [], apart };
  }

  #settle({ group: { members }, verdicts }: QueueEffect & { kind: 'settle' }, more: number): void {
    const back: Batch<ColumnBlock>[] = [];
    let ended = 0;
    for (const [place, member] of members.entries()) {
      const verdict = verdicts.all[place]!;
      const own = this.came[Number(member.payload.times[0])]!;
      if (verdict.kind === 'retry') back.push(member);
      else if (verdict.kind === 'reparse' && more % 3 > 0) {
        own.ends.push('replaced');
        for (let i = 0; i < more % 3; i++) back.push(this.block(true, own.table, own.order));
      } else {
        ended++;
        own.ends.push(verdict.kind === 'end' ? verdict.delivery : refusal);
        if (verdict.kind === 'end' && verdict.delivery.outcome === 'delivered') this.#checkOrder(member, members);
      }
    }
    this.apply({ kind: 'settled', ended, back });
  }

  /** A stored block overtakes no block of its table that came before it. */
  #checkOrder(member: Batch<ColumnBlock>, group: readonly Batch<ColumnBlock>[]): void {
    const waiting = this.queue.waiting.toArray();
    const before = [...group, ...waiting].slice(0, [...group, ...waiting].indexOf(member));
    const earlier = before.filter(({ payload: { table, times } }) => {
      return table === member.payload.table && this.came[Number(times[0])]!.ends.length === 0;
    });
    if (earlier.length > 0) this.problems.push(`block ${member.payload.times[0]} overtakes others`);
  }

  #check(): void {
    const { queue } = this;
    const waiting = queue.waiting.toArray();
    const open = [...(queue.phase.kind === 'settling' ? [] : groupMembers(queue)), ...waiting];
    const values = open.map(({ payload }) => Number(payload.times[0]));
    for (const table of tables) {
      const places = values.map((value) => this.came[value]!).filter((block) => block.table === table);
      const isOrdered = places.every(({ order }, at) => at === 0 || places[at - 1]!.order <= order);
      if (!isOrdered) this.problems.push(`blocks ${values} are not in order`);
    }
    if (new Set(values).size < values.length) this.problems.push(`blocks ${values} are doubled`);
    if (queue.rows !== waiting.length) this.problems.push(`${queue.rows} rows for ${waiting.length} blocks`);
    const running = this.effects.filter(({ kind }) => kind !== 'fail');
    if (running.length > 1) this.problems.push(`several at once: ${running.map(({ kind }) => kind)}`);
    if (values.some((value) => this.came[value]!.ends.length > 0))
      this.problems.push('a block that has ended is there');
  }
}

test('whatever happens in whatever order, no block is lost, doubled or reordered, and every reader is answered', (t) => {
  const draw = fc.tuple(fc.nat(12), fc.nat(7), fc.nat(8));
  fc.assert(
    fc.property(fc.array(draw, { maxLength: 200 }), (draws) => {
      const run = new Run();
      for (const each of draws) run.step(each);
      run.end();
      t.deepEqual(run.problems, []);
      t.is(run.queue.phase.kind, 'idle');
      t.is(run.queue.added, run.queue.ended);
      t.true(run.came.every(({ ends }) => ends.length === 1));
      t.true(run.readers.every((calls) => calls.length === 1));
      t.deepEqual(run.effects, []);
      // Nothing happens after the end.
      for (const kind of ['time', 'flush', 'recovered', 'end'] as const) {
        const [queue, effects] = next(run.queue, { kind }, run.now + 1e9, policy);
        t.deepEqual([queue.phase.kind, effects, wakeAt(queue)], ['idle', [], Number.POSITIVE_INFINITY]);
      }
    }),
    { numRuns: propertyRuns(500) },
  );
});
