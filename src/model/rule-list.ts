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
  /** As it may stand in the settings file: a stored rule as it was sent, another one with what was left out there. */
  readonly toml: string;
  /** Null for a rule of the settings file, which only the file changes. */
  readonly stored: StoredRuleState | null;
  /** Null if its events send notifications. */
  readonly silence: RuleSilence | null;
}

/** A rule that was made on the page or over HTTP, and is stored in the database. */
interface StoredRuleState {
  readonly id: string;
  /** 1 at first, and one more with each change. */
  readonly version: number;
  /** Unix ms. */
  readonly updatedTime: number;
  readonly updatedBy: string;
  /** Why it is not watched; null if it is. */
  readonly problem: string | null;
}

/** No notifications of a rule for a time. */
export interface RuleSilence {
  readonly rule: string;
  /** Unix ms. */
  readonly untilTime: number;
  readonly reason: string;
  readonly user: string;
}

/** The rules that are watched. */
export interface RuleList {
  /** When they were read from the settings or changed, in Unix ms. */
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

/** Events of a rule, of which `records` has the first. */
export interface TriedEvents {
  readonly total: number;
  readonly records: readonly TriedEvent[];
}

/** The events that a rule would make of the present state of the data. */
export interface RuleTrial extends TriedEvents {
  readonly name: string;
  /** The checked data, in words. */
  readonly looked: string;
  /** Events that would be over: their condition held within the checked data, and a later row has cleared it. */
  readonly earlier: TriedEvents;
}
