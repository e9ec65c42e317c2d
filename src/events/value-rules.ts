import type { ColumnBlock } from '../model/column-block.js';
import { type ColumnValues, columnValues, timeMs } from './column-values.js';
import { clears, holds, type ValueRule } from './rule.js';
import { SeriesStates, stateExcluded, stateFiring, statePending } from './series-states.js';

/** Findings of a rule about one series. Times are Unix ms. */
export interface Finding {
  readonly kind: 'fired' | 'repeated' | 'cleared';
  readonly rule: ValueRule;
  readonly series: bigint;
  readonly first: number;
  readonly last: number;
  /** Of what has cleared, the time of the row that says so. */
  readonly end: number;
  /** Of the last row that breaks the rule. */
  readonly value: number;
  /** Rows that break the rule, since the last finding. */
  readonly count: number;
}

/** Bounds of what the rules hold in memory, and of what they look at. */
interface ValueRuleLimits {
  /** Series that one rule remembers; of further ones nothing is found. */
  readonly maxSeries: number;
  /** Rows that are this much older or younger than now are history, not news. */
  readonly maxAgeMs: number;
}

/** A rule with its memory. */
class Watched {
  readonly rule: ValueRule;
  readonly states: SeriesStates;
  constructor(rule: ValueRule, maxSeries: number) {
    this.rule = rule;
    this.states = new SeriesStates(maxSeries);
  }
}

/** The rules of one column, which is read once for all of them. */
interface WatchedColumn {
  readonly name: string;
  readonly rules: readonly Watched[];
}

/** The rows of a block as the rules see them. */
interface Rows {
  readonly count: number;
  readonly idWords: Uint32Array;
  readonly timeWords: Uint32Array;
  readonly ticksPerMs: number;
  readonly oldest: number;
  readonly newest: number;
}

/**
 * Evaluates rules on column blocks as they pass. A block whose values stay within all thresholds costs one look at each
 * value for all rules of its column together; only rows that break a rule, or did before, cost more. No query runs:
 * which series a finding is about, and whether the rule is about it, is the caller's to find out (see {@link
 * ValueRules.exclude}).
 */
export class ValueRules {
  /** Findings that were left out because a rule remembers as many series as it may. */
  overflowed = 0;
  readonly #limits: ValueRuleLimits;
  readonly #tables = new Map<string, readonly WatchedColumn[]>();
  readonly #byName = new Map<string, Watched>();
  #findings: Finding[] = [];
  #turn = 0;
  #scratch = new Float64Array(1024);

