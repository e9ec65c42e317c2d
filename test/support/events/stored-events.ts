import { newEventId } from '../../../src/events/event-id.js';
import { eventSeverities, eventStatuses } from '../../../src/model/event.js';
import type { StoredEvent } from '../../../src/model/event-log.js';

/** The start of the first of the events below. */
export const firstStart = Date.UTC(2026, 0, 1);

/** Events that differ in everything that a list can filter by: the `n`th begins `n` minutes after the first. */
export function manyEvents(count: number): readonly StoredEvent[] {
  return Array.from({ length: count }, (_, n) => storedEvent(n));
}

export function storedEvent(n: number, more: Partial<StoredEvent> = {}): StoredEvent {
  const start = firstStart + n * 60_000;
  const status = eventStatuses[n % 3] ?? 'active';
  const isResolved = status === 'resolved';
  return {
    id: newEventId(start),
    status,
    severity: eventSeverities[Math.floor(n / 3) % 3] ?? 'info',
    elementId: `oven-${n % 4}`,
    title: `event ${n}`,
    description: "it's 'hot'\n\\",
    source: n % 5 === 0 ? 'system' : 'rule',
    rule: `rule-${n % 2}`,
    value: n / 2,
    threshold: 1,
    count: n + 1,
    startTime: start,
    lastSeenTime: start,
    endTime: isResolved ? start + 600_000 : null,
    acknowledgedBy: status === 'active' ? null : 'root',
    acknowledgedAt: status === 'active' ? null : start,
    resolvedBy: isResolved ? 'root' : null,
    resolvedAt: isResolved ? start + 600_000 : null,
    comment: null,
    attributes: { n: String(n) },
    slot: String(18_446_744_073_709_551_615n - BigInt(n)),
    database: n % 5 === 0 ? '' : `d${n % 2}`,
    table: n % 5 === 0 ? '' : `t${n % 3}`,
    series: String(n),
    run: -1,
    opened: n + 1,
    version: n + 1,
    ...more,
  };
}
