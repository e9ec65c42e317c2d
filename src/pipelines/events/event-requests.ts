import { randomUUID } from 'node:crypto';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { Access, insufficientPrivilege } from '../../database/catalogue/rights.js';
import type { EventsStore } from '../../database/store/events-store.js';
import { applyOperation } from '../../events/event.js';
import type { EventListing, EventMove, MovedEvent } from '../../model/event.js';
import type { EventSight, StoredEvent } from '../../model/event-log.js';
import type { EventAnswer, EventRequest } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { everyDatabase } from '../../model/rights.js';
import { RequestReply, type RequestReplyContext } from '../../statements/request-reply.js';
import type { EventLogWriter } from './event-log-writer.js';
import { shownEvent } from './shown-event.js';

/** Context of requests about events. */
interface EventRequestsContext extends RequestReplyContext {
  readonly catalogue: Catalogue;
  readonly store: Pick<EventsStore, 'find' | 'list'>;
  readonly eventLog: Pick<EventLogWriter, 'record'>;
}

/**
 * Requests about events. Users with the right to read the table of an event see it, users with the right to write may
 * move it. Only administrators see events about the service itself.
 */
export class EventRequests extends RequestReply<EventRequest, EventAnswer> {
  constructor(context: EventRequestsContext) {
    super('event-requests', context, ({ request: { question } }, user) => {
      const access = new Access(context.catalogue, user);
      switch (question.kind) {
        case 'list':
          return list(question.listing, access, context);
        case 'get':
          return get(question.id, access, context);
        case 'move':
          return move(question, access, context);
      }
    });
  }
}

async function list(listing: EventListing, access: Access, context: EventRequestsContext): Promise<EventAnswer> {
  const { pageNum, pageSize } = listing;
  const { total, asOf, events } = await context.store.list(listing, visibilityOf(access, context.catalogue));
  return { kind: 'list', page: { total, pageNum, pageSize, asOf, records: events.map(shownEvent) } };
}

async function get(id: string, access: Access, context: EventRequestsContext): Promise<EventAnswer> {
  return { kind: 'get', event: shownEvent(await visible(id, access, context)) };
}

interface Move {
  readonly id: string;
  readonly move: EventMove;
  readonly comment: string | undefined;
}

async function move({ id, move, comment }: Move, access: Access, context: EventRequestsContext): Promise<EventAnswer> {
  const before = await visible(id, access, context);
  const { slot, database, table } = before;
  if (!access.isAdministrator && !access.may('WRITE', database, table)) throw insufficientPrivilege();
  const key = randomUUID();
  const operation = { op: move, key, slot, at: Date.now(), id, by: access.user, comment };
  // States only progress, so a move without effect needs no entry in the log.
  const preview = applyOperation(before, { position: before.version, operation });
  const step = preview.outcome === 'moved' ? (await context.eventLog.record([operation])).get(key) : preview;
  if (step?.outcome === 'late') {
    throw new FaultError(fault('database', Codes.eventResolved, `Event ${id} is resolved and cannot be acknowledged`));
  }
  // If the slot already has its next event, the requested one is as it was left.
  const event = step?.event?.id === id ? step.event : await visible(id, access, context);
  return { kind: 'move', event: { ...shownEvent(event), changed: step?.outcome === 'moved' } satisfies MovedEvent };
}

/** The event. Throws the fault of a missing event also to users who may not see it. */
async function visible(id: string, access: Access, { store }: EventRequestsContext): Promise<StoredEvent> {
  const event = await store.find(id);
  const isSeen =
    event !== undefined &&
    (access.isAdministrator || (event.database !== '' && access.may('READ', event.database, event.table)));
  if (isSeen) return event;
  throw new FaultError(
    fault('database', Codes.eventNotExist, `Event ${JSON.stringify(id.slice(0, 64))} does not exist`),
  );
}

/** Events that a list may show: the same as {@link visible}, as a condition. */
function visibilityOf(access: Access, catalogue: Catalogue): EventSight {
  const all = access.isAdministrator;
  const { principals } = catalogue;
  const grants = principals.grants(access.user).filter(({ rights }) => rights.includes('READ'));
  return {
    all,
    everyDatabase: principals.holds(access.user, 'READ', everyDatabase),
    databases: all ? [] : catalogue.databases().flatMap(({ name }) => (access.may('READ', name) ? [name] : [])),
    tables: grants.flatMap(({ scope, table }) => (table === undefined ? [] : [[scope, table] as const])),
  };
}