  constructor(rules: readonly ValueRule[], limits: ValueRuleLimits) {
    this.#limits = limits;
    for (const rule of rules) this.#byName.set(rule.name, new Watched(rule, limits.maxSeries));
    const all = [...this.#byName.values()];
    for (const place of new Set(rules.map(placeOf))) {
      const here = all.filter(({ rule }) => placeOf(rule) === place);
      const names = [...new Set(here.map(({ rule }) => rule.column))];
      const columns = names.map((name) => ({ name, rules: here.filter(({ rule }) => rule.column === name) }));
      this.#tables.set(place, columns);
    }
  }

  /** Evaluates the rows of a block. `ticksPerMs` is the database's. */
  evaluate(block: ColumnBlock, ticksPerMs: number, nowMs: number): void {
    const columns = this.#tables.get(placeOf(block));
    if (columns === undefined) return;
    if (this.#scratch.length < block.rows) this.#scratch = new Float64Array(block.rows * 2);
    const { ids, times } = block;
    const { maxAgeMs } = this.#limits;
    const rows: Rows = {
      count: block.rows,
      idWords: new Uint32Array(ids.buffer, ids.byteOffset, block.rows * 2),
      timeWords: new Uint32Array(times.buffer, times.byteOffset, block.rows * 2),
      ticksPerMs,
      oldest: nowMs - maxAgeMs,
      newest: nowMs + maxAgeMs,
    };
    for (const { name, rules } of columns) {
      const column = block.columns.find((candidate) => candidate.name === name);
      const read = column === undefined ? undefined : columnValues(column, block.rows, this.#scratch);
      if (read === undefined) continue;
      for (const watched of rules) {
        if (watched.states.size > 0 || mayHold(watched.rule, read)) this.#evaluate(watched, read.values, rows);
      }
    }
  }

  /** Findings since the last call, in the order in which they were found. */
  take(): readonly Finding[] {
    const findings = this.#findings;
    this.#findings = [];
    return findings;
  }

  /**
   * Findings of the series that still break their rules, at most `limit` of them; the rest is for the next calls, which
   * begin with another rule and another series.
   */
  takeRepeats(limit: number): readonly Finding[] {
    const findings: Finding[] = [];
    const all = [...this.#byName.values()];
    this.#turn++;
    for (let i = 0; i < all.length && findings.length < limit; i++) {
      const { rule, states } = all[(i + this.#turn) % all.length]!;
      const places = states.states.length;
      for (let k = 0; k < places && findings.length < limit; k++) {
        const at = (k + this.#turn * limit) % places;
        if (states.states[at] !== stateFiring || states.count[at] === 0) continue;
        findings.push(findingAt('repeated', rule, states, at));
        states.count[at] = 0;
      }
    }
    return findings;
  }

  /** The rule is not about the series. Forgotten with {@link forgetExcluded}, because tags may change. */
  exclude(rule: string, series: bigint): void {
    const place = this.#find(rule, series);
    if (place !== undefined && place.at >= 0) place.states.states[place.at] = stateExcluded;
  }

  forgetExcluded(): void {
    for (const { states } of this.#byName.values()) states.removeAll(stateExcluded);
  }

  /** There is an open event of the rule about the series, in whatever process it was found. */
  opened(rule: string, series: bigint, lastMs: number): void {
    const place = this.#find(rule, series);
    if (place === undefined) return;
    const { states, low, high } = place;
    if (place.at >= 0 && states.states[place.at] !== statePending) return;
    const at = place.at >= 0 ? place.at : states.add(low, high, stateFiring);
    if (at < 0) return;
    states.states[at] = stateFiring;
    states.since[at] = lastMs;
    states.last[at] = lastMs;
    states.count[at] = 0;
  }

  /** The event of the rule about the series is resolved: the next row that breaks the rule is another one. */
  resolved(rule: string, series: bigint, atMs: number): void {
    const place = this.#find(rule, series);
    if (place === undefined || place.at < 0) return;
    const { states, at } = place;
    if (states.states[at] === stateFiring && states.last[at]! <= atMs) states.remove(at);
  }

  #find(rule: string, series: bigint) {
    const watched = this.#byName.get(rule);
    if (watched === undefined) return undefined;
    const low = Number(series & 0xffff_ffffn);
    const high = Number(series >> 32n);
    return { states: watched.states, at: watched.states.find(low, high), low, high };
  }

  #evaluate({ rule, states }: Watched, values: Float64Array, rows: Rows): void {
    const { comparison, threshold } = rule;
    const { count, idWords } = rows;
    for (let row = 0; row < count; row++) {
      const value = values[row]!;
      if (holds(comparison, value, threshold)) this.#broken(rule, states, value, row, rows);
      else if (states.size > 0) {
        const at = states.find(idWords[2 * row]!, idWords[2 * row + 1]!);
        if (at >= 0) this.#kept(rule, states, at, value, row, rows);
      }
    }
  }

  /** A row breaks the rule. */
  #broken(rule: ValueRule, states: SeriesStates, value: number, row: number, rows: Rows): void {
    const low = rows.idWords[2 * row]!;
    const high = rows.idWords[2 * row + 1]!;
    let at = states.find(low, high);
    if (at >= 0 && states.states[at] === stateExcluded) return;
    const time = timeMs(rows.timeWords, row, rows.ticksPerMs);
    if (time < rows.oldest || time > rows.newest) return;
    if (at < 0) {
      at = states.add(low, high, statePending);
      if (at < 0) {
        this.overflowed++;
        return;
      }
      states.since[at] = time;
      states.last[at] = time;
    }
    states.count[at]!++;
    if (time >= states.last[at]!) {
      states.last[at] = time;
      states.value[at] = value;
    }
    if (states.states[at] !== statePending || states.last[at]! - states.since[at]! < rule.forMs) return;
    states.states[at] = stateFiring;
    this.#findings.push(findingAt('fired', rule, states, at));
    states.count[at] = 0;
  }

  /** A row of a series that broke the rule before does not. */
  #kept(rule: ValueRule, states: SeriesStates, at: number, value: number, row: number, rows: Rows): void {
    // NULL says nothing.
    if (Number.isNaN(value) || states.states[at] === stateExcluded) return;
    const time = timeMs(rows.timeWords, row, rows.ticksPerMs);
    if (time < states.last[at]! || time > rows.newest) return;
    if (states.states[at] === statePending) states.remove(at);
    else if (clears(rule, value)) {
      this.#findings.push({ ...findingAt('cleared', rule, states, at), end: time });
      states.remove(at);
    }
  }
}

function findingAt(kind: Finding['kind'], rule: ValueRule, states: SeriesStates, at: number): Finding {
  return {
    kind,
    rule,
    series: (BigInt(states.ids[2 * at + 1]!) << 32n) | BigInt(states.ids[2 * at]!),
    first: states.since[at]!,
    last: states.last[at]!,
    end: states.last[at]!,
    value: states.value[at]!,
    count: states.count[at]!,
  };
}

/** Names may hold any character, so the length of the first one says where the second begins. */
function placeOf({ database, table }: { readonly database: string; readonly table: string }): string {
  return `${database.length}:${database}${table}`;
}

/** False when no value of the column breaks the rule. */
function mayHold({ comparison, threshold }: ValueRule, { min, max }: ColumnValues): boolean {
  switch (comparison) {
    case '>':
    case '>=':
      return holds(comparison, max, threshold);
    case '<':
    case '<=':
      return holds(comparison, min, threshold);
    case '=':
      return min <= threshold && max >= threshold;
    case '!=':
      return min < threshold || max > threshold;
  }
}
