import { randomUUID } from 'node:crypto';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { everyDatabase } from '../../database/catalogue/principals.js';
import { Access, insufficientPrivilege } from '../../database/catalogue/rights.js';
import type { EventsStore } from '../../database/rows/events-store.js';
import { applyOperation } from '../../events/event.js';
import type { EventListing, EventMove, MovedEvent } from '../../model/event.js';
import type { EventSight, StoredEvent } from '../../model/event-log.js';
import type { EventAnswer, EventRequest } from '../../model/exchange.js';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { RequestReply, type RequestReplyContext } from '../request-reply.js';
import type { EventLedger } from './ledger.js';
import { shownEvent } from './shown-event.js';

/** Context in which questions about events are answered. */
interface EventQuestionsContext extends RequestReplyContext {
  readonly catalogue: Catalogue;
  readonly store: Pick<EventsStore, 'find' | 'list'>;
  readonly ledger: Pick<EventLedger, 'record'>;
}

/**
 * Request-reply over events. Who may read the table that an event is about sees it, who may write to it moves it; what is
 * about the service itself is the administrator's.
 */
export class EventQuestions extends RequestReply<EventRequest, EventAnswer> {
  constructor(context: EventQuestionsContext) {
    super('event-questions', context, ({ request: { question } }, user) => {
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

async function list(listing: EventListing, access: Access, context: EventQuestionsContext): Promise<EventAnswer> {
  const { pageNum, pageSize } = listing;
  const { total, asOf, events } = await context.store.list(listing, sightOf(access, context.catalogue));
  return { kind: 'list', page: { total, pageNum, pageSize, asOf, records: events.map(shownEvent) } };
}

async function get(id: string, access: Access, context: EventQuestionsContext): Promise<EventAnswer> {
  return { kind: 'get', event: shownEvent(await visible(id, access, context)) };
}

interface Move {
  readonly id: string;
  readonly move: EventMove;
  readonly comment: string | undefined;
}

async function move({ id, move, comment }: Move, access: Access, context: EventQuestionsContext): Promise<EventAnswer> {
  const before = await visible(id, access, context);
  const { slot, database, table } = before;
  if (!access.isAdministrator && !access.may('WRITE', database, table)) throw insufficientPrivilege();
  const key = randomUUID();
  const operation = { op: move, key, slot, at: Date.now(), id, by: access.user, comment };
  // States only go forward, so what is done already needs no entry in the log.
  const foreseen = applyOperation(before, { position: before.version, operation });
  const step = foreseen.outcome === 'moved' ? (await context.ledger.record([operation])).get(key) : foreseen;
  if (step?.outcome === 'late') {
    throw new FaultError(fault('database', Codes.eventResolved, `Event ${id} is resolved and cannot be acknowledged`));
  }
  // A slot goes on with its next event; the one that was meant is then as it was left.
  const event = step?.event?.id === id ? step.event : await visible(id, access, context);
  return { kind: 'move', event: { ...shownEvent(event), changed: step?.outcome === 'moved' } satisfies MovedEvent };
}

/** The event, or the fault of there being none, which is what those hear who may not see it. */
async function visible(id: string, access: Access, { store }: EventQuestionsContext): Promise<StoredEvent> {
  const event = await store.find(id);
  const isSeen =
    event !== undefined &&
    (access.isAdministrator || (event.database !== '' && access.may('READ', event.database, event.table)));
  if (isSeen) return event;
  throw new FaultError(
    fault('database', Codes.eventNotExist, `Event ${JSON.stringify(id.slice(0, 64))} does not exist`),
  );
}

/** Rows that a list may show: the same as {@link visible}, as a condition. */
function sightOf(access: Access, catalogue: Catalogue): EventSight {
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
