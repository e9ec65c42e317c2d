import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import split2 from 'split2';
import { detached } from '../async/detached.js';
import type { Unlock } from '../async/keyed-mutex.js';
import type { ComponentLog } from '../model/component.js';
import { Codes, fault, reasonOf } from '../model/fault.js';
import { backOffMs } from '../text/duration.js';
import type { FromWorker, ToWorker, WorkerStart } from './messages.js';
import type { Outcome, PeerRequest, PeerRequestKind } from './peer-requests.js';

/** Options of {@link WorkerSlot}. */
interface SlotOptions {
  /** Initial state of the process, read at each start. */
  readonly begin: () => WorkerStart;
  /** Called with messages of the process, except those that the slot handles itself. */
  readonly onMessage: (message: FromWorker, answer: (message: ToWorker) => void) => void;
  /** Locks engine tables for the process. */
  readonly lockTables: (tables: ReadonlySet<string>) => Promise<Unlock>;
  /** A line that the process logs. */
  readonly line: (line: string) => void;
  readonly log: ComponentLog;
}

const firstDelayMs = 100;
const maxDelayMs = 5_000;
/** After this uptime the next restart is immediate again. */
const steadyMs = 10_000;
/** Timeout of a request; a database that does not answer causes a fault earlier. */
const requestTimeoutMs = 60_000;

/** Requests that a restarted process must answer, too: its log has acknowledged rows. */
const survivesRestart: ReadonlySet<PeerRequestKind> = new Set<PeerRequestKind>(['visible']);

interface RequestInFlight {
  readonly request: PeerRequest;
  readonly settle: (outcome: Outcome | undefined) => void;
}

/** Runs the process of one worker, and restarts it when it dies. */
export class WorkerSlot {
  readonly #options: SlotOptions;
  readonly #inFlight = new Map<number, RequestInFlight>();
  /** KeyedMutex that the process has. */
  readonly #tableLocks = new Map<number, Unlock>();
  #worker: Worker | undefined;
  #isReady = false;
  #isStopping = false;
  #counter = 0;
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

  /** Sends a message to the process, if there is one. */
  send(message: ToWorker): void {
    if (this.#worker?.isConnected() === true) this.#worker.send(message);
  }

  /** The outcome of a request; undefined if there is no process and the request does not need one. */
  request(request: PeerRequest): Promise<Outcome | undefined> {
    const mustWait = survivesRestart.has(request.kind);
    if (this.#isStopping || (!this.#isReady && !mustWait)) return Promise.resolve(undefined);
    const id = ++this.#counter;
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(timeoutOutcome), requestTimeoutMs);
      const settle = (outcome: Outcome | undefined): void => {
        clearTimeout(timer);
        this.#inFlight.delete(id);
        resolve(outcome);
      };
      this.#inFlight.set(id, { request, settle });
      if (this.#isReady) this.send({ kind: 'request', id, request });
    });
  }

  /** Stops the worker, by force after `withinMs`. */
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
        if (message.kind === 'listening') this.send({ kind: 'begin', workerStart: this.#options.begin() });
        else if (message.kind === 'ready') {
          this.#onReady(message.port);
          resolve();
        } else if (message.kind === 'cannot-start') reject(new Error(message.reason));
        else if (message.kind === 'outcome') this.#inFlight.get(message.id)?.settle(message.outcome);
        else if (message.kind === 'lock-tables') detached(this.#lockTables(worker, message.id, message.tables));
        else if (message.kind === 'unlock-tables') this.#unlockTables(message.id);
        else this.#options.onMessage(message, (answer) => this.send(answer));
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

  async #lockTables(worker: Worker, id: number, tables: ReadonlySet<string>): Promise<void> {
    const end = await this.#options.lockTables(tables);
    if (worker !== this.#worker || worker.isDead()) end();
    else {
      this.#tableLocks.set(id, end);
      this.send({ kind: 'tables-locked', id });
    }
  }

  #unlockTables(id: number): void {
    this.#tableLocks.get(id)?.();
    this.#tableLocks.delete(id);
  }

  #onReady(port: number): void {
    this.#port = port;
    this.#isReady = true;
    for (const [id, { request }] of this.#inFlight) this.send({ kind: 'request', id, request });
  }

  #onExit(livedMs: number): void {
    this.#isReady = false;
    for (const id of [...this.#tableLocks.keys()]) this.#unlockTables(id);
    for (const { request, settle } of [...this.#inFlight.values()]) {
      if (this.#isStopping || !survivesRestart.has(request.kind)) settle(undefined);
    }
    if (this.#isStopping) return;
    this.#options.log.error({ livedMs: Math.round(livedMs) }, 'A worker died; restarting it.');
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

const timeoutOutcome: Outcome = {
  fault: fault('network', Codes.networkUnavailable, 'A worker of the service does not answer'),
};
