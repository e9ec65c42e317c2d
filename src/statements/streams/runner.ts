import { RepeatedWork } from '../../async/repeated-work.js';
import { isStaleSchema } from '../../database/store/stale-schema.js';
import { leaseMs, type StreamState } from '../../database/store/stream-states.js';
import type { Component } from '../../model/component.js';
import type { StreamDef } from '../../model/derivation.js';
import { FaultError, isTransient } from '../../model/fault.js';
import type { CreateStream } from '../../sql/plan/stream-query.js';
import { durationTicks } from '../../sql/times/timestamp.js';
import { withCurrentSchema } from '../current-schema.js';
import { type StreamContext, streamStatement } from './context.js';
import { firstState, streamRound } from './round.js';

/** How often a stream looks for new rows. */
const pollMs = 500;
/** How often a process says that it runs the streams, well before others stop believing it. */
const claimMs = 2_500;
/**
 * A stream rests three times as long as its last round took, so that it never takes more than a quarter of the time.
 */
const restFactor = 3;
const maxRestMs = 60_000;
/** Pauses after an error: of the engine, doubled each time, and of the stream itself. */
const firstRetryMs = 1_000;
const maxRetryMs = 30_000;
const faultRetryMs = 5_000;
/** Streams that are worked on at once; each holds a connection of the engine. */
const maxBusy = 2;

/** Context of the runner. */
interface RunnerContext extends StreamContext {
  /** True while the service takes nothing new in, because memory is short. */
  readonly isHeld: () => boolean;
}

/** This process's state of a stream that it runs. */
interface Run {
  readonly statement: CreateStream;
  def: StreamDef;
  state: StreamState;
  /** The state as the engine has it. */
  kept: StreamState | undefined;
  dueMs: number;
  failures: number;
  busy: boolean;
}

/**
 * Runs the streams of the catalogue while this process holds their lease: every stream is checked about twice a second,
 * and what was written to its source since is worked into its target, piece by piece. Nothing is kept but how far each
 * is, so a process may die anywhere: the next one repeats the last piece, which changes nothing.
 */
