import { randomUUID } from 'node:crypto';
import { RepeatedWork } from '../../async/repeated-work.js';
import type { EventsStore } from '../../database/store/events-store.js';
import type { SeriesNames } from '../../database/store/series-names.js';
import { reportingSeries, type StaleSeriesContext, staleSeries } from '../../database/store/stale-series.js';
import { newEventId, slotOf } from '../../events/event-id.js';
import { factsOf } from '../../events/facts.js';
import { findingsOf } from '../../events/query-rows.js';
import { type AbsenceRule, passes, type QueryRule } from '../../events/rule.js';
import type { Component, ComponentLog } from '../../model/component.js';
import type { EventFacts, StoredEvent } from '../../model/event-log.js';
import { FaultError } from '../../model/fault.js';
import { parseQuery } from '../../promql/language/parse.js';
import { QueryError } from '../../promql/query-error.js';
import { parseStatement } from '../../sql/parser/statement.js';
import type { EventQueue } from './event-queue.js';

/** A query with its language. */
type RuleQuery = Pick<QueryRule, 'language' | 'query'>;

/** A query in SQL. */
export function sqlQuery(query: string): RuleQuery {
  return { language: 'sql', query };
}

/** Rows of a query, by column name or label. The signal ends it. */
export type RunQuery = (
  database: string,
  query: RuleQuery,
  limit: number,
  signal: AbortSignal,
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Context of scheduled rules. */
export interface ScheduledWatchContext extends StaleSeriesContext {
  readonly rules: readonly (AbsenceRule | QueryRule)[];
  readonly repeatIntervalMs: number;
  readonly store: Pick<EventsStore, 'open'>;
  readonly names: Pick<SeriesNames, 'find'>;
  readonly queue: Pick<EventQueue, 'add'>;
  readonly query: RunQuery;
  readonly log: ComponentLog;
}

/** Checks per absence time of a rule, and limits of their interval. */
const absenceShare = 4;
const minAbsenceMs = 1_000;
const maxAbsenceMs = 60_000;
/** Series without data for longer than this, or than so many times the absence, are ignored. */
const lookbackMs = 86_400_000;
const lookbackFactor = 10;
/** Limit of elements of one rule. */
const maxElements = 10_000;

/** An element for which a rule holds now. */
interface ElementFinding {
  readonly slot: string;
  readonly facts: EventFacts;
  readonly first: number;
  readonly value: number | null;
}

/** Result of one run of a rule. `over` are open events whose condition no longer holds, with the time of its end. */
interface RunResult {
  readonly findings: readonly ElementFinding[];
  readonly over: readonly (readonly [event: StoredEvent, time: number])[];
}

/** Throws an Error that names the rule when its query cannot be read. */
export function checkQuery({ name, language, query }: QueryRule): void {
  try {
    if (language === 'sql') parseStatement(query);
    else parseQuery(query);
  } catch (error) {
    if (!(error instanceof FaultError || error instanceof QueryError)) throw error;
    const reason = error instanceof FaultError ? error.fault.message : error.message;
    throw new Error(`The ${language} of the events rule ${JSON.stringify(name)} cannot be read: ${reason}.`, {
      cause: error,
    });
  }
}

/**
 * Rules that query the database on a schedule: queries, and absences of data. Runs of a rule are numbered by the clock,
 * so that findings of several processes in one run count once. Open events are read from the database each time.
 */
export class ScheduledWatch implements Component {
  readonly name = 'scheduled-rules';
  readonly #context: ScheduledWatchContext;
  #runs: readonly RepeatedWork[] = [];
  /** When elements of rules with `for` came into the results, in Unix ms, by rule and slot. */
  readonly #since: Map<string, ReadonlyMap<string, number>>;
  /** Rules whose last run failed, which is logged once. */
  readonly #failing = new Set<string>();

  /** The rules of `unchanged` continue the times of `for` of the watch `before`. */
  constructor(context: ScheduledWatchContext, before?: ScheduledWatch, unchanged: ReadonlySet<string> = new Set()) {
    this.#context = context;
    const since = before === undefined ? [] : [...before.#since];
    this.#since = new Map(since.filter(([rule]) => unchanged.has(rule)));
  }

  /** Rejects when a query of a rule cannot be read: no run of it would ever succeed. */
  async start(): Promise<void> {
    for (const rule of this.#context.rules) if (rule.kind === 'query') checkQuery(rule);
    // Each run begins at the start of an interval by the clock.
    this.#runs = this.#context.rules.map((rule) => {
      const intervalMs = intervalOf(rule);
      const untilNext = (): number => intervalMs - (Date.now() % intervalMs);
      return new RepeatedWork(rule.name, untilNext(), async (stopped) => {
        await this.#run(rule, intervalMs, stopped);
        return untilNext();
      });
    });
    for (const run of this.#runs) await run.start();
  }

  async drain(): Promise<void> {
    await Promise.all(this.#runs.map((run) => run.drain()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#runs.map((run) => run.stop()));
  }

  async #run(rule: AbsenceRule | QueryRule, intervalMs: number, stopped: AbortSignal): Promise<void> {
    const { store, log, repeatIntervalMs } = this.#context;
    const now = Date.now();
    const run = Math.floor(now / intervalMs);
    try {
      const open = (await store.open([rule.name], maxElements)).filter(({ source }) => source === 'rule');
      const { findings, over } = await (rule.kind === 'query'
        ? this.#runQuery(rule, open, now, stopped)
        : this.#findAbsences(rule, open, now));
      const isRepeat = run % Math.max(1, Math.ceil(repeatIntervalMs / intervalMs)) === 0;
      const known = new Set(open.map(({ slot }) => slot));
      for (const one of findings) if (isRepeat || !known.has(one.slot)) this.#recordFinding(one, now, run);
      if (rule.resolves) for (const [event, time] of over) this.#recordEnd(event, time, now, run);
      this.#failing.delete(rule.name);
    } catch (error) {
      if (stopped.aborted || this.#failing.has(rule.name)) return;
      this.#failing.add(rule.name);
      log.warn({ rule: rule.name, error: String(error) }, 'A rule could not be run; its next run retries.');
    }
  }

  #recordFinding({ slot, facts, first, value }: ElementFinding, at: number, run: number): void {
    const keys = { key: randomUUID(), id: newEventId(first) };
    const operation = { op: 'seen', ...keys, slot, at, facts, count: 1, first, last: at, value, run } as const;
    this.#context.queue.add(async () => [operation]);
  }

  #recordEnd({ slot }: StoredEvent, time: number, at: number, run: number): void {
    const operation = { op: 'clear', key: randomUUID(), slot, at, time, run } as const;
    this.#context.queue.add(async () => [operation]);
  }

  async #runQuery(
    rule: QueryRule,
    open: readonly StoredEvent[],
    now: number,
    stopped: AbortSignal,
  ): Promise<RunResult> {
    const rows = await this.#context.query(rule.database, rule, maxElements, stopped);
    const before = this.#since.get(rule.name);
    const holding = new Map<string, number>();
    const findings = findingsOf(rows, rule.name).map(({ element, value, tags }) => {
      const slot = slotOf('query', rule.name, rule.database, element);
      const first = before?.get(slot) ?? now;
      holding.set(slot, first);
      return { slot, facts: factsOf(rule, { element, tags, value, series: '' }), first, value };
    });
    if (rule.forMs > 0) this.#since.set(rule.name, holding);
    const known = new Set(open.map(({ slot }) => slot));
    const lasting = findings.filter(({ slot, first }) => known.has(slot) || now - first >= rule.forMs);
    return {
      findings: lasting,
      over: open.filter(({ slot }) => !holding.has(slot)).map((event) => [event, now] as const),
    };
  }

  async #findAbsences(rule: AbsenceRule, open: readonly StoredEvent[], now: number): Promise<RunResult> {
    const { names } = this.#context;
    const { database, table, absenceMs } = rule;
    const silent = await staleSeries(this.#context, rule, absenceSince(rule, now), now - absenceMs);
    const elements = await Promise.all(
      silent.map(async ({ series, lastMs }) => {
        const name = await names.find(database, table, series);
        const tags = name && new Map([...name.tags, ['tbname', name.name]]);
        if (name === undefined || tags === undefined || !passes(rule.tags, tags)) return undefined;
        const facts = factsOf(rule, { element: name.name, tags: name.tags, value: null, series: String(series) });
        const slot = slotOf('absence', rule.name, database, table, String(series));
        return { slot, facts, first: Math.max(0, lastMs), value: null };
      }),
    );
    const ids = open.flatMap(({ series }) => (series === '' ? [] : [BigInt(series)]));
    const reporting = await reportingSeries(this.#context, rule, ids, now - absenceMs);
    const times = new Map(reporting.map(({ series, lastMs }) => [String(series), lastMs]));
    return {
      findings: elements.filter((one) => one !== undefined),
      over: open.flatMap((event) => {
        const time = times.get(event.series);
        return time === undefined ? [] : [[event, time] as const];
      }),
    };
  }
}

/** Start of the lookback, in Unix ms: series without data since then are ignored. */
export function absenceSince({ absenceMs }: AbsenceRule, nowMs: number): number {
  return nowMs - Math.max(lookbackMs, absenceMs * lookbackFactor);
}

function intervalOf(rule: AbsenceRule | QueryRule): number {
  if (rule.kind === 'query') return rule.intervalMs;
  return Math.max(minAbsenceMs, Math.min(maxAbsenceMs, rule.absenceMs / absenceShare));
}
