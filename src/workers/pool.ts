import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { detached } from '../async/detached.js';
import { KeyedMutex, type Unlock } from '../async/keyed-mutex.js';
import type { Component, ComponentLog } from '../model/component.js';
import { reasonOf } from '../model/fault.js';
import type { FromWorker, ToWorker, WorkerNotification, WorkerRole, WorkerStart } from './messages.js';
import {
  type Outcome,
  outcomeOf,
  type PeerHandlers,
  type PeerRequest,
  type PeerRequestKind,
  type PeerResult,
  type Peers,
  resultIn,
} from './peer-requests.js';
import { WorkerSlot } from './slot.js';

/** Options of the workers of a service. */
interface WorkerPoolOptions {
  /** Number of workers that serve HTTP. */
  readonly count: number;
  /** Called with each log line of a worker. */
  readonly line: (line: string) => void;
  readonly log: ComponentLog;
}

/** Callbacks of the primary process for its workers. */
export interface PrimaryHandlers {
  /** Initial state of a worker. */
  readonly begin: (role: WorkerRole, number: number) => WorkerStart;
  /** Handlers of requests to this process. */
  readonly handlers: PeerHandlers;
  /** Called with notifications of workers. */
  readonly onNotification: (notification: WorkerNotification) => void;
  /** Number of orphaned write-ahead logs of this database: each gets a worker until it is stored. */
  readonly orphanedLogs: () => number;
}

/** The program that a worker runs. */
const program = fileURLToPath(new URL('../worker.js', import.meta.url));

/** Deadline of the workers in a stop, ms. */
const stopMs = 7_000;

/**
 * The workers of a service, run by its primary process: they share the port of HTTP, and each has a write-ahead log of
 * its own. It forwards requests of one process to the others.
 */
export class WorkerPool implements Component, Peers {
  readonly name = 'workers';
  readonly #options: WorkerPoolOptions;
  readonly #slots: WorkerSlot[] = [];
  readonly #changed = new Set<() => void>();
  readonly #tableLocks = new KeyedMutex();
  #primaryHandlers: PrimaryHandlers | undefined;
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

  /** True when there is no worker. */
  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  /** Set before the start. */
  set duties(duties: PrimaryHandlers) {
    this.#primaryHandlers = duties;
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
    const logs = this.#handlers.orphanedLogs();
    if (logs > 0) log.info({ logs }, 'Storing orphaned write-ahead logs, each in a process of its own.');
    for (let left = logs; left > 0; left--) {
      const slot = this.#add('log');
      slot.start().catch((error: unknown) => {
        log.error({ reason: reasonOf(error) }, 'An orphaned write-ahead log could not be read.');
        this.#remove(slot);
      });
    }
    for (const listener of this.#changed) listener();
  }

  /** Calls the listener when workers were added or removed. */
  onChange(listener: () => void): void {
    this.#changed.add(listener);
  }

  /** Locks engine tables for this process; undefined without workers. */
  lockTables(tables: ReadonlySet<string>): Promise<Unlock> | undefined {
    return this.isEmpty ? undefined : this.#tableLocks.lock([...tables]);
  }

  /** Sends a message to all workers. */
  send(message: ToWorker): void {
    for (const slot of this.#slots) slot.send(message);
  }

  async request<K extends PeerRequestKind>(request: PeerRequest<K>): Promise<readonly PeerResult<K>[]> {
    return (await this.#requestSlots(request, undefined)).map((outcome) => resultIn(outcome));
  }

  async drain(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.stop(stopMs)));
  }

  async stop(): Promise<void> {
    for (const slot of this.#slots) slot.kill();
  }

  get #handlers(): PrimaryHandlers {
    if (this.#primaryHandlers === undefined) throw new Error('The workers have no handlers yet.');
    return this.#primaryHandlers;
  }

  #add(role: WorkerRole): WorkerSlot {
    const { line, log } = this.#options;
    const number = ++this.#numbers;
    const slot: WorkerSlot = new WorkerSlot({
      begin: () => this.#handlers.begin(role, number),
      onMessage: (message, answer) => detached(this.#onMessage(slot, message, answer)),
      lockTables: (tables) => this.#tableLocks.lock([...tables]),
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

  async #onMessage(slot: WorkerSlot, message: FromWorker, answer: (message: ToWorker) => void): Promise<void> {
    if (message.kind === 'notification') this.#handlers.onNotification(message.notification);
    else if (message.kind === 'done') {
      await slot.stop(stopMs);
      this.#remove(slot);
    } else if (message.kind === 'request') {
      const { id, request, of } = message;
      const own = outcomeOf(this.#handlers.handlers, request);
      const outcomes = of === 'primary' ? [await own] : [await own, ...(await this.#requestSlots(request, slot))];
      answer({ kind: 'results', id, outcomes });
    }
  }

  async #requestSlots<K extends PeerRequestKind>(
    request: PeerRequest<K>,
    except: WorkerSlot | undefined,
  ): Promise<readonly Outcome<K>[]> {
    const others = this.#slots.filter((slot) => slot !== except);
    const outcomes = await Promise.all(others.map((slot) => slot.request(request as PeerRequest)));
    return outcomes.filter((outcome) => outcome !== undefined) as readonly Outcome<K>[];
  }
}
