import type { TopicDef } from '../../model/topic.js';
import { quoteString } from '../../sql/engine/quote.js';
import type { Engine, TableAccess } from '../engine/engine.js';
import { insertNumbers, OwnTables } from '../engine/own-tables.js';
import { alters } from '../engine/request.js';
import type { GroupEntry } from './group-state.js';
import { beginning, begun, decodePosition, encodePosition, type ReadPosition } from './read-position.js';

/**
 * Shared state of consumer groups, in three tables: a log by which shares of the work change hands, ordered by the
 * numbers of its inserts as the catalogue's log is; one row for every consumer, renewed while it comes back; and the
 * places up to which a group has read. Of the latter the farthest counts, so a commit that is late does no harm.
 */
const create = [
  {
    table: 'sluice.consumer_log',
    definition: `(topic String, name String, entry String, at DateTime64(3) DEFAULT now64(3))
   ENGINE = MergeTree ORDER BY (topic, name) ${insertNumbers}`,
  },
  {
    table: 'sluice.consumers',
    definition: `(name String, consumer String, client String, user String, host String,
   topics Array(String), lease UInt32, parameters String, gone UInt8, joined Int64, seen DateTime64(3) DEFAULT now64(3))
   ENGINE = ReplacingMergeTree(seen) ORDER BY (name, consumer) TTL toDateTime(seen) + toIntervalDay(1)`,
  },
  {
    table: 'sluice.consumer_places',
    definition: `(topic String, name String, vgroup Int32, storage String,
   place SimpleAggregateFunction(max, String), rows SimpleAggregateFunction(sum, UInt64))
   ENGINE = AggregatingMergeTree ORDER BY (topic, name, vgroup, storage)`,
  },
];

/** A consumer, as it shows itself to the others. */
export interface ConsumerRow {
  readonly group: string;
  readonly consumer: string;
  readonly client: string;
  readonly user: string;
  readonly host: string;
  /** Ids of topics. */
  readonly topics: readonly string[];
  /** How long it is waited for when it does not come back. */
  readonly leaseMs: number;
  readonly parameters: string;
  /** Unix ms. */
  readonly joined: number;
}

/** How far a group has read one engine table, of one vgroup. */
export interface CommittedPlace {
  readonly topic: string;
  readonly vgroup: number;
  readonly storage: string;
  readonly place: ReadPosition;
  /** Rows since the last commit. */
  readonly rows: number;
}

/** A place in the list of subscriptions. */
interface ListedPlace {
  readonly topic: string;
  readonly group: string;
  readonly vgroup: number;
  readonly place: ReadPosition;
  readonly rows: number;
}

/** An entry of a group's log with its number. */
interface NumberedEntry {
  readonly number: number;
  readonly topic: string;
  readonly group: string;
  readonly entry: GroupEntry;
}

/** A consumer counts as there while its last sign of life is younger than its lease; the engine's clock decides. */
const alive = 'gone = 0 AND seen > now64(3) - toIntervalMillisecond(lease)';
const consumers = `(SELECT name, consumer, client, user, host, topics, lease, parameters, gone, joined, seen FROM sluice.consumers
  ORDER BY seen DESC LIMIT 1 BY name, consumer)`;

/** The state of consumer groups in the engine. */
export class ConsumerGroups {
  readonly #engine: TableAccess;
  readonly #tables: OwnTables;

  constructor(engine: Engine) {
    this.#engine = engine.ordered;
    this.#tables = new OwnTables(engine, create, engine.ordered);
  }

  async append(
    group: string,
    entries: readonly { readonly topic: string; readonly entry: GroupEntry }[],
  ): Promise<void> {
    if (entries.length === 0) return;
    const rows = entries.map(({ topic, entry }) => ({ topic, name: group, entry: JSON.stringify(entry) }));
    await this.#tables.insert('consumer_log', rows, 'topic, name, entry');
  }

