import { detached } from '../../async/detached.js';
import { othersTurn } from '../../async/others-turn.js';

/** One caller's part of a joint run. */
interface Part<I, O> {
  readonly input: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls that run together at most, and how many of them go on in one turn: what is done for them holds up everybody else. */
const mostTogether = 1_024;
const mostInTurn = 128;

/**
 * Group commit for calls of one kind: those that are made while one runs are gathered and run together, as one call after
 * it, or some at a time where they are very many. Runs never overlap, a run begins after every call that it serves was made, and
 * it serves them in the order in which they were made. It begins at the end of the event loop's turn, so that calls of one turn
 * run together.
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
      this.#runSoon();
    });
  }

  #runSoon(): void {
    const run = othersTurn().then(() => this.#runAll());
    detached(run, (error) => {
      this.#busy = false;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    });
  }

  /** Runs what waits until nothing does. */
  async #runAll(): Promise<void> {
    const parts = this.#waiting.slice(0, mostTogether);
    this.#waiting = this.#waiting.slice(mostTogether);
    try {
      const outputs = await this.#run(parts.map(({ input }) => input));
      await inTurns(parts, ({ resolve }, i) => resolve(outputs[i]!));
    } catch (error) {
      await inTurns(parts, ({ reject }) => reject(error));
    }
    this.#busy = this.#waiting.length > 0;
    if (this.#busy) this.#runSoon();
  }
}

/** Tells callers how their calls have ended, with turns of others between them where they are many. */
async function inTurns<P>(parts: readonly P[], tell: (part: P, i: number) => void): Promise<void> {
  for (const [i, part] of parts.entries()) {
    if (i > 0 && i % mostInTurn === 0) await othersTurn();
    tell(part, i);
  }
}

/**
 * {@link Gathered} for work on engine tables: calls for one of them that are made while a run is under way run together
 * after it, side by side with those for others. What goes wrong in one is no error for the callers of another.
 */
export class GatheredByPlace<I> {
  readonly #gathered: Gathered<Placed<I>, PromiseSettledResult<void>>;

  constructor(run: (place: string, inputs: readonly I[]) => Promise<void>) {
    this.#gathered = new Gathered(async (calls) => {
      const inputs = new Map<string, I[]>();
      for (const { place, input } of calls) {
        const others = inputs.get(place);
        if (others === undefined) inputs.set(place, [input]);
        else others.push(input);
      }
      const places = [...inputs.keys()];
      const endings = await Promise.allSettled([...inputs].map(([place, some]) => run(place, some)));
      return calls.map(({ place }) => endings[places.indexOf(place)]!);
    });
  }

  /** Resolves once the input was part of a run for its place. */
  async call(place: string, input: I): Promise<void> {
    const ending = await this.#gathered.call({ place, input });
    if (ending.status === 'rejected') throw ending.reason;
  }
}

interface Placed<I> {
  readonly place: string;
  readonly input: I;
}
