import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { detached } from '../async/detached.js';
import { type EndTurn, Turns } from '../database/storage/turns.js';
import type { Component, ComponentLog } from '../model/component.js';
import { reasonOf } from '../model/fault.js';
import type { Beginning, FromWorker, News, ToWorker, WorkerRole } from './messages.js';
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
import { WorkerSlot } from './slot.js';

/** Options of the workers of a service. */
interface WorkerPoolOptions {
  /** Workers for requests. */
  readonly count: number;
  /** Hears a line that a worker logs. */
  readonly line: (line: string) => void;
  readonly log: ComponentLog;
}

/** Duties of the first process towards its workers. */
export interface FirstDuties {
  /** State that a worker begins with. */
  readonly begin: (role: WorkerRole, number: number) => Beginning;
  /** How this process answers. */
  readonly answering: Answering;
  /** Hears what a worker tells unasked. */
  readonly told: (news: News) => void;
  /** How many logs of this database were left behind and are read by nobody: each gets a worker until it is stored. */
  readonly leftLogs: () => number;
}

/** The program that a worker runs. */
const program = fileURLToPath(new URL('../worker.js', import.meta.url));

/** Of the time that a stop has, what the workers may use. */
const stopMs = 7_000;

/**
 * The workers of a service, run by its first process: they share the port of HTTP, and each has a write-ahead log of its own.
 * Questions of one process to the others go through here.
 */
export class WorkerPool implements Component, Peers {
  readonly name = 'workers';
  readonly #options: WorkerPoolOptions;
  readonly #slots: WorkerSlot[] = [];
  readonly #changed = new Set<() => void>();
  readonly #turns = new Turns();
  #duties: FirstDuties | undefined;
  #numbers = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Port of HTTP, once started. */
  get port(): number {
    return this.#slots[0]?.port ?? 0;
  }

  /** Processes of the workers. */
  get pids(): readonly number[] {
    return this.#slots.flatMap(({ pid }) => pid ?? []);
  }

  /** True when there is nobody to ask. */
  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  /** Set before the start. */
  set duties(duties: FirstDuties) {
    this.#duties = duties;
  }

  async start(): Promise<void> {
    const { count, log } = this.#options;
    cluster.setupPrimary({
      exec: program,
      args: [],
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    await Promise.all(Array.from({ length: count }, () => this.#add('http').start()));
    const logs = this.#first.leftLogs();
    if (logs > 0) log.info({ logs }, 'Write-ahead logs were left behind; each is stored by a process of its own.');
    for (let left = logs; left > 0; left--) {
      const slot = this.#add('log');
      slot.start().catch((error: unknown) => {
        log.error({ reason: reasonOf(error) }, 'A write-ahead log that was left behind could not be read back.');
        this.#remove(slot);
      });
    }
    for (const listener of this.#changed) listener();
  }

  /** Calls the listener when there are other processes than before. */
  onChange(listener: () => void): void {
    this.#changed.add(listener);
  }

  /** A turn of this process to work on engine tables; undefined when it has nobody to share them with. */
  takeTurn(tables: ReadonlySet<string>): Promise<EndTurn> | undefined {
    return this.isEmpty ? undefined : this.#turns.take([...tables]);
  }

  /** A message for all workers. */
  send(message: ToWorker): void {
    for (const slot of this.#slots) slot.send(message);
  }

  async ask<K extends QuestionKind>(question: Question<K>): Promise<readonly Answer<K>[]> {
    return (await this.#askSlots(question, undefined)).map((outcome) => answerIn(outcome));
  }

  async drain(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.stop(stopMs)));
  }

  async stop(): Promise<void> {
    for (const slot of this.#slots) slot.kill();
  }

  get #first(): FirstDuties {
    if (this.#duties === undefined) throw new Error('The workers have nobody to begin with.');
    return this.#duties;
  }

  #add(role: WorkerRole): WorkerSlot {
    const { line, log } = this.#options;
    const number = ++this.#numbers;
    const slot: WorkerSlot = new WorkerSlot({
      begin: () => this.#first.begin(role, number),
      heard: (message, answer) => detached(this.#hear(slot, message, answer)),
      takeTurn: (tables) => this.#turns.take([...tables]),
      line,
      log,
    });
    this.#slots.push(slot);
    return slot;
  }

  #remove(slot: WorkerSlot): void {
    this.#slots.splice(this.#slots.indexOf(slot), 1);
    for (const listener of this.#changed) listener();
  }

  async #hear(slot: WorkerSlot, message: FromWorker, answer: (message: ToWorker) => void): Promise<void> {
    if (message.kind === 'news') this.#first.told(message.news);
    else if (message.kind === 'done') {
      await slot.stop(stopMs);
      this.#remove(slot);
    } else if (message.kind === 'question') {
      const { id, question, of } = message;
      const own = outcomeOf(this.#first.answering, question);
      const outcomes = of === 'first' ? [await own] : [await own, ...(await this.#askSlots(question, slot))];
      answer({ kind: 'answers', id, outcomes });
    }
  }

  async #askSlots<K extends QuestionKind>(
    question: Question<K>,
    except: WorkerSlot | undefined,
  ): Promise<readonly Outcome<K>[]> {
    const others = this.#slots.filter((slot) => slot !== except);
    const outcomes = await Promise.all(others.map((slot) => slot.ask(question as Question)));
    return outcomes.filter((outcome) => outcome !== undefined) as readonly Outcome<K>[];
  }
}
