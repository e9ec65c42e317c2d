import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import split2 from 'split2';
import type { ComponentLog } from '../../model/component.js';
import { reasonOf } from '../../model/fault.js';
import { backOffMs } from '../../text/duration.js';
import type { HostDirectory } from '../engine/handover.js';
import {
  type HostOptions,
  hostDefaults,
  hostEnvironment,
  type ReadyHost,
  readHostMessage,
} from './connection/options.js';
import type { EngineEndpoint } from './endpoint-file.js';
import { Heartbeat } from './heartbeat.js';

/**
 * `hung`: the process lives and does not answer. `down` covers the pause before a restart; meanwhile statements end
 * with network faults and may be retried.
 */
export type EngineState = 'starting' | 'up' | 'hung' | 'down';

/** How the embedded engine is started. What is left out is as in `hostDefaults`. */
export interface SupervisorOptions extends Partial<HostOptions> {
  readonly log: ComponentLog;
  /**
   * How long an engine may not answer until it is killed and restarted, in ms; 0 is for ever. Half a minute when left
   * out.
   */
  readonly hangTimeoutMs?: number;
}

const engineProgram = fileURLToPath(new URL('../../engine.js', import.meta.url));
/** Loading the parts of a large data directory takes a while. */
const startTimeoutMs = 120_000;
const firstDelayMs = 100;
/** With the start itself the engine is back within 5 s, however often it died before. */
const maxDelayMs = 2_000;
/** After this uptime the next restart is immediate again. */
const steadyMs = 10_000;
/** A host that reported a failed start has this long to end by itself. */
const failedEndMs = 3_000;
const defaultHangTimeoutMs = 30_000;
/** An engine that does not answer for this long counts as hung; less when the hang timeout is shorter. */
const maxHungAfterMs = 10_000;
/** Time that a stop allows after the host's own deadline. */
const stopGraceMs = 8_000;

/**
 * Runs the engine host as a child process and restarts it whenever it dies: at once, then after 100 ms, doubling to
 * 2 s. The host dies with this process, however this process ends.
 */
