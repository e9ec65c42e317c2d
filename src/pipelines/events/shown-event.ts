import type { Event } from '../../model/event.js';
import type { StoredEvent } from '../../model/event-log.js';

/** The event as clients see it. */
export function shownEvent(event: StoredEvent): Event {
  const { slot, database, table, series, run, opened, version, ...rest } = event;
  return rest;
}
