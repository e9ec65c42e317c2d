import type { EventFilter, EventListing } from '../../model/event.js';
import { eventSeverities, eventStatuses } from '../../model/event.js';
import type { EventLogEntry, EventOperation, EventSight, StoredEvent } from '../../model/event-log.js';
import { quoteString } from '../../sql/engine/quote.js';
import type { Engine, TableAccess } from '../engine/engine.js';
import { insertNumbers, type OwnRow, OwnTables } from '../engine/own-tables.js';
import { alters } from '../engine/request.js';

const dayMs = 86_400_000;
/** Days of event starts in one partition of the newest states. */
const partitionDays = 30;
/** How long what was only counted stays in the log; the newest state holds its sum. */
const countedMs = 3_600_000;
/** In place of the end of an event that is open. */
const neverMs = 9_007_199_254_740_991;
/** Slots, and events, in one statement. */
const namesPerQuery = 2_000;
/** Rows that the first look at a list reads, at least and at most. */
const defaultCandidates = { least: 200, most: 4_000 };

const newestFirst = 'ORDER BY start DESC, id DESC';

/**
 * `event_log` orders the operations by the number that the engine gives each insert (see decisions/001). `events` has
 * the newest state of every event; the state folded furthest wins, whichever process wrote it last. Parts are merged
 * soon after the last write, because lists read merged parts three times as fast.
 */
const create = [
  {
    table: 'sluice.event_log',
    definition: `(slot UInt64, at Int64, counted UInt8, entry String)
   ENGINE = MergeTree ORDER BY slot ${insertNumbers}`,
  },
  {
    table: 'sluice.events',
    definition: `(start Int64, id String, slot UInt64, status UInt8, severity UInt8,
   element String, rule String, end Int64, database String, table String, opened UInt64 CODEC(NONE),
   version UInt64, event String CODEC(ZSTD), INDEX slot_index slot TYPE bloom_filter(0.01) GRANULARITY 1)
   ENGINE = ReplacingMergeTree(version) PARTITION BY intDiv(start, ${partitionDays * dayMs}) ORDER BY (start, id)
   SETTINGS index_granularity = 512, min_age_to_force_merge_seconds = 30`,
  },
];

/** One page, and how many events there are on all. */
interface EventList {
  readonly total: number;
  /** Log position of the newest event that matches, or what the filter says. */
  readonly asOf: number;
  readonly events: readonly StoredEvent[];
}

/**
 * The log of what happened to events, and the newest state of each, in the engine. Every method may reject with a
 * FaultError.
 */
export class EventsStore {
  readonly #engine: TableAccess;
  readonly #candidateRows: typeof defaultCandidates;
  readonly #tables: OwnTables;

  constructor(engine: Engine, candidates = defaultCandidates) {
    this.#engine = engine.ordered;
    this.#tables = new OwnTables(engine, create, engine.ordered);
    this.#candidateRows = candidates;
  }

  /** Makes the tables where they are missing, as every other method does. */
  prepare(): Promise<void> {
    return this.#tables.prepare();
  }

  /** Appends operations to the log, in one insert, so that all or none of them are there. */
  async append(operations: readonly EventOperation[]): Promise<void> {
    const rows = operations.map((operation) => {
      const { slot, at, op } = operation;
      return { slot, at, counted: Number(op === 'seen'), entry: JSON.stringify(operation) };
    });
    await this.#tables.insert('event_log', rows);
  }

