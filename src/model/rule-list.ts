import type { EventSeverity } from './event.js';

/** A rule as administrators see it. */
export interface ShownRule {
  readonly name: string;
  readonly kind: 'value' | 'absence' | 'query';
  readonly database: string;
  /** Empty for rules with a query. */
  readonly table: string;
  readonly severity: EventSeverity;
  /** The condition in words. */
  readonly condition: string;
  /** As it may stand in the settings file, with what was left out there. */
  readonly toml: string;
}

/** The rules that are watched. */
export interface RuleList {
  /** When they were read from the settings, in Unix ms. */
  readonly loadedTime: number;
  readonly records: readonly ShownRule[];
}

/** Changes that reading the settings anew has made, by the names of rules. */
export interface RuleChanges {
  readonly rules: number;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** An event that a rule would make. */
export interface TriedEvent {
  readonly elementId: string;
  readonly title: string;
  readonly severity: EventSeverity;
  readonly value: number | null;
  /** Rows that break the rule, of those that were checked; null where rows are not counted. */
  readonly rows: number | null;
}

/** Findings that a rule would have now. */
export interface RuleTrial {
  readonly name: string;
  /** The checked data, in words. */
  readonly looked: string;
  /** Events that it would make, of which `records` has the first. */
  readonly total: number;
  readonly records: readonly TriedEvent[];
}
