import cluster from 'node:cluster';
import { detached } from '../async/detached.js';
import type { Unlock } from '../async/keyed-mutex.js';
import type { EngineState } from '../database/host/supervisor.js';
import type { EngineStatus, FromWorker, ToWorker, WorkerNotification, WorkerStart } from './messages.js';
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

/** A worker's channel to the primary process of its service. The worker ends with that process, however that ends. */
export class PrimaryProcess implements Peers {
  /** Resolves with the deadline, in ms, when the worker must stop. */
  readonly stopped: Promise<number>;
  readonly #started: Promise<WorkerStart>;
  readonly #inFlight = new Map<number, (outcomes: readonly Outcome[]) => void>();
  readonly #tableLocks = new Map<number, () => void>();
  readonly #engineListeners = new Set<(state: EngineState) => void>();
  readonly #logListeners = new Set<(entries: number) => void>();
  #engine: EngineStatus | undefined;
  #handlers: PeerHandlers | undefined;
  #counter = 0;

  /** Listens from now on. A process has one. */
  constructor() {
    // A terminal or service manager sends these to all processes; the primary process decides.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
    process.on('message', (message: ToWorker) => this.#onMessage(message));
    this.#started = firstMessage('begin').then(({ workerStart }) => workerStart);
    this.stopped = firstMessage('stop').then(({ withinMs }) => withinMs);
  }

  /** Initial state of the worker. */
  begin(): Promise<WorkerStart> {
    this.send({ kind: 'listening' });
    return this.#started;
  }

  /** The embedded engine as it is now. */
  get engine(): EngineStatus {
    return this.#engine ?? { state: 'starting', directory: undefined, pids: [] };
  }

  /** The primary process always exists. */
  readonly isEmpty = false;

  /** Sets the handlers of requests to this process. */
  handleWith(handlers: PeerHandlers): void {
    this.#handlers = handlers;
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

  send(message: FromWorker): void {
    if (process.connected) process.send?.(message);
  }

  notify(notification: WorkerNotification): void {
    this.send({ kind: 'notification', notification });
  }

  async request<K extends PeerRequestKind>(request: PeerRequest<K>): Promise<readonly PeerResult<K>[]> {
    const outcomes = await this.#send(request, 'others');
    return outcomes.map((outcome) => resultIn(outcome));
  }

  /** The result of the primary process only. */
  async requestPrimary<K extends PeerRequestKind>(request: PeerRequest<K>): Promise<PeerResult<K>> {
    const [outcome] = await this.#send(request, 'primary');
    if (outcome === undefined) throw new Error('The primary process has not answered.');
    return resultIn(outcome);
  }

  /** Resolves when this process may work on engine tables. */
  lockTables(tables: ReadonlySet<string>): Promise<Unlock> {
    const id = ++this.#counter;
    return new Promise((resolve) => {
      this.#tableLocks.set(id, () => resolve(() => this.send({ kind: 'unlock-tables', id })));
      this.send({ kind: 'lock-tables', id, tables });
    });
  }

  /** Closes the channel to the primary process. */
  leave(): void {
    cluster.worker?.disconnect();
  }

  #send<K extends PeerRequestKind>(request: PeerRequest<K>, of: 'others' | 'primary'): Promise<readonly Outcome<K>[]> {
    const id = ++this.#counter;
    return new Promise((resolve) => {
      this.#inFlight.set(id, (outcomes) => resolve(outcomes as readonly Outcome<K>[]));
      this.send({ kind: 'request', id, request: request as PeerRequest, of });
    });
  }

  #onMessage(message: ToWorker): void {
    switch (message.kind) {
      case 'begin':
        this.#engine = message.workerStart.status;
        break;
      case 'engine': {
        const { state } = this.engine;
        this.#engine = message.status;
        if (state !== message.status.state)
          for (const listener of this.#engineListeners) listener(message.status.state);
        break;
      }
      case 'log':
        for (const listener of this.#logListeners) listener(message.entries);
        break;
      case 'tables-locked':
        this.#tableLocks.get(message.id)?.();
        this.#tableLocks.delete(message.id);
        break;
      case 'request':
        detached(this.#handle(message.id, message.request));
        break;
      case 'results':
        this.#inFlight.get(message.id)?.(message.outcomes);
        this.#inFlight.delete(message.id);
    }
  }

  async #handle(id: number, request: PeerRequest): Promise<void> {
    if (this.#handlers === undefined) return;
    this.send({ kind: 'outcome', id, outcome: await outcomeOf(this.#handlers, request) });
  }
}

/** The first message of a kind. */
function firstMessage<K extends ToWorker['kind']>(kind: K): Promise<Extract<ToWorker, { kind: K }>> {
  const isOfKind = (message: ToWorker): message is Extract<ToWorker, { kind: K }> => message.kind === kind;
  return new Promise((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (isOfKind(message)) resolve(message);
    });
  });
}