export class StreamRunner implements Component {
  readonly name = 'streams';
  readonly #context: RunnerContext;
  readonly #runs = new Map<string, Run>();
  readonly #working = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  readonly #looks = new RepeatedWork('streams', pollMs / 2, async () => {
    await this.#look();
    return pollMs / 2;
  });
  #holds = false;
  #nextClaimMs = 0;
  /** Until when no other process takes the lease. */
  #heldUntilMs = 0;

  constructor(context: RunnerContext) {
    this.#context = context;
  }

  async start(): Promise<void> {
    await this.#looks.start();
  }

  async drain(): Promise<void> {
    this.#ending.abort();
    await this.#looks.drain();
    await Promise.all(this.#working);
  }

  /**
   * Gives the lease up for another process to take at once. A round that was cut off leaves what the next one repeats;
   * without an engine that answers, the lease ends by its time.
   */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#looks.stop();
    if (!this.#holds) return;
    this.#holds = false;
    await this.#context.states.release().catch(() => undefined);
  }

  /** Begins the rounds that are due. */
  async #look(): Promise<void> {
    const streams = this.#context.catalogue.derivations.streams();
    if (streams.length === 0 && this.#runs.size === 0) return;
    try {
      if (!(await this.#claimed())) return;
      await this.#follow(streams);
    } catch (error) {
      this.#context.log.debug({ error: messageOf(error) }, 'The streams could not be checked.');
      return;
    }
    this.#fill();
  }

  /** Takes up streams as long as there is room for them, those that have waited longest first. */
  #fill(): void {
    const { isHeld } = this.#context;
    while (this.#holds && this.#working.size < maxBusy && !this.#ending.signal.aborted && !isHeld()) {
      const nowMs = performance.now();
      const due = [...this.#runs.values()].filter(({ busy, def, dueMs }) => !busy && !def.paused && dueMs <= nowMs);
      const run = due.toSorted((a, b) => a.dueMs - b.dueMs)[0];
      if (run === undefined) return;
      run.busy = true;
      const work = this.#work(run).finally(() => {
        run.busy = false;
        this.#working.delete(work);
        this.#fill();
      });
      this.#working.add(work);
    }
  }

  async #claimed(): Promise<boolean> {
    if (performance.now() < this.#nextClaimMs) return this.#holds;
    this.#nextClaimMs = performance.now() + claimMs;
    const nowMs = Date.now();
    const held = this.#holds && nowMs < this.#heldUntilMs;
    this.#holds = false;
    this.#holds = await this.#context.states.claim();
    if (!this.#holds) {
      this.#runs.clear();
      return false;
    }
    this.#heldUntilMs = nowMs + leaseMs;
    // Another process may have gone on in between.
    if (!held) this.#runs.clear();
    await this.#readBack();
    return true;
  }

  /** A process that lost the lease during its work restores the state: its piece is done again. */
  async #readBack(): Promise<void> {
    const resting = [...this.#runs.values()].filter(({ busy, kept }) => !busy && kept !== undefined);
    const stored = await this.#context.states.read(resting.map(({ def }) => def.id));
    for (const run of resting) {
      const kept = stored.get(run.def.id);
      if (run.busy || kept === undefined || kept.place >= run.state.place) continue;
      run.state = kept;
      run.kept = kept;
      run.dueMs = 0;
    }
  }

  /** Takes up streams that were made, and lets go of those that were dropped. */
  async #follow(streams: readonly StreamDef[]): Promise<void> {
    const { states } = this.#context;
    const byId = new Map(streams.map((def) => [def.id, def]));
    for (const id of this.#runs.keys()) {
      if (byId.has(id)) continue;
      this.#runs.delete(id);
      await states.forget(id);
    }
    const added = streams.filter(({ id }) => !this.#runs.has(id));
    const stored = await states.read(added.map(({ id }) => id));
    for (const def of added) {
      const kept = stored.get(def.id);
      const run = { def, statement: streamStatement(def), state: kept ?? firstState(def), kept };
      this.#runs.set(def.id, { ...run, dueMs: 0, failures: 0, busy: false });
    }
    // They may have been paused meanwhile.
    for (const def of this.#context.catalogue.derivations.streams()) {
      const run = this.#runs.get(def.id);
      if (run !== undefined) run.def = def;
    }
  }

  async #work(run: Run): Promise<void> {
    const began = performance.now();
    try {
      const { signal } = this.#ending;
      const next = await withCurrentSchema(this.#context, () => {
        return streamRound(run.def, run.statement, run.state, this.#context, signal);
      });
      const outcome = next ?? (run.state.fault === undefined ? undefined : { ...run.state, fault: undefined });
      if (Date.now() >= this.#heldUntilMs) {
        // Another process may have written meanwhile, and this write went over its newer state.
        this.#holds = false;
        await this.#context.states.write(run.def.id, run.state);
        return;
      }
      if (outcome !== undefined) await this.#keep(run, outcome);
      run.failures = 0;
      const tookMs = performance.now() - began;
      run.dueMs = performance.now() + Math.max(periodOf(run.statement), Math.min(tookMs * restFactor, maxRestMs));
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      await this.#fail(run, error);
    }
  }

  async #keep(run: Run, state: StreamState): Promise<void> {
    await this.#context.states.write(run.def.id, state);
    run.state = state;
    run.kept = state;
  }

  /**
   * An engine that is away is waited for; what is wrong with the stream itself is shown, and tried again now and then.
   */
  async #fail(run: Run, error: unknown): Promise<void> {
    const { log } = this.#context;
    const { name } = run.def;
    const passes = !(error instanceof FaultError) || isTransient(error.fault) || isStaleSchema(error.fault);
    run.failures += 1;
    const waitMs = passes ? Math.min(firstRetryMs * 2 ** (run.failures - 1), maxRetryMs) : faultRetryMs;
    run.dueMs = performance.now() + waitMs;
    const reason = messageOf(error);
    if (passes) {
      log.warn({ stream: name, error: reason, waitMs }, 'A stream failed; Sluice retries.');
      return;
    }
    if (run.state.fault === reason) return;
    log.warn({ stream: name, error: reason }, 'A stream does not get on.');
    await this.#keep(run, { ...run.state, fault: reason }).catch(() => undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof FaultError ? error.fault.message : String(error);
}

/** Results may be as old as MAX_DELAY says; else they are written as soon as they are seen. */
function periodOf({ options: { trigger } }: CreateStream): number {
  if (trigger.kind !== 'max-delay') return pollMs;
  return Math.max(pollMs, Number(durationTicks(trigger.delay, 'ms') ?? 0n));
}
