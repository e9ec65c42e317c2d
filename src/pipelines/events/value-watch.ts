import { randomUUID } from 'node:crypto';
import { RepeatedWork } from '../../async/repeated-work.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { EventsStore } from '../../database/store/events-store.js';
import type { SeriesNames } from '../../database/store/series-names.js';
import { newEventId, slotOf } from '../../events/event-id.js';
import { factsOf } from '../../events/facts.js';
import { passes, type ValueRule } from '../../events/rule.js';
import { type Finding, ValueRules } from '../../events/value-rules.js';
import type { BlockGroup } from '../../model/batch.js';
import type { Component, ComponentLog } from '../../model/component.js';
import type { EventOperation } from '../../model/event-log.js';
import { ticksPerSecond } from '../../model/schema.js';
import type { EventQueue } from './event-queue.js';

/** Context of the watch over values. */
export interface ValueWatchContext {
  readonly rules: readonly ValueRule[];
  readonly maxSeries: number;
  readonly maxRowAgeMs: number;
  readonly repeatIntervalMs: number;
  readonly store: Pick<EventsStore, 'open' | 'position' | 'entriesAfter'>;
  readonly names: Pick<SeriesNames, 'find'>;
  readonly catalogue: Catalogue;
  readonly queue: Pick<EventQueue, 'add'>;
  readonly log: ComponentLog;
}

/** How often the log is polled for operations of other processes and of people. */
const pollMs = 1_000;
/** How long a series stays excluded from a rule: its tags may change. */
const excludedMs = 60_000;
/** Limit of series whose repeats are recorded in one turn. */
const maxRepeats = 5_000;

/** A series under one of the rules. */
interface WatchedSeries {
  readonly rule: string;
  readonly series: bigint;
}

/**
 * Rules over values, on the blocks that the write pipeline has stored. The evaluation is complete when {@link observe}
 * returns; the names of the series are read from the database afterwards. The log says which events are open at the
 * start, opened by other processes and resolved by people, so that several processes agree.
 */
export class ValueWatch implements Component {
  readonly name = 'value-rules';
  readonly #context: ValueWatchContext;
  readonly #rules: ValueRules;
  readonly #seriesBySlot = new Map<string, WatchedSeries>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Follows operations of other processes and of people. */
  readonly #polls = new RepeatedWork('events-log', pollMs, async () => {
    await this.#poll();
    return pollMs;
  });
  #position = 0;
  #overflowed = 0;

  constructor(context: ValueWatchContext) {
    this.#context = context;
    const { rules, maxSeries, maxRowAgeMs } = context;
    this.#rules = new ValueRules(rules, { maxSeries, maxAgeMs: maxRowAgeMs });
  }

  /** Evaluates stored rows. Never throws. */
  observe({ blocks }: BlockGroup): void {
    const { catalogue, log } = this.#context;
    try {
      const now = Date.now();
      for (const block of blocks) {
        const precision = catalogue.database(block.database)?.precision;
        if (precision !== undefined) this.#rules.evaluate(block, ticksPerSecond(precision) / 1000, now);
      }
      for (const finding of this.#rules.take()) this.#record(finding, now);
    } catch (error) {
      log.error({ error: String(error) }, 'Rules could not be evaluated.');
    }
  }

  async start(): Promise<void> {
    const { store, rules, maxSeries, repeatIntervalMs } = this.#context;
    this.#position = await store.position();
    const names = rules.map(({ name }) => name);
    for (const { rule, series, lastSeenTime } of await store.open(names, maxSeries)) {
      this.#opened(rule, series, lastSeenTime);
    }
    await this.#polls.start();
    this.#every(repeatIntervalMs, () => this.#repeat());
    this.#every(excludedMs, () => this.#rules.forgetExcluded());
  }

  async drain(): Promise<void> {
    await this.stop();
    this.#repeat();
  }

  async stop(): Promise<void> {
    await this.#polls.stop();
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers.clear();
  }

  #every(ms: number, run: () => void): void {
    const timer = setInterval(run, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  #repeat(): void {
    const now = Date.now();
    for (const finding of this.#rules.takeRepeats(maxRepeats)) this.#record(finding, now);
    const { overflowed } = this.#rules;
    if (overflowed > this.#overflowed) {
      const fields = { rows: overflowed - this.#overflowed, limit: this.#context.maxSeries };
      this.#context.log.warn(fields, 'Rows break a rule that has reached its limit of series.');
    }
    this.#overflowed = overflowed;
  }

  /** Follows the log. The next poll retries a failed one. */
  async #poll(): Promise<void> {
    try {
      for (const { position, operation } of await this.#context.store.entriesAfter(this.#position)) {
        this.#follow(operation);
        this.#position = position;
      }
    } catch (error) {
      this.#context.log.debug({ error: String(error) }, 'The log of events could not be read.');
    }
  }

  #follow(operation: EventOperation): void {
    if (operation.op === 'seen') {
      const { rule, series } = operation.facts;
      this.#opened(rule, series, operation.last);
      return;
    }
    if (operation.op === 'acknowledge') return;
    const watched = this.#seriesBySlot.get(operation.slot);
    if (watched === undefined) return;
    this.#seriesBySlot.delete(operation.slot);
    this.#rules.resolved(watched.rule, watched.series, operation.at);
  }

  #opened(name: string, text: string, lastMs: number): void {
    const rule = this.#context.rules.find((candidate) => candidate.name === name);
    if (rule === undefined || text === '') return;
    const series = BigInt(text);
    this.#seriesBySlot.set(slotOfSeries(rule, series), { rule: name, series });
    this.#rules.opened(name, series, lastMs);
  }

  #record(finding: Finding, now: number): void {
    const { rule, series } = finding;
    // Rows that were seen before a person resolved the event belong to it, though they are counted later.
    const at = finding.kind === 'repeated' ? Math.min(now, finding.last) : now;
    const slot = slotOfSeries(rule, series);
    const keys = { seen: randomUUID(), clear: randomUUID(), event: newEventId(Math.max(0, finding.first)) };
    this.#context.queue.add(async () => {
      const { database, table } = rule;
      const name = await this.#context.names.find(database, table, series);
      const tags = name === undefined ? undefined : new Map([...name.tags, ['tbname', name.name]]);
      if (name === undefined || tags === undefined || !passes(rule.tags, tags)) {
        this.#rules.exclude(rule.name, series);
        return [];
      }
      const facts = factsOf(rule, {
        element: name.name,
        tags: name.tags,
        value: finding.value,
        series: String(series),
      });
      const { first, last, value, count, end } = finding;
      const operations: EventOperation[] = [];
      if (count > 0) {
        const seen = { op: 'seen', key: keys.seen, slot, at, id: keys.event, facts, count, value } as const;
        operations.push({ ...seen, first: Math.max(0, first), last: Math.max(0, last) });
      }
      if (finding.kind === 'cleared' && rule.resolves) {
        operations.push({ op: 'clear', key: keys.clear, slot, at, time: end });
      }
      return operations;
    });
  }
}

function slotOfSeries({ name, database, table }: ValueRule, series: bigint): string {
  return slotOf('value', name, database, table, String(series));
}
