import type { EventChange } from '../model/notification.js';

/** One line for one event, for a subject or a chat. */
export function lineOf({ change, event }: EventChange): string {
  const words = change === 'opened' ? event.severity.toUpperCase() : 'RESOLVED';
  return `${words}: ${event.title}`.replace(/[\r\n]+/g, ' ');
}

/** Head of several events. */
export function headOf(changes: readonly EventChange[]): string {
  const [only] = changes;
  return only !== undefined && changes.length === 1 ? lineOf(only) : `${changes.length} events`;
}

/** An event in some lines, for a mail. */
export function textOf(change: EventChange): string {
  const { event } = change;
  const lines = [
    lineOf(change),
    event.description,
    `Element: ${event.elementId}`,
    `Rule: ${event.rule}`,
    event.value === null
      ? ''
      : `Value: ${event.value}${event.threshold === null ? '' : `, threshold ${event.threshold}`}`,
    `Began: ${new Date(event.startTime).toISOString()}`,
    event.endTime === null ? '' : `Over: ${new Date(event.endTime).toISOString()}`,
    event.comment === null ? '' : `Comment: ${event.comment}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}