  /** The newest event of each slot that has one. */
  async newest(slots: readonly string[]): Promise<readonly StoredEvent[]> {
    await this.prepare();
    const events: StoredEvent[] = [];
    for (const some of pieces(slots)) {
      const rows = await this.#engine.rows(
        `SELECT argMax(event, (opened, version, status < 2, start, id)) FROM sluice.events WHERE slot IN (${some.join(', ')}) GROUP BY slot`,
      );
      for (const [event] of rows) events.push(storedEvent(event));
    }
    return events;
  }

  /** The log of some slots after a position, in order. */
  async entries(slots: readonly string[], after: number): Promise<readonly EventLogEntry[]> {
    await this.prepare();
    const entries: EventLogEntry[] = [];
    for (const some of pieces(slots)) entries.push(...(await this.#read(`slot IN (${some.join(', ')})`, after)));
    return entries;
  }

  /** The whole log after a position, in order. */
  async entriesAfter(after: number): Promise<readonly EventLogEntry[]> {
    await this.prepare();
    return this.#read('1', after);
  }

  /** Position of the last entry; 0 of an empty log. */
  async position(): Promise<number> {
    await this.prepare();
    const [row] = await this.#engine.rows('SELECT max(_block_number) FROM sluice.event_log');
    return Number(row?.[0] ?? 0);
  }

  async #read(where: string, after: number): Promise<readonly EventLogEntry[]> {
    const rows = await this.#engine.rows(
      `SELECT _block_number, entry FROM sluice.event_log WHERE ${where} AND _block_number > ${after}
       ORDER BY _block_number, _block_offset`,
    );
    return rows.map(([position, entry]) => ({ position: Number(position), operation: JSON.parse(String(entry)) }));
  }

  /**
   * Slots whose log continues after the newest state that is stored: a process died between the two, or what came last
   * changed nothing.
   */
  async unfolded(): Promise<readonly string[]> {
    await this.prepare();
    const rows = await this.#engine.rows(
      `SELECT toString(slot) FROM (SELECT slot, max(_block_number) AS position FROM sluice.event_log GROUP BY slot) AS log
       LEFT JOIN (SELECT slot, max(version) AS version FROM sluice.events GROUP BY slot) AS state USING slot
       WHERE position > version`,
    );
    return rows.map(([slot]) => String(slot));
  }

  /** Stores states. One that is stored already, or is older than what is, changes nothing. */
  async put(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#tables.insert('events', events.map(rowOf));
  }

  /** An event by its id. */
  async find(id: string): Promise<StoredEvent | undefined> {
    const start = startOf(id);
    if (start === undefined) return undefined;
    await this.prepare();
    const [row] = await this.#engine.rows(
      `SELECT event FROM sluice.events WHERE start = ${start} AND id = ${quoteString(id)} ORDER BY version DESC LIMIT 1`,
    );
    return row === undefined ? undefined : storedEvent(row[0]);
  }

  /** Events that are open and were found by these rules, the newest first. */
  async open(rules: readonly string[], limit: number): Promise<readonly StoredEvent[]> {
    await this.prepare();
    const rows = await this.#engine.rows(
      `SELECT event FROM sluice.events FINAL PREWHERE rule IN (${rules.map(quoteString).join(', ')})
       WHERE status < ${eventStatuses.indexOf('resolved')}
       ORDER BY start DESC LIMIT ${limit}`,
    );
    return rows.map(([event]) => storedEvent(event));
  }

  /** One page of the events that match and may be seen, newest first, and how many there are in all. */
  async list({ filter, pageNum, pageSize }: EventListing, sight: EventSight): Promise<EventList> {
    await this.prepare();
    const where = conditions(filter, sight);
    const offset = (pageNum - 1) * pageSize;
    const limit = `LIMIT ${pageSize} OFFSET ${offset}`;
    const near = await this.#candidates(where, offset + pageSize);
    const [page, counts] = await Promise.all([
      near === undefined ? this.#farPage(where, limit) : this.#nearPage(near.where, limit),
      this.#counts(near?.isAll === true ? near.where : where),
    ]);
    // Too many of the rows that were read first are outdated.
    const isShort = near?.isAll === false && page.length < pageSize;
    const [total = 0, newest = 0] = counts;
    return { events: isShort ? await this.#farPage(where, limit) : page, total, asOf: filter.asOf ?? newest };
  }

  /**
   * Where the first events of a list are found without reading the rest: at least twice as many rows as are wanted that
   * match, be they outdated or there twice, in the order of the list. `isAll` when no other event can match. Undefined
   * when many are wanted.
   */
  async #candidates(where: string, events: number): Promise<{ where: string; isAll: boolean } | undefined> {
    const { least, most: limit } = this.#candidateRows;
    if (events * 2 > limit) return undefined;
    const most = Math.max(least, events * 2);
    const rows = await this.#engine.rows(
      `SELECT start, id FROM sluice.events WHERE ${where} ${newestFirst} LIMIT ${most}`,
    );
    if (rows.length === 0) return { where: '0', isAll: true };
    if (rows.length < most)
      return { where: `(start, id) IN (${rows.map(keyText).join(', ')}) AND ${where}`, isAll: true };
    return { where: `start >= ${Number(rows.at(-1)?.[0])} AND ${where}`, isAll: false };
  }

  /** A page out of few events. */
  async #nearPage(where: string, limit: string): Promise<readonly StoredEvent[]> {
    const rows = await this.#engine.rows(
      `SELECT event FROM sluice.events FINAL WHERE ${where} ${newestFirst} ${limit}`,
    );
    return rows.map(([event]) => storedEvent(event));
  }

  /** A page out of many: what they hold is read of those alone that are on it. */
  async #farPage(where: string, limit: string): Promise<readonly StoredEvent[]> {
    const keys = await this.#engine.rows(
      `SELECT start, id FROM sluice.events FINAL WHERE ${where} ${newestFirst} ${limit}`,
    );
    return keys.length === 0 ? [] : this.#nearPage(`(start, id) IN (${keys.map(keyText).join(', ')})`, '');
  }

  async #counts(where: string): Promise<readonly number[]> {
    const [row = []] = await this.#engine.rows(`SELECT count(), max(opened) FROM sluice.events FINAL WHERE ${where}`);
    return row.map(Number);
  }

  /** Removes events that ended before a time, with their log, and of the log what was only counted and is old. */
  async removeEnded(beforeMs: number, nowMs: number): Promise<void> {
    await this.prepare();
    const counted = `counted = 1 AND at < ${Math.floor(nowMs - countedMs)}`;
    const before = Math.floor(beforeMs);
    const ended = `end < ${before}`;
    for (const [table = '', where] of [
      // Earlier states go first: the engine evaluates the query for each part, so what it finds must stay until then.
      ['sluice.events', `NOT ${ended} AND id IN (SELECT id FROM sluice.events WHERE ${ended})`],
      ['sluice.events', ended],
      ['sluice.event_log', `${counted} OR at < ${before}`],
    ]) {
      const [row] = await this.#engine.rows(`SELECT count() FROM ${table} WHERE ${where}`);
      if (Number(row?.[0] ?? 0) > 0) await this.#engine.exec(`DELETE FROM ${table} WHERE ${where}`, alters(table));
    }
  }
}

