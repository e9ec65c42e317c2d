import type { DatabaseDef, TableDef } from '../../model/schema.js';
import type { CountedMessage } from '../../model/topic-message.js';
import { allOf } from '../../sql/engine/build.js';
import { printExpr } from '../../sql/engine/print.js';
import { querySettings } from '../../sql/engine/settings.js';
import { bareTime, keysBetween, type RowKey, writtenBetween } from '../../sql/engine/storage.js';
import { inSlice, type TopicRange, type TopicSlice } from '../../sql/plan/topic.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Engine } from '../engine/engine.js';
import type { Changed, Changes } from '../store/changes.js';
import type { MessageForm } from './message-form.js';
import { beginning, type ReadPosition } from './read-position.js';
import type { TopicPart, TopicTables } from './topic-tables.js';

/** Rows of a message at most; rows of one key stay together beyond that. */
const messageRows = 16_384;

/** A share of a topic's work: the series of one vgroup. */
export interface Share {
  readonly vgroup: number;
  readonly slice: TopicSlice;
  /** The position that was reached. */
  readonly offset: bigint;
}

/** A step in the history of an engine table. */
export interface Step<M> {
  readonly storage: string;
  /** Undefined when there was nothing for the share. */
  readonly message: M | undefined;
  /** The place that is reached with it; undefined when more is needed for one. */
  readonly place: ReadPosition | undefined;
}

/** Context in which the rows of a topic are read. */
interface TopicReaderContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly changes: Changes;
}

/** Reads the rows of one topic, share by share, behind given places. */
export class TopicReader<M extends CountedMessage> {
  readonly tables: TopicTables;
  readonly #context: TopicReaderContext;
  readonly #withNames: boolean;
  readonly #form: MessageForm<M>;
  /** Pieces that are known to be there, by share and engine table. */
  readonly #known = new Map<string, Changed[]>();

  constructor(tables: TopicTables, withNames: boolean, form: MessageForm<M>, context: TopicReaderContext) {
    this.tables = tables;
    this.#withNames = withNames;
    this.#form = form;
    this.#context = context;
  }

  /** The place behind all that is there now, by engine table. */
  async latest(): Promise<ReadonlyMap<string, number>> {
    const parts = await this.#tracked();
    const latest = await this.#context.changes.latestOf(parts.map(({ storage }) => storage));
    return new Map(parts.map(({ storage }) => [storage, latest.get(storage) ?? 0]));
  }

