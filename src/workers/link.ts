import cluster from 'node:cluster';
import { detached } from '../async/detached.js';
import type { EngineState } from '../database/host/supervisor.js';
import type { EndTurn } from '../database/storage/turns.js';
import type { Beginning, EngineNews, FromWorker, News, ToWorker } from './messages.js';
import {
  type Answer,
  type Answering,
  answerIn,
  type Outcome,
  outcomeOf,
  type Peers,
  type Question,
  type QuestionKind,
} from './questions.js';

/** A worker's view of the first process of its service, and its way to speak to it. It ends with that process, however that ends. */
export class FirstProcess implements Peers {
  /** Resolves with the time that is left, in ms, when the worker is to end. */
  readonly stopped: Promise<number>;
  readonly #begun: Promise<Beginning>;
  readonly #open = new Map<number, (outcomes: readonly Outcome[]) => void>();
  readonly #turns = new Map<number, () => void>();
  readonly #engineListeners = new Set<(state: EngineState) => void>();
  readonly #logListeners = new Set<(entries: number) => void>();
  #engine: EngineNews | undefined;
  #answering: Answering | undefined;
  #questions = 0;

  /** Listens from now on. A process has one. */
  constructor() {
    // A terminal, or who stops the service, sends these to all of its processes; the first one decides.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
    process.on('message', (message: ToWorker) => this.#hear(message));
    this.#begun = heard('begin').then(({ beginning }) => beginning);
    this.stopped = heard('stop').then(({ withinMs }) => withinMs);
  }

  /** State that the worker is to begin with. */
  begin(): Promise<Beginning> {
    this.say({ kind: 'listening' });
    return this.#begun;
  }

  /** The embedded engine as it is now. */
  get engine(): EngineNews {
    return this.#engine ?? { state: 'starting', handover: undefined, pids: [] };
  }

  /** There is always the first process. */
  readonly isEmpty = false;

  /** How this process answers from now on. */
  answerWith(answering: Answering): void {
    this.#answering = answering;
  }

  /** Calls the listener with the engine's state now and at every change, until the result is called. */
  onState(listener: (state: EngineState) => void): () => void {
    this.#engineListeners.add(listener);
    listener(this.engine.state);
    return () => this.#engineListeners.delete(listener);
  }

  /** Calls the listener with the number of entries in the catalogue's log whenever it may have changed. */
  onLogChange(listener: (entries: number) => void): void {
    this.#logListeners.add(listener);
  }

  say(message: FromWorker): void {
    if (process.connected) process.send?.(message);
  }

  tell(news: News): void {
    this.say({ kind: 'news', news });
  }

  async ask<K extends QuestionKind>(question: Question<K>): Promise<readonly Answer<K>[]> {
    const outcomes = await this.#ask(question, 'others');
    return outcomes.map((outcome) => answerIn(outcome));
  }

  /** The answer of the first process alone. */
  async askFirst<K extends QuestionKind>(question: Question<K>): Promise<Answer<K>> {
    const [outcome] = await this.#ask(question, 'first');
    if (outcome === undefined) throw new Error('The first process has no answer.');
    return answerIn(outcome);
  }

  /** Resolves when it is this process' turn to work on engine tables. */
  takeTurn(tables: ReadonlySet<string>): Promise<EndTurn> {
    const id = ++this.#questions;
    return new Promise((resolve) => {
      this.#turns.set(id, () => resolve(() => this.say({ kind: 'end-turn', id })));
      this.say({ kind: 'take-turn', id, tables });
    });
  }

  /** Gives up the channel to the first process. */
  leave(): void {
    cluster.worker?.disconnect();
  }

  #ask<K extends QuestionKind>(question: Question<K>, of: 'others' | 'first'): Promise<readonly Outcome<K>[]> {
    const id = ++this.#questions;
    return new Promise((resolve) => {
      this.#open.set(id, (outcomes) => resolve(outcomes as readonly Outcome<K>[]));
      this.say({ kind: 'question', id, question: question as Question, of });
    });
  }

  #hear(message: ToWorker): void {
    switch (message.kind) {
      case 'begin':
        this.#engine = message.beginning.news;
        break;
      case 'engine': {
        const { state } = this.engine;
        this.#engine = message.news;
        if (state !== message.news.state) for (const listener of this.#engineListeners) listener(message.news.state);
        break;
      }
      case 'log':
        for (const listener of this.#logListeners) listener(message.entries);
        break;
      case 'turn':
        this.#turns.get(message.id)?.();
        this.#turns.delete(message.id);
        break;
      case 'question':
        detached(this.#answer(message.id, message.question));
        break;
      case 'answers':
        this.#open.get(message.id)?.(message.outcomes);
        this.#open.delete(message.id);
    }
  }

  async #answer(id: number, question: Question): Promise<void> {
    if (this.#answering === undefined) return;
    this.say({ kind: 'outcome', id, outcome: await outcomeOf(this.#answering, question) });
  }
}

/** The first message of a kind. */
function heard<K extends ToWorker['kind']>(kind: K): Promise<Extract<ToWorker, { kind: K }>> {
  const isOfKind = (message: ToWorker): message is Extract<ToWorker, { kind: K }> => message.kind === kind;
  return new Promise((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (isOfKind(message)) resolve(message);
    });
  });
}
