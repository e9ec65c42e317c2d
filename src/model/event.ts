/** The moves of an event, in their order. */
export const eventStatuses = ['active', 'acknowledged', 'resolved'] as const;
/** How far an event has come. */
export type EventStatus = (typeof eventStatuses)[number];

/** From what must be seen at once to what may be. */
export const eventSeverities = ['critical', 'warning', 'info'] as const;
/** How soon an event should be seen. */
export type EventSeverity = (typeof eventSeverities)[number];

/** Who found out: a rule over data, or the service about itself. */
export const eventSources = ['rule', 'system'] as const;
/** Who found an event. */
type EventSource = (typeof eventSources)[number];

/** Value of `resolvedBy` for an event that ended because its condition cleared. No user can have this name. */
export const resolvedByCondition = '(condition cleared)';

/**
 * Something that needs, or needed, the attention of a person, as clients see it. Times are Unix
 * milliseconds; what does not apply is null.
 */
export interface Event {
  /** Made when the event fires, and never used again. */
  readonly id: string;
  readonly status: EventStatus;
  readonly severity: EventSeverity;
  /** Element that the event is about. */
  readonly elementId: string;
  readonly title: string;
  readonly description: string;
  readonly source: EventSource;
  /** Name of the rule, of the service's own ones too. */
  readonly rule: string;
  /** The last value that broke the rule, and what it was held against. */
  readonly value: number | null;
  readonly threshold: number | null;
  /** How often it was seen while it was open. */
  readonly count: number;
  readonly startTime: number;
  readonly lastSeenTime: number;
  /** Null while it is open. */
  readonly endTime: number | null;
  readonly acknowledgedBy: string | null;
  readonly acknowledgedAt: number | null;
  readonly resolvedBy: string | null;
  readonly resolvedAt: number | null;
  /** Comment of its last move; null when there was none. */
  readonly comment: string | null;
  /** Where it came from: database, table, tags. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Which events a list holds: all conditions together; what is left out matches everything. */
export interface EventFilter {
  /** Unix ms: events that had not ended by then. */
  readonly from?: number | undefined;
  /** Unix ms: events that had begun by then. */
  readonly to?: number | undefined;
  readonly status?: EventStatus | undefined;
  readonly severity?: EventSeverity | undefined;
  readonly elementId?: string | undefined;
  /** {@link EventPage.asOf} of an earlier page: events that came later are left out, so that pages do not shift. */
  readonly asOf?: number | undefined;
}

/** Which part of a list is wanted; pages are counted from 1. */
export interface EventListing {
  readonly filter: EventFilter;
  readonly pageNum: number;
  readonly pageSize: number;
}

/** Events, newest first: by start time, then by id, downwards. */
export interface EventPage {
  /** Events that match, on all pages. */
  readonly total: number;
  readonly pageNum: number;
  readonly pageSize: number;
  /** Rises with every event that comes; see {@link EventFilter.asOf}. */
  readonly asOf: number;
  readonly records: readonly Event[];
}

/** Action of a person on an event. */
export type EventMove = 'acknowledge' | 'resolve';

/** The event after a move; `changed` is false when it had been done before. */
export interface MovedEvent extends Event {
  readonly changed: boolean;
}
