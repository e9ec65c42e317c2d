import type { EventSeverity } from '../model/event.js';

/** Comparisons of a value with the threshold. */
export const comparisons = ['>', '>=', '<', '<=', '=', '!='] as const;
/** A comparison of a value with the threshold. */
export type Comparison = (typeof comparisons)[number];

/** Tags, and the values each may have; every tag that is named must match. `tbname` is the name of the series. */
export type TagFilter = ReadonlyMap<string, readonly string[]>;

/** Common part of all rules. Element, title and description are templates, see {@link renderTemplate}. */
interface RuleHead {
  /** Unique among the rules. */
  readonly name: string;
  readonly database: string;
  readonly severity: EventSeverity;
  readonly element: string;
  readonly title: string;
  readonly description: string;
  /** The event is resolved when the condition clears; otherwise by a person alone. */
  readonly resolves: boolean;
}

/** A condition on rows as they arrive. */
export interface ValueRule extends RuleHead {
  readonly kind: 'value';
  readonly table: string;
  readonly tags: TagFilter;
  readonly column: string;
  readonly comparison: Comparison;
  readonly threshold: number;
  /** How long every row of a series must break the rule, by the rows' own times; 0 is one row. */
  readonly forMs: number;
  /** The value from which on the condition is over; undefined is the threshold. */
  readonly clear: number | undefined;
}

/** A condition on rows that do not arrive: a series whose newest row is older than that. */
export interface AbsenceRule extends RuleHead {
  readonly kind: 'absence';
  readonly table: string;
  readonly tags: TagFilter;
  readonly absenceMs: number;
}

/** Languages of queries of rules; each is a key of the rule. */
type QueryLanguage = 'sql' | 'promql';

/** A query on a schedule: every row of its result is an element for which the condition holds. */
export interface QueryRule extends RuleHead {
  readonly kind: 'query';
  readonly language: QueryLanguage;
  readonly query: string;
  readonly intervalMs: number;
  /** How long an element must be in the results before it counts; 0 is one result. */
  readonly forMs: number;
}

/** A rule as the settings give it. */
export type Rule = ValueRule | AbsenceRule | QueryRule;

/** True when a value breaks a rule. NaN breaks none. */
export function holds(comparison: Comparison, value: number, threshold: number): boolean {
  switch (comparison) {
    case '>':
      return value > threshold;
    case '>=':
      return value >= threshold;
    case '<':
      return value < threshold;
    case '<=':
      return value <= threshold;
    case '=':
      return value === threshold;
    case '!=':
      return value < threshold || value > threshold;
  }
}

/** True when values above the threshold break a rule, so that lower ones clear it. */
export function isAbove({ comparison }: Pick<ValueRule, 'comparison'>): boolean {
  return comparison === '>' || comparison === '>=';
}

/**
 * True when a value that does not break the rule lies where its condition is over. Between the two thresholds nothing
 * changes.
 */
export function clears(rule: Pick<ValueRule, 'comparison' | 'clear'>, value: number): boolean {
  const { clear } = rule;
  if (clear === undefined) return true;
  return isAbove(rule) ? value <= clear : value >= clear;
}

/** True when the tags of a series pass a filter. */
export function passes(filter: TagFilter, tags: ReadonlyMap<string, string>): boolean {
  for (const [name, values] of filter) {
    const value = tags.get(name);
    if (value === undefined || !values.includes(value)) return false;
  }
  return true;
}