  async #tracked(): Promise<readonly TopicPart[]> {
    const parts = this.tables.parts();
    for (const { tables } of parts) await this.#track(tables);
    return parts;
  }

  /**
   * The next steps of a share behind its places, of whichever engine table has some; undefined when there are none now.
   * To be pulled to the end before the next call.
   */
  async next(
    share: Share,
    places: ReadonlyMap<string, ReadPosition>,
  ): Promise<AsyncGenerator<Step<M>, void, void> | undefined> {
    const parts = this.tables.parts();
    for (const part of parts) {
      const nextPart = this.#restOf(part, share, places) ?? this.#knownNext(part, share, places);
      if (nextPart !== undefined) return nextPart;
    }
    await this.#tracked();
    const latest = await this.#context.changes.visibleOf(parts.map(({ storage }) => storage));
    for (const part of parts) {
      const { number } = places.get(part.storage) ?? beginning;
      const upTo = latest.get(part.storage) ?? 0;
      if (upTo <= number) continue;
      await this.#look(part, share, number, upTo);
      const nextPart = this.#knownNext(part, share, places);
      if (nextPart !== undefined) return nextPart;
    }
    return undefined;
  }

  /** Forgets what is known about a share, which another consumer reads from now on. */
  forget({ vgroup }: Pick<Share, 'vgroup'>): void {
    for (const key of this.#known.keys()) if (key.startsWith(`${vgroup} `)) this.#known.delete(key);
  }

  #knownNext(
    part: TopicPart,
    share: Share,
    places: ReadonlyMap<string, ReadPosition>,
  ): AsyncGenerator<Step<M>, void, void> | undefined {
    const { number } = places.get(part.storage) ?? beginning;
    const known = this.#known.get(keyOf(share, part));
    if (known === undefined || known[0]?.after !== number) return undefined;
    const changed = known.shift();
    return changed === undefined ? undefined : this.#read(part, share, changed, undefined);
  }

  /** The rest of an insert that was read up to a key. */
  #restOf(
    part: TopicPart,
    share: Share,
    places: ReadonlyMap<string, ReadPosition>,
  ): AsyncGenerator<Step<M>, void, void> | undefined {
    const { number, key } = places.get(part.storage) ?? beginning;
    if (key === undefined) return undefined;
    const { order } = this.#context.changes;
    return this.#read(part, share, { order, after: number - 1, upTo: number, rows: Number.POSITIVE_INFINITY }, key);
  }

  async #look(part: TopicPart, share: Share, after: number, upTo: number): Promise<void> {
    const [table] = part.tables;
    if (table === undefined) return;
    const { changes } = this.#context;
    const own = part.tables.length === 1 ? await this.tables.termsOf(table) : [];
    const condition = printExpr(allOf([...own, inSlice('', share.slice)]));
    const changed = await changes.since(table, after, messageRows, condition, upTo);
    this.#known.set(keyOf(share, part), [...changed]);
  }

  async #track([table]: readonly TableDef[]): Promise<void> {
    if (table !== undefined) await this.#context.changes.track(this.#database(), table);
  }

  #database(): DatabaseDef {
    const { name, database } = this.tables.topic;
    const def = this.#context.catalogue.database(database);
    if (def === undefined) throw new Error(`Topic ${name} has no database.`);
    return def;
  }

  /** Of a single table every message ends at a place, of several only the last one does. */
  async *#read(
    { storage, tables }: TopicPart,
    share: Share,
    changed: Changed,
    behind: RowKey | undefined,
  ): AsyncGenerator<Step<M>, void, void> {
    const end: ReadPosition = { number: changed.upTo };
    const touched = changed.rows === 0 ? [] : await this.#touched(storage, tables, share, changed);
    if (touched.length === 0) yield { storage, message: undefined, place: end };
    const { merge } = this.#form;
    if (merge !== undefined && touched.length > 1 && changed.rows <= messageRows) {
      const messages = await this.#all(touched, share, changed);
      const [first, ...others] = messages;
      yield { storage, message: first && merge(first, others), place: end };
      return;
    }
    for (const [at, table] of touched.entries()) {
      const last = at === touched.length - 1 ? end : undefined;
      if (changed.rows <= messageRows)
        yield { storage, message: await this.#whole(table, share, changed), place: last };
      else yield* this.#cut(storage, table, share, changed, { behind, isSingle: tables.length === 1, last });
    }
  }

  /** Of tables that share an engine table only few may have new rows. */
  async #touched(
    storage: string,
    tables: readonly TableDef[],
    { slice }: Share,
    changed: Changed,
  ): Promise<readonly TableDef[]> {
    if (tables.length === 1) return tables;
    const areNumbered = tables[0]?.number !== undefined;
    const where = printExpr(allOf([writtenBetween('', changed), inSlice('', slice)]));
    const keys = await this.#context.engine.complete.rows(
      `SELECT DISTINCT toString(${areNumbered ? 't' : 'id'}) FROM ${storage} WHERE ${where}`,
    );
    const touched = new Set(keys.map(([key]) => String(key)));
    return tables.filter(({ number, seriesId }) => touched.has(String(areNumbered ? number : seriesId)));
  }

  async #all(tables: readonly TableDef[], share: Share, changed: Changed): Promise<readonly M[]> {
    const messages: M[] = [];
    for (const table of tables) {
      const message = await this.#whole(table, share, changed);
      if (message !== undefined) messages.push(message);
    }
    return messages;
  }

  async #whole(table: TableDef, share: Share, { order, after, upTo }: Changed): Promise<M | undefined> {
    return this.#message(table, share, { order, after, upTo, slice: share.slice });
  }

  /** An insert of many rows, message by message in the order of keys. */
  async *#cut(
    storage: string,
    table: TableDef,
    share: Share,
    { order, after, upTo }: Changed,
    {
      behind: start,
      isSingle,
      last,
    }: { behind: RowKey | undefined; isSingle: boolean; last: ReadPosition | undefined },
  ): AsyncGenerator<Step<M>, void, void> {
    for (let behind = isSingle ? start : undefined; ; ) {
      const range = { order, after, upTo, slice: share.slice, keys: { behind, upTo: undefined } };
      const end = await this.#keyAfter(table, range);
      const message = await this.#message(table, share, { ...range, keys: { behind, upTo: end } });
      if (end === undefined) {
        yield { storage, message, place: last };
        return;
      }
      yield { storage, message, place: isSingle ? { number: upTo, key: end } : undefined };
      behind = end;
    }
  }

  /** The last key of a message that begins behind one; undefined when what is left is no more than a message. */
  async #keyAfter(table: TableDef, { slice, keys, ...written }: TopicRange): Promise<RowKey | undefined> {
    const terms = [
      writtenBetween('', written),
      ...(await this.tables.termsOf(table)),
      ...(slice === undefined ? [] : [inSlice('', slice)]),
      ...keysBetween('', keys?.behind, undefined),
    ];
    const time = printExpr(bareTime);
    const [row] = await this.#context.engine.complete.rows(
      `SELECT toString(id), toString(${time}) FROM ${table.storage} WHERE ${printExpr(allOf(terms))}
       ORDER BY id, ${time} LIMIT 1 OFFSET ${messageRows - 1}`,
    );
    return row === undefined ? undefined : { id: BigInt(String(row[0])), time: BigInt(String(row[1])) };
  }

  async #message(table: TableDef, { vgroup, offset }: Share, range: TopicRange): Promise<M | undefined> {
    const { topic } = this.tables;
    const plan = await this.tables.plan(table);
    const sql = plan.rows(range, this.#withNames, this.#form.rows);
    const bytes = await this.#context.engine.complete.bytes({
      statement: `${sql} SETTINGS ${querySettings}`,
      format: this.#form.format,
    });
    const head = { topic: topic.name, database: topic.database, table: table.name, vgroup, offset };
    return this.#form.message(bytes, plan, head);
  }
}

function keyOf({ vgroup }: Share, { storage }: TopicPart): string {
  return `${vgroup} ${storage}`;
}