  /** Entries about some topics behind a number, in order; of all groups unless one is named. */
  async entries(
    topics: readonly string[],
    group: string | undefined,
    after: number,
  ): Promise<readonly NumberedEntry[]> {
    if (topics.length === 0) return [];
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT _block_number, topic, name, entry FROM sluice.consumer_log
       WHERE topic IN (${topics.map(quoteString).join(', ')}) AND _block_number > ${after}${ofGroup(group)}
       ORDER BY _block_number, _block_offset`,
    );
    return rows.map(([number, topic, name, text]) => {
      const entry: GroupEntry = JSON.parse(String(text));
      return { number: Number(number), topic: String(topic), group: String(name), entry };
    });
  }

  /** Shows a consumer to the others for as long as its lease, or takes it away. */
  async renew(row: ConsumerRow, gone = false): Promise<void> {
    const { group, consumer, client, user, host, topics, leaseMs, parameters, joined } = row;
    await this.#tables.insert(
      'consumers',
      [{ name: group, consumer, client, user, host, topics, lease: leaseMs, parameters, gone: Number(gone), joined }],
      'name, consumer, client, user, host, topics, lease, parameters, gone, joined',
    );
  }

  /** Names of the consumers of a group that are there. */
  async alive(group: string): Promise<ReadonlySet<string>> {
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT consumer FROM ${consumers} WHERE name = ${quoteString(group)} AND ${alive}`,
    );
    return new Set(rows.map(([consumer]) => String(consumer)));
  }

  /** All consumers that are there, with the time of their last sign of life in Unix ms. */
  async consumers(): Promise<readonly (ConsumerRow & { readonly seen: number })[]> {
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT name, consumer, client, user, host, toJSONString(topics), lease, parameters, joined, toUnixTimestamp64Milli(seen)
       FROM ${consumers} WHERE ${alive} ORDER BY name, joined, consumer`,
    );
    return rows.map(([group, consumer, client, user, host, list, lease, parameters, joined, seen]) => {
      const topics: readonly string[] = JSON.parse(String(list));
      const texts = { group: String(group), consumer: String(consumer), client: String(client), user: String(user) };
      const numbers = { leaseMs: Number(lease), joined: Number(joined), seen: Number(seen) };
      return { ...texts, ...numbers, host: String(host), topics, parameters: String(parameters) };
    });
  }

  async commit(group: string, places: readonly CommittedPlace[]): Promise<void> {
    if (places.length === 0) return;
    await this.#tables.insert(
      'consumer_places',
      places.map(({ place, ...rest }) => ({ ...rest, place: encodePosition(place), name: group })),
    );
  }

  /** The places of a group in one vgroup of a topic, by engine table. */
  async places(topic: string, group: string, vgroup: number): Promise<ReadonlyMap<string, ReadPosition>> {
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT storage, max(place) FROM sluice.consumer_places
       WHERE topic = ${quoteString(topic)} AND name = ${quoteString(group)} AND vgroup = ${vgroup} GROUP BY storage`,
    );
    return new Map(rows.map(([storage, place]) => [String(storage), decodePosition(String(place))]));
  }

  /**
   * Commits places also where the group was farther on. A crash in between leaves the group before the first row, never
   * behind rows that it has not read.
   */
  async setPlaces(group: string, places: readonly CommittedPlace[]): Promise<void> {
    const [first] = places;
    if (first === undefined) return;
    const { topic, vgroup } = first;
    await this.commit(group, [{ topic, vgroup, storage: begun, place: beginning, rows: 0 }]);
    const table = 'sluice.consumer_places';
    await this.#engine.exec(
      `DELETE FROM ${table} WHERE topic = ${quoteString(topic)} AND name = ${quoteString(group)}
       AND vgroup = ${vgroup} AND storage != ${quoteString(begun)}`,
      alters(table),
    );
    await this.commit(group, places);
  }

  /** Places that groups have committed, one entry a vgroup. */
  async listedPlaces(): Promise<readonly ListedPlace[]> {
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT topic, name, vgroup, max(place), sum(rows) FROM sluice.consumer_places GROUP BY topic, name, vgroup`,
    );
    return rows.map(([topic, group, vgroup, place, count]) => ({
      topic: String(topic),
      group: String(group),
      vgroup: Number(vgroup),
      place: decodePosition(String(place)),
      rows: Number(count),
    }));
  }

  /** Whether a topic, or one group of it, has consumers that are there. */
  async hasConsumers({ id }: Pick<TopicDef, 'id'>, group?: string): Promise<boolean> {
    return this.#any(`${consumers} WHERE has(topics, ${quoteString(id)}) AND ${alive}${ofGroup(group)}`);
  }

  /** Whether a group was ever there. */
  async exists({ id }: Pick<TopicDef, 'id'>, group: string): Promise<boolean> {
    return this.#any(`sluice.consumer_log WHERE topic = ${quoteString(id)}${ofGroup(group)}`);
  }

  /** Removes what is known of a topic's groups, or of one of them. */
  async forget({ id }: Pick<TopicDef, 'id'>, group?: string): Promise<void> {
    await this.#tables.prepare();
    for (const table of ['sluice.consumer_log', 'sluice.consumer_places']) {
      await this.#engine.exec(`DELETE FROM ${table} WHERE topic = ${quoteString(id)}${ofGroup(group)}`, alters(table));
    }
  }

  async #any(from: string): Promise<boolean> {
    await this.#tables.prepare();
    return (await this.#engine.rows(`SELECT 1 FROM ${from} LIMIT 1`)).length > 0;
  }
}

function ofGroup(group: string | undefined): string {
  return group === undefined ? '' : ` AND name = ${quoteString(group)}`;
}
