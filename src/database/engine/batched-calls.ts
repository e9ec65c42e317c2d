import { detached } from '../../async/detached.js';
import { yieldToEventLoop } from '../../async/event-loop.js';

/** One call of a batch. */
interface WaitingCall<I, O> {
  readonly input: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Limit of calls per batch, and of calls that settle in one turn of the event loop, which their continuations block.
 */
const maxBatch = 1_024;
const maxPerTurn = 128;

/**
 * Group commit for calls of one kind: calls that arrive during a run are batched into the next run, or into several
 * runs if they exceed the limit. Runs never overlap. A run begins after all of its calls were made, and serves them in
 * their order. It begins at the end of the event loop's turn, so that calls of one turn share a run.
 */
export class BatchedCalls<I, O> {
  readonly #run: (inputs: readonly I[]) => Promise<readonly O[]>;
  #waiting: WaitingCall<I, O>[] = [];
  #busy = false;

  /** `run` gives one output per input, in their order; when it rejects, every caller it served gets the error. */
  constructor(run: (inputs: readonly I[]) => Promise<readonly O[]>) {
    this.#run = run;
  }

  /** Resolves to the output of this input. */
  call(input: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      if (this.#busy) return;
      this.#busy = true;
      this.#runSoon();
    });
  }

  #runSoon(): void {
    const run = yieldToEventLoop().then(() => this.#runAll());
    detached(run, (error) => {
      this.#busy = false;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
  }

  /** Runs batches until no call waits. */
  async #runAll(): Promise<void> {
    const parts = this.#waiting.slice(0, maxBatch);
    this.#waiting = this.#waiting.slice(maxBatch);
    try {
      const outputs = await this.#run(parts.map(({ input }) => input));
      await settleInTurns(parts, ({ resolve }, i) => resolve(outputs[i]!));
    } catch (error) {
      await settleInTurns(parts, ({ reject }) => reject(error));
    }
    this.#busy = this.#waiting.length > 0;
    if (this.#busy) this.#runSoon();
  }
}

/** Settles calls, and yields to the event loop between many of them. */
async function settleInTurns<P>(parts: readonly P[], settleCall: (part: P, i: number) => void): Promise<void> {
  for (const [i, part] of parts.entries()) {
    if (i > 0 && i % maxPerTurn === 0) await yieldToEventLoop();
    settleCall(part, i);
  }
}

/**
 * {@link BatchedCalls} for work on engine tables: the calls of a batch for the same table share a run, and the runs of
 * different tables are concurrent. An error of one table does not reach the callers of another.
 */
export class BatchedCallsByTable<I> {
  readonly #calls: BatchedCalls<TableCall<I>, PromiseSettledResult<void>>;

  constructor(run: (table: string, inputs: readonly I[]) => Promise<void>) {
    this.#calls = new BatchedCalls(async (calls) => {
      const inputs = new Map<string, I[]>();
      for (const { table, input } of calls) {
        const others = inputs.get(table);
        if (others === undefined) inputs.set(table, [input]);
        else others.push(input);
      }
      const tables = [...inputs.keys()];
      const results = await Promise.allSettled([...inputs].map(([table, some]) => run(table, some)));
      return calls.map(({ table }) => results[tables.indexOf(table)]!);
    });
  }

  /** Resolves once a run for the table has included the input. */
  async call(table: string, input: I): Promise<void> {
    const result = await this.#calls.call({ table, input });
    if (result.status === 'rejected') throw result.reason;
  }
}

interface TableCall<I> {
  readonly table: string;
  readonly input: I;
}
