import test from 'ava';
import fc from 'fast-check';
import { EventsStore } from '../../../src/database/store/events-store.js';
import { type EventFilter, eventSeverities, eventStatuses } from '../../../src/model/event.js';
import type { EventOperation, EventSight, StoredEvent } from '../../../src/model/event-log.js';
import { sharedEngine } from '../../support/engine/shared-engine.js';
import { firstStart, manyEvents, storedEvent } from '../../support/events/stored-events.js';

const { client: engine, end } = await sharedEngine();
const store = new EventsStore(engine);
/** A store that looks at few rows first, so that sixty events are many. */
const hasty = new EventsStore(engine, { least: 2, most: 40 });
const events = manyEvents(60);
const all: EventSight = { all: true, everyDatabase: false, databases: [], tables: [] };
const minute = 60_000;

test.before(async () => {
  // In two parts, the second with newer states of some of the first: of each event one is listed.
  await store.put(events.map((event) => ({ ...event, status: 'active', endTime: null, version: 0 })));
  await store.put(events);
  await store.put(events.slice(0, 10).map((event) => ({ ...event, severity: 'info', version: 0 })));
});
test.after.always(end);

/** What a filter means, written down once more. */
function matches(event: StoredEvent, { from, to, status, severity, elementId, asOf }: EventFilter): boolean {
  const ended = event.endTime ?? Number.POSITIVE_INFINITY;
  return (
    (from === undefined || ended >= from) &&
    (to === undefined || event.startTime <= to) &&
    (status === undefined || event.status === status) &&
    (severity === undefined || event.severity === severity) &&
    (elementId === undefined || event.elementId === elementId) &&
    (asOf === undefined || event.opened <= asOf)
  );
}

function mayBeSeen({ database, table }: StoredEvent, sight: EventSight): boolean {
  if (sight.all) return true;
  if (database === '') return false;
  if (sight.everyDatabase || sight.databases.includes(database)) return true;
  return sight.tables.some(([d, t]) => d === database && t === table);
}

const titlesOf = (events: readonly StoredEvent[]): string[] => events.map(({ title }) => title);

const instants = [undefined, 0, 5, 5.5, 30, 59, 60, 1000].map((n) => n && Math.floor(firstStart + n * minute));

test.serial('every status, severity and element lists what matches, newest first', async (t) => {
  for (const status of [undefined, ...eventStatuses]) {
    for (const severity of [undefined, ...eventSeverities]) {
      for (const elementId of [undefined, 'oven-1']) {
        const filter = { status, severity, elementId };
        const expected = events.filter((event) => matches(event, filter)).toReversed();
        const listed = await store.list({ filter, pageNum: 1, pageSize: 1000 }, all);
        t.deepEqual(titlesOf(listed.events), titlesOf(expected), JSON.stringify(filter));
        t.is(listed.total, expected.length);
      }
    }
  }
});