export class EngineSupervisor {
  readonly #options: HostOptions;
  readonly #log: ComponentLog;
  readonly #secret: string;
  readonly #hangTimeoutMs: number;
  readonly #listeners = new Set<(state: EngineState) => void>();
  readonly #logListeners = new Set<(entries: number) => void>();
  #state: EngineState = 'down';
  #child: ChildProcess | undefined;
  #port: number;
  #directory: HostDirectory | undefined;
  #restarts = 0;
  #stopping: AbortController | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    const { log, hangTimeoutMs = defaultHangTimeoutMs, ...others } = options;
    this.#hangTimeoutMs = hangTimeoutMs;
    this.#options = { ...hostDefaults, ...others };
    this.#secret = this.#options.password || randomBytes(24).toString('base64url');
    this.#log = log;
    this.#port = this.#options.port;
  }

  get state(): EngineState {
    return this.#state;
  }

  /** Process id of the running host. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Where the engine answers; the port is final once {@link EngineSupervisor.start} has resolved. */
  get endpoint(): EngineEndpoint {
    const { host, user } = this.#options;
    const name = host.includes(':') ? `[${host}]` : host;
    const url = `http://${name}:${this.#port}`;
    return { url, user, password: this.#secret, directory: () => this.#directory };
  }

  /** Directory by which processes of this user reach the running host. */
  get directory(): HostDirectory | undefined {
    return this.#directory;
  }

  /** Calls the listener with the state now and at every change, until the returned function is called. */
  onState(listener: (state: EngineState) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#state);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener with the number of entries in the catalogue's log whenever any process may have changed it. */
  onLogChange(listener: (entries: number) => void): void {
    this.#logListeners.add(listener);
  }

  /**
   * Starts the engine; resolves when it answers. This first start is not repeated: it rejects with the host's own line,
   * for example when another process holds the data directory or the port.
   */
  async start(): Promise<EngineEndpoint> {
    if (this.#stopping !== undefined) throw new Error('The engine was started before.');
    this.#stopping = new AbortController();
    await this.#launch();
    return this.endpoint;
  }

  /**
   * Ends the engine: sends SIGTERM, and SIGKILL after `withinMs`; without it after the host's own deadline. Rows that
   * were stored survive that. Safe before a start and twice.
   */
  stop(withinMs = this.#options.stopTimeoutMs + stopGraceMs): Promise<void> {
    this.#stopped ??= this.#end(withinMs);
    return this.#stopped;
  }

  async #end(withinMs: number): Promise<void> {
    this.#stopping ??= new AbortController();
    this.#stopping.abort();
    const child = this.#child;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    // A hung process handles no SIGTERM.
    child.kill(this.#state === 'hung' ? 'SIGKILL' : 'SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    await ended;
    clearTimeout(timer);
  }

  async #launch(): Promise<void> {
    this.#enter('starting');
    const child = this.#spawn();
    this.#child = child;
    const since = Date.now();
    try {
      const { port, directory } = await ready(child);
      this.#port = port;
      this.#directory = directory;
    } catch (error) {
      this.#enter('down');
      child.kill('SIGKILL');
      throw error;
    }
    this.#enter('up');
    child.on('message', (value) => {
      const message = readHostMessage(value);
      if (message === undefined || !('logEntries' in message)) return;
      for (const listener of this.#logListeners) listener(message.logEntries);
    });
    const heartbeat = this.#watch(child);
    child.once('exit', (code, signal) => {
      heartbeat.stop();
      this.#onExit(Date.now() - since, code, signal);
    });
    if (hasEnded(child)) {
      heartbeat.stop();
      this.#onExit(0, child.exitCode, child.signalCode);
    }
  }

  #watch(child: ChildProcess): Heartbeat {
    const killAfterMs = this.#hangTimeoutMs;
    const hungAfterMs = killAfterMs === 0 ? maxHungAfterMs : Math.min(maxHungAfterMs, killAfterMs / 2);
    return new Heartbeat(child, { hungAfterMs: hungAfterMs, killAfterMs: killAfterMs }, (news) => {
      switch (news) {
        case 'silent':
          this.#log.error({ silentMs: hungAfterMs }, 'The engine host does not answer; statements fail meanwhile.');
          this.#enter('hung');
          break;
        case 'back':
          this.#log.warn({}, 'The engine host answers again.');
          this.#enter('up');
          break;
        case 'given-up':
          this.#log.error({ silentMs: killAfterMs }, 'Killing the engine host, because it does not answer.');
          child.kill('SIGKILL');
      }
    });
  }

  #spawn(): ChildProcess {
    const { path, host, sessions, user, sync } = this.#options;
    const { maxBodyBytes, maxMemoryBytes, maxStatementBytes, maxUserBytes } = this.#options;
    const values = { path, host, port: this.#port, sessions, user, sync: Number(sync) };
    const ofStatements = { statement: maxStatementBytes, 'of-user': maxUserBytes };
    const limits = { spool: maxBodyBytes, memory: maxMemoryBytes, ...ofStatements };
    const args = Object.entries({ ...values, ...limits }).map(([name, value]) => `--${name}=${value}`);
    const env = { ...hostEnvironment(sessions), SLUICE_ENGINE_SECRET: this.#secret };
    // Its own flags only: an inspector port or a heap limit of this process is not meant for the engine.
    const child = fork(engineProgram, args, { env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    child.stderr?.pipe(split2()).on('data', (line: string) => {
      this.#log.warn({ line }, 'The engine host wrote to its error output.');
    });
    return child;
  }

  #onExit(livedMs: number, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#state === 'down') return;
    this.#enter('down');
    if (this.#stopping?.signal.aborted !== false) return;
    this.#log.error({ code, signal, livedMs }, 'The engine host died; restarting it.');
    if (livedMs >= steadyMs) this.#restarts = 0;
    this.#keepStarting(this.#stopping.signal).catch(() => {});
  }

  async #keepStarting(stopped: AbortSignal): Promise<void> {
    for (;;) {
      const delayMs = restartDelayMs(this.#restarts);
      this.#restarts++;
      await sleep(delayMs, undefined, { signal: stopped });
      try {
        await this.#launch();
        return;
      } catch (error) {
        const reason = reasonOf(error);
        if (stopped.aborted) return;
        this.#log.error({ reason, attempt: this.#restarts }, 'The engine host cannot be started.');
      }
    }
  }

  #enter(state: EngineState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

/** Pause before the next start after so many in a row. */
export function restartDelayMs(restarts: number): number {
  return restarts === 0 ? 0 : backOffMs(restarts, firstDelayMs, maxDelayMs);
}

/** First report of a host; rejects with the host's own line, or when it ends or stays silent. */
function ready(child: ChildProcess): Promise<ReadyHost> {
  return new Promise((resolve, reject) => {
    let failure = '';
    let timer = setTimeout(
      () => finish(() => reject(new Error(`The engine host was not ready within ${startTimeoutMs / 1000} s.`))),
      startTimeoutMs,
    );
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      settle();
    };
    const onMessage = (value: unknown): void => {
      const message = readHostMessage(value);
      if (message === undefined) return;
      if ('ready' in message) finish(() => resolve(message.ready));
      else if ('failed' in message) {
        failure = message.failed;
        clearTimeout(timer);
        timer = setTimeout(() => finish(() => reject(new Error(failure))), failedEndMs);
      }
    };
    const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
      const ended = `The engine host ended before it was ready (${signal ?? `exit code ${code}`}).`;
      finish(() => reject(new Error(failure === '' ? ended : failure)));
    };
    const onError = (error: Error): void => {
      finish(() => reject(new Error(`The engine host cannot be started: ${error.message}`, { cause: error })));
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.on('error', onError);
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
