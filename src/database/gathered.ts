/** One caller's part of a joint run. */
interface Part<I, O> {
  readonly input: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit for calls of one kind: those that are made while one runs are gathered and run together, as one call after
 * it. Runs never overlap, a run begins after every call that it serves was made, and it serves them in the order in which
 * they were made. It begins at the end of the event loop's turn, so that calls of one turn run together.
 */
export class Gathered<I, O> {
  readonly #run: (inputs: readonly I[]) => Promise<readonly O[]>;
  #waiting: Part<I, O>[] = [];
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
      setImmediate(() => void this.#runAll());
    });
  }

  /** Runs what waits until nothing does. */
  async #runAll(): Promise<void> {
    const parts = this.#waiting;
    this.#waiting = [];
    try {
      const outputs = await this.#run(parts.map(({ input }) => input));
      parts.forEach(({ resolve }, i) => {
        resolve(outputs[i]!);
      });
    } catch (error) {
      for (const { reject } of parts) reject(error);
    }
    this.#busy = this.#waiting.length > 0;
    if (this.#busy) setImmediate(() => void this.#runAll());
  }
}
