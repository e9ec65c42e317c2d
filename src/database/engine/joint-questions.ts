import { detached } from '../../async/detached.js';
import type { Chunks } from '../../model/exchange.js';
import { figuresBySeries, type SeriesFigures, statementOfMany } from '../../sql/engine/series-figures.js';
import type { ResultPlace, ResultPlaces } from './result-places.js';

/** A question about one series that may be asked together with others. */
export interface JointQuestion extends SeriesFigures {
  /** SETTINGS and FORMAT. */
  readonly tail: string;
}

/** Rows of a question that was asked together with others; or that it has to be asked by itself, perhaps with a place for it. */
export type JointAnswer = { readonly rows: Chunks } | { readonly place?: ResultPlace };

/** A caller that waits for its answer. */
interface Asker {
  readonly signal?: AbortSignal | undefined;
  readonly waited?: ((ms: number) => void) | undefined;
}

interface Member {
  readonly question: JointQuestion;
  readonly asker: Asker;
  /** When it came, ms. */
  readonly since: number;
  readonly resolve: (answer: JointAnswer) => void;
}

interface Waiting {
  readonly members: Map<string, Member>;
  readonly over: AbortController;
}

/** Questions that are asked together at most. */
export const mostTogether = 32;

/**
 * Asks questions about single series that wait for a connection together: one statement for 16 of them costs the engine a third more than
 * one by itself. It begins after all of its questions have come, so each sees what was stored before it.
 */
export class JointQuestions {
  readonly #places: ResultPlaces;
  readonly #run: (statement: string, signal: AbortSignal) => Promise<Chunks>;
  /** The last ones of a kind, which others may join. */
  readonly #waiting = new Map<string, Waiting>();

  /** `places` are those of the connections over which `run` sends statements. */
  constructor(places: ResultPlaces, run: (statement: string, signal: AbortSignal) => Promise<Chunks>) {
    this.#places = places;
    this.#run = run;
  }

  /**
   * Waits for a place where none is free; then it is asked together with those that wait for the same figures of other series. It has to be
   * asked by itself where a place is free, where nothing like it waits, where its series has no rows, and where asking together failed. Rejects with the reason of the asker's signal.
   */
  ask(question: JointQuestion, asker: Asker): Promise<JointAnswer> | JointAnswer {
    const key = `${question.head}\n${question.tail}`;
    const last = this.#waiting.get(key);
    if (last === undefined && this.#places.isFree(undefined)) return {};
    // A series has one row in an answer.
    const isOpen = last !== undefined && last.members.size < mostTogether && !last.members.has(question.id);
    if (asker.signal?.aborted === true) return Promise.reject(asker.signal.reason);
    const waiting: Waiting = isOpen ? last : { members: new Map(), over: new AbortController() };
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.members.delete(question.id);
        if (waiting.members.size === 0) {
          this.#close(key, waiting);
          waiting.over.abort();
        }
        reject(asker.signal?.reason);
      };
      asker.signal?.addEventListener('abort', leave, { once: true });
      const answered = (answer: JointAnswer): void => {
        asker.signal?.removeEventListener('abort', leave);
        resolve(answer);
      };
      waiting.members.set(question.id, { question, asker, since: performance.now(), resolve: answered });
      if (isOpen) return;
      this.#waiting.set(key, waiting);
      detached(this.#answer(key, waiting), () => {
        for (const { resolve: answer } of waiting.members.values()) answer({});
      });
    });
  }

  /** No more questions join these. */
  #close(key: string, waiting: Waiting): void {
    if (this.#waiting.get(key) === waiting) this.#waiting.delete(key);
  }

  async #answer(key: string, waiting: Waiting): Promise<void> {
    const { members, over } = waiting;
    let place: ResultPlace | undefined;
    let results: ReadonlyMap<string, Buffer> | undefined;
    try {
      place = await this.#places.take(undefined, over.signal);
      this.#close(key, waiting);
      const began = performance.now();
      for (const { asker, since } of members.values()) asker.waited?.(began - since);
      const [only, ...others] = members.values();
      if (only !== undefined && others.length === 0) {
        only.resolve({ place });
        return;
      }
      results = await this.#figures([...members.values()], over.signal);
    } catch {
      // Each is asked by itself then, and has an error of its own.
    }
    place?.release();
    for (const { question, resolve } of members.values()) {
      const row = results?.get(question.id);
      if (row !== undefined) resolve({ rows: [row] });
      else resolve(results !== undefined && question.givesNoneForEmpty ? { rows: [] } : {});
    }
  }

  async #figures(members: readonly Member[], signal: AbortSignal): Promise<ReadonlyMap<string, Buffer> | undefined> {
    const questions = members.map(({ question }) => question);
    const [first] = questions;
    if (first === undefined) return undefined;
    const pieces: Uint8Array[] = [];
    for await (const piece of await this.#run(`${statementOfMany(questions)}${first.tail}`, signal)) pieces.push(piece);
    return figuresBySeries(Buffer.concat(pieces));
  }
}