function* pieces(names: readonly string[]): Iterable<readonly string[]> {
  for (let at = 0; at < names.length; at += namesPerQuery) yield names.slice(at, at + namesPerQuery);
}

function keyText([start, id]: readonly unknown[]): string {
  return `(${Number(start)}, ${quoteString(String(id))})`;
}

/** An id begins with the start of its event: that is how it is found without an index of its own. */
function startOf(id: string): number | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

function rowOf(event: StoredEvent): OwnRow {
  const { id, startTime, endTime, slot, rule, status, severity, elementId, database, table, opened, version } = event;
  return {
    start: startTime,
    id,
    slot,
    status: eventStatuses.indexOf(status),
    severity: eventSeverities.indexOf(severity),
    element: elementId,
    rule,
    end: endTime ?? neverMs,
    database,
    table,
    opened,
    version,
    event: JSON.stringify(event),
  };
}

function storedEvent(text: unknown): StoredEvent {
  const event: StoredEvent = JSON.parse(String(text));
  return event;
}

function conditions({ from, to, status, severity, elementId, asOf }: EventFilter, sight: EventSight): string {
  const parts = [seen(sight)];
  if (from !== undefined) parts.push(`end >= ${from}`);
  if (to !== undefined) parts.push(`start <= ${to}`);
  if (status !== undefined) parts.push(`status = ${eventStatuses.indexOf(status)}`);
  if (severity !== undefined) parts.push(`severity = ${eventSeverities.indexOf(severity)}`);
  if (elementId !== undefined) parts.push(`element = ${quoteString(elementId)}`);
  if (asOf !== undefined) parts.push(`opened <= ${asOf}`);
  return parts.filter((part) => part !== '1').join(' AND ') || '1';
}

/** Events that a user may see; events of the service itself have no database. */
function seen({ all, everyDatabase, databases, tables }: EventSight): string {
  if (all) return '1';
  if (everyDatabase) return "database != ''";
  const whole = databases.map(quoteString).join(', ');
  const single = tables.map(([database, table]) => `(${quoteString(database)}, ${quoteString(table)})`).join(', ');
  const parts = [
    ...(whole === '' ? [] : [`database IN (${whole})`]),
    ...(single === '' ? [] : [`(database, table) IN (${single})`]),
  ];
  return parts.length === 0 ? '0' : `(${parts.join(' OR ')})`;
}