test.serial('any filters, pages and rights list what a naive reading lists', async (t) => {
  const filters = fc.record({
    from: fc.constantFrom(...instants),
    to: fc.constantFrom(...instants),
    status: fc.constantFrom(undefined, ...eventStatuses),
    severity: fc.constantFrom(undefined, ...eventSeverities),
    elementId: fc.constantFrom(undefined, 'oven-0', 'oven-3', "none'; DROP"),
    asOf: fc.constantFrom(undefined, 0, 1, 30, 60, 1000),
  });
  const sights = fc.record({
    all: fc.boolean(),
    everyDatabase: fc.boolean(),
    databases: fc.subarray(['d0', 'd1', "x'y"]),
    tables: fc.subarray([['d0', 't0'] as const, ['d1', 't2'] as const]),
  });
  await fc.assert(
    fc.asyncProperty(
      filters,
      sights,
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom(1, 7, 20),
      async (filter, sight, pageNum, pageSize) => {
        const expected = events.filter((event) => matches(event, filter) && mayBeSeen(event, sight)).toReversed();
        const page = titlesOf(expected.slice((pageNum - 1) * pageSize, pageNum * pageSize));
        for (const from of [store, hasty]) {
          const listed = await from.list({ filter, pageNum, pageSize }, sight);
          t.is(listed.total, expected.length);
          t.deepEqual(titlesOf(listed.events), page);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test.serial('an event that is open overlaps every time since it began, one that is over until its end', async (t) => {
  // The third began two minutes after the first and took ten.
  const listed = async (from: number, to: number) => {
    const filter = { from: firstStart + from * minute, to: firstStart + to * minute };
    const { events } = await store.list({ filter, pageNum: 1, pageSize: 1000 }, all);
    return titlesOf(events);
  };
  t.true((await listed(12, 12)).includes('event 2'));
  t.false((await listed(12.001, 13)).includes('event 2'));
  t.true((await listed(2, 2)).includes('event 2'));
  t.false((await listed(0, 1.999)).includes('event 2'));
  t.true((await listed(1000, 1001)).includes('event 0'));
});

test.serial('an event is found by its id, in its newest state, with everything that was stored', async (t) => {
  for (const event of events.slice(0, 12)) t.deepEqual(await store.find(event.id), event);
  for (const id of ['', 'x', events[0]!.id.toUpperCase(), `${events[0]!.id.slice(0, -1)}g`, "' OR 1 --"]) {
    t.is(await store.find(id), undefined, id);
  }
});

test.serial('the newest event of a slot is the one that was opened last', async (t) => {
  const slot = '77';
  const old = storedEvent(2, { slot, opened: 5, version: 90, database: 'elsewhere' });
  const newer = storedEvent(1, { slot, opened: 6, version: 7, database: 'elsewhere' });
  const listed: EventSight = { all: false, everyDatabase: false, databases: ['elsewhere'], tables: [] };
  await store.put([old]);
  await store.put([newer, { ...newer, version: 6, count: 1 }]);
  t.deepEqual(await store.newest([slot, '78']), [newer]);
  t.is((await store.list({ filter: {}, pageNum: 1, pageSize: 10 }, listed)).total, 2);
});

test.serial('events that ended before a time are removed, open ones stay, and so does what ended later', async (t) => {
  const own = new EventsStore(engine);
  const sight: EventSight = { all: false, everyDatabase: false, databases: ['kept'], tables: [] };
  const kept = [0, 1, 2, 5].map((n) => storedEvent(n, { database: 'kept', slot: String(1000 + n) }));
  await own.put(kept.map((event) => ({ ...event, status: 'active', endTime: null, version: 0 })));
  await own.put(kept);
  // Of the four the last two are resolved, at minutes 12 and 15.
  await own.removeEnded(firstStart + 13 * minute, firstStart);
  const { events: left } = await own.list({ filter: {}, pageNum: 1, pageSize: 10 }, sight);
  t.deepEqual(titlesOf(left), ['event 5', 'event 1', 'event 0']);
});

test.serial('the log is read in its order, and old counts are forgotten while moves stay', async (t) => {
  const day = 86_400_000;
  const at = firstStart + 100 * day;
  const facts = { ...storedEvent(0), threshold: null };
  const common = { slot: '5', id: 'x' };
  const seen = (key: string, when: number): EventOperation => {
    return { op: 'seen', key, ...common, at: when, facts, count: 1, first: when, last: when, value: null };
  };
  const moved: EventOperation = {
    op: 'resolve',
    key: 'c',
    ...common,
    at: at - 3 * day,
    by: 'root',
    comment: undefined,
  };
  const before = await store.position();
  await store.append([seen('a', at - 3 * day), seen('b', at)]);
  await store.append([moved]);
  const keys = async () => (await store.entries(['5', '6'], before)).map(({ operation }) => operation.key);
  t.deepEqual(await keys(), ['a', 'b', 'c']);
  const [first, second, third] = await store.entriesAfter(before);
  t.is(first?.position, second?.position);
  t.is(third?.position, await store.position());
  t.true((third?.position ?? 0) > (second?.position ?? 0));
  t.deepEqual(await store.unfolded(), ['5']);
  await store.removeEnded(0, at);
  t.deepEqual(await keys(), ['b', 'c']);
});
