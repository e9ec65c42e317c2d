import type { Event, EventPage, MovedEvent } from '../../../src/model/event.js';
import type { Reply, TestService } from '../service/service.js';
import { until } from '../until.js';

/** The answer to a question about events, whatever its status. */
export async function askEvents(
  service: TestService,
  path = '',
  more: { method?: string; body?: string; auth?: string | false } = {},
): Promise<Reply> {
  return service.request({ method: 'GET', path: `/api/v1/events${path}`, ...more });
}

/** A page of events that is answered with 200. */
export async function pageOf(
  service: TestService,
  query: Readonly<Record<string, string | number>> = {},
  auth?: string,
): Promise<EventPage> {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const reply = await askEvents(service, `?${new URLSearchParams(texts)}`, auth === undefined ? {} : { auth });
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
  const page: EventPage = JSON.parse(reply.text);
  return page;
}

/** One event that is answered with 200. */
export async function eventOf(service: TestService, id: string): Promise<Event> {
  const reply = await askEvents(service, `/${id}`);
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
  const event: Event = JSON.parse(reply.text);
  return event;
}

/** Moves an event, as a client that is answered with 200. */
export async function moveEvent(
  service: TestService,
  id: string,
  move: 'acknowledge' | 'resolve',
  body = '',
): Promise<MovedEvent> {
  const reply = await askEvents(service, `/${id}/${move}`, { method: 'PUT', body });
  if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
  const event: MovedEvent = JSON.parse(reply.text);
  return event;
}

/** The events of a page as soon as `enough` says so. A service whose engine is away is asked again. */
export async function eventsSoon(
  service: TestService,
  enough: (events: readonly Event[]) => boolean,
  query: Readonly<Record<string, string | number>> = {},
): Promise<readonly Event[]> {
  let events: readonly Event[] | undefined;
  let last = 'nothing';
  await until(async () => {
    try {
      const { records } = await pageOf(service, { pageSize: 1000, ...query });
      last = JSON.stringify(records);
      if (enough(records)) events = records;
    } catch (error) {
      last = String(error);
    }
    return events !== undefined;
  });
  if (events !== undefined) return events;
  throw new Error(`The events did not come to that; the last answer was ${last}.`);
}

/** The rules as a setting. */
export function rulesSetting(...rules: readonly object[]): string {
  return `--events.rules=${JSON.stringify(rules)}`;
}
