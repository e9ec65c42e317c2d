import type { Event, EventMove } from './event.js';

/** Facts of an event when it fires. */
export interface EventFacts
  extends Pick<
    Event,
    'severity' | 'elementId' | 'title' | 'description' | 'source' | 'rule' | 'threshold' | 'attributes'
  > {
  /** Whose readers may see it; empty for what concerns the service itself. */
  readonly database: string;
  readonly table: string;
  /** Id of the series that broke the rule, in decimal digits; empty where there is none. */
  readonly series: string;
}

/**
 * An operation on events. Operations are appended to one log in the engine. A **slot** is what may have one open event
 * at a time: a rule and an element, as a 64-bit hash in decimal digits. Times are Unix milliseconds.
 */
export type EventOperation =
  | {
      /** The condition was found to hold: opens an event, or counts in the one that is open. */
      readonly op: 'seen';
      /** Random name of the operation: what is tried again is stored once. */
      readonly key: string;
      readonly slot: string;
      /** When it was found, by the clock of the finder. */
      readonly at: number;
      /** Id of the event if this opens one. */
      readonly id: string;
      readonly facts: EventFacts;
      readonly count: number;
      readonly first: number;
      readonly last: number;
      readonly value: number | null;
      /** Of scheduled rules the number of the run: what several processes find in one run counts once. */
      readonly run?: number | undefined;
    }
  | {
      /** The condition was found not to hold any more: resolves the open event. */
      readonly op: 'clear';
      readonly key: string;
      readonly slot: string;
      readonly at: number;
      readonly time: number;
      readonly run?: number | undefined;
    }
  | {
      /** A person moves an event. */
      readonly op: EventMove;
      readonly key: string;
      readonly slot: string;
      readonly at: number;
      readonly id: string;
      readonly by: string;
      readonly comment: string | undefined;
    };

/** One operation in the log. */
export interface EventLogEntry {
  /** Number of the append that it came with: rises with each, the same for every reader. */
  readonly position: number;
  readonly operation: EventOperation;
}

/** An event as it is kept. */
export interface StoredEvent extends Event {
  readonly slot: string;
  readonly database: string;
  readonly table: string;
  readonly series: string;
  /** The last run of a scheduled rule that is in it; -1 where there is none. */
  readonly run: number;
  /** Log position of the operation that opened it. */
  readonly opened: number;
  /** Log position up to which its slot is folded into it. */
  readonly version: number;
}

/** Whose events a question may see. */
export interface EventSight {
  /** All, those of the service itself too. */
  readonly all: boolean;
  /** All that have a database. */
  readonly everyDatabase: boolean;
  readonly databases: readonly string[];
  readonly tables: readonly (readonly [database: string, table: string])[];
}
