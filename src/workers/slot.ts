import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import split2 from 'split2';
import { detached } from '../async/detached.js';
import type { EndTurn } from '../database/storage/turns.js';
import type { ComponentLog } from '../model/component.js';
import { Codes, fault, reasonOf } from '../model/fault.js';
import { backOffMs } from '../text/duration.js';
import type { Beginning, FromWorker, ToWorker } from './messages.js';
import type { Outcome, Question, QuestionKind } from './questions.js';

/** Options of a place for a worker. */
interface SlotOptions {
  /** State that the process begins with, asked for at each start. */
  readonly begin: () => Beginning;
  /** Hears what the process says, but for what the slot itself waits for. */
  readonly heard: (message: FromWorker, answer: (message: ToWorker) => void) => void;
  /** Takes a turn for the process. */
  readonly takeTurn: (tables: ReadonlySet<string>) => Promise<EndTurn>;
  /** A line that the process logs. */
  readonly line: (line: string) => void;
  readonly log: ComponentLog;
}

const firstDelayMs = 100;
const maxDelayMs = 5_000;
/** A worker that lived this long was well: the next restart is immediate again. */
const steadyMs = 10_000;
/** How long a worker may take to answer; rows of a database that does not answer are told of earlier. */
const patienceMs = 60_000;

/** Questions that a process which is started anew must answer, too: it has a log with answered rows. */
const outlivesProcess: ReadonlySet<QuestionKind> = new Set<QuestionKind>(['visible']);

interface Open {
  readonly question: Question;
  readonly settle: (outcome: Outcome | undefined) => void;
}

/** The place of one worker: runs its process, and starts it again when it dies. */
export class WorkerSlot {
  readonly #options: SlotOptions;
  readonly #open = new Map<number, Open>();
  /** Turns that the process has. */
  readonly #turns = new Map<number, EndTurn>();
  #worker: Worker | undefined;
  #isReady = false;
  #isStopping = false;
  #questions = 0;
  #restarts = 0;
  #port = 0;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  /** Process id of the running worker. */
  get pid(): number | undefined {
    return this.#worker?.process.pid;
  }

  /** Port of HTTP, once the worker is ready. */
  get port(): number {
    return this.#port;
  }

  /** Starts the worker; resolves when it is ready, rejects with its own line when it cannot start. */
  async start(): Promise<void> {
    await this.#launch();
  }

  /** A message for the process, if there is one. */
  send(message: ToWorker): void {
    if (this.#worker?.isConnected() === true) this.#worker.send(message);
  }

  /** The outcome of a question; undefined where the process is gone, or not there yet, and that answers it. */
  ask(question: Question): Promise<Outcome | undefined> {
    const mustWait = outlivesProcess.has(question.kind);
    if (this.#isStopping || (!this.#isReady && !mustWait)) return Promise.resolve(undefined);
    const id = ++this.#questions;
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(silent), patienceMs);
      const settle = (outcome: Outcome | undefined): void => {
        clearTimeout(timer);
        this.#open.delete(id);
        resolve(outcome);
      };
      this.#open.set(id, { question, settle });
      if (this.#isReady) this.send({ kind: 'question', id, question });
    });
  }

  /** Asks the worker to end, and ends it by force after `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true;
    const worker = this.#worker;
    if (worker === undefined || worker.isDead()) return;
    const exited = once(worker, 'exit');
    this.send({ kind: 'stop', withinMs });
    const timer = setTimeout(() => this.kill(), withinMs);
    await exited;
    clearTimeout(timer);
  }

  /** Ends the worker by force. */
  kill(): void {
    this.#isStopping = true;
    this.#worker?.process.kill('SIGKILL');
  }

  async #launch(): Promise<void> {
    const worker = cluster.fork();
    this.#worker = worker;
    const since = performance.now();
    worker.process.stdout?.pipe(split2()).on('data', (line: string) => this.#options.line(line));
    worker.process.stderr?.pipe(split2()).on('data', (line: string) => {
      this.#options.log.warn({ line, worker: worker.process.pid }, 'A worker wrote to its error output.');
    });
    const exited = once(worker, 'exit');
    const ready = new Promise<void>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'listening') this.send({ kind: 'begin', beginning: this.#options.begin() });
        else if (message.kind === 'ready') {
          this.#begun(message.port);
          resolve();
        } else if (message.kind === 'cannot-start') reject(new Error(message.reason));
        else if (message.kind === 'outcome') this.#open.get(message.id)?.settle(message.outcome);
        else if (message.kind === 'take-turn') detached(this.#takeTurn(worker, message.id, message.tables));
        else if (message.kind === 'end-turn') this.#endTurn(message.id);
        else this.#options.heard(message, (answer) => this.send(answer));
      });
    });
    worker.on('error', () => undefined);
    const died = exited.then(([code, signal]) => {
      throw new Error(`A worker ended at its start (${signal ?? `exit code ${code}`}).`);
    });
    try {
      await Promise.race([ready, died]);
    } catch (error) {
      worker.process.kill('SIGKILL');
      throw error;
    }
    died.catch(() => this.#onExit(performance.now() - since));
  }

  async #takeTurn(worker: Worker, id: number, tables: ReadonlySet<string>): Promise<void> {
    const end = await this.#options.takeTurn(tables);
    if (worker !== this.#worker || worker.isDead()) end();
    else {
      this.#turns.set(id, end);
      this.send({ kind: 'turn', id });
    }
  }

  #endTurn(id: number): void {
    this.#turns.get(id)?.();
    this.#turns.delete(id);
  }

  #begun(port: number): void {
    this.#port = port;
    this.#isReady = true;
    for (const [id, { question }] of this.#open) this.send({ kind: 'question', id, question });
  }

  #onExit(livedMs: number): void {
    this.#isReady = false;
    for (const id of [...this.#turns.keys()]) this.#endTurn(id);
    for (const { question, settle } of [...this.#open.values()]) {
      if (this.#isStopping || !outlivesProcess.has(question.kind)) settle(undefined);
    }
    if (this.#isStopping) return;
    this.#options.log.error({ livedMs: Math.round(livedMs) }, 'A worker died; it is started again.');
    if (livedMs >= steadyMs) this.#restarts = 0;
    detached(this.#keepStarting());
  }

  async #keepStarting(): Promise<void> {
    while (!this.#isStopping) {
      await sleep(this.#restarts === 0 ? 0 : backOffMs(this.#restarts, firstDelayMs, maxDelayMs), undefined, {
        ref: false,
      });
      this.#restarts++;
      if (this.#isStopping) return;
      try {
        await this.#launch();
        return;
      } catch (error) {
        this.#options.log.error({ reason: reasonOf(error) }, 'A worker cannot be started.');
      }
    }
  }
}

const silent: Outcome = {
  fault: fault('network', Codes.networkUnavailable, 'A worker of the service does not answer'),
};
