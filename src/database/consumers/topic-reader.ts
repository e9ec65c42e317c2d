import type { DatabaseDef, TableDef } from '../../model/schema.js';
import type { TopicMessage } from '../../model/topic-message.js';
import { querySettings, topicRowFormat } from '../../sql/plan/settings.js';
import { ofTable, writtenBetween } from '../../sql/plan/storage.js';
import { inSlice, type TopicSlice } from '../../sql/plan/topic.js';
import { allOf } from '../../sql/print/select.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import type { Changed, Changes } from '../changes.js';
import type { Engine } from '../engine.js';
import type { TopicPart, TopicTables } from './topic-tables.js';

/** Rows of a message, about: inserts are not cut, so there are as many more as the last one has. */
const messageRows = 16_384;

/** What a share of a topic's work is: the series of one vgroup. */
export interface Share {
  readonly vgroup: number;
  readonly slice: TopicSlice;
}

/** Messages that together bring a share from one place of an engine table to the next. */
export interface Piece {
  readonly storage: string;
  readonly upTo: number;
  /** Stored rows in it that the topic delivers. */
  readonly rows: number;
  readonly messages: readonly TopicMessage[];
}

/** What topic rows are read with. */
export interface TopicReaderContext {
  readonly engine: Engine;
  readonly catalogue: Catalogue;
  readonly changes: Changes;
}

/** Reads the rows of one topic, share by share, behind given places. */
export class TopicReader {
  readonly tables: TopicTables;
  readonly #context: TopicReaderContext;
  readonly #withNames: boolean;
  /** Pieces that are known to be there, by share and engine table. */
  readonly #known = new Map<string, Changed[]>();

  constructor(tables: TopicTables, withNames: boolean, context: TopicReaderContext) {
    this.tables = tables;
    this.#withNames = withNames;
    this.#context = context;
  }

  /** The place behind all that is there now, by engine table. */
  async latest(): Promise<ReadonlyMap<string, number>> {
    const parts = this.tables.parts();
    for (const { tables } of parts) await this.#track(tables);
    const latest = await this.#context.changes.latestOf(parts.map(({ storage }) => storage));
    return new Map(parts.map(({ storage }) => [storage, latest.get(storage) ?? 0]));
  }

  /** The next piece of a share behind its places (0 where there is none), of whichever engine table has one. */
  async next(share: Share, places: ReadonlyMap<string, number>): Promise<Piece | undefined> {
    const parts = this.tables.parts();
    for (const part of parts) {
      const found = await this.#knownNext(part, share, places);
      if (found !== undefined) return found;
    }
    const latest = await this.latest();
    for (const part of parts) {
      const after = places.get(part.storage) ?? 0;
      const upTo = latest.get(part.storage) ?? 0;
      if (upTo <= after) continue;
      await this.#look(part, share, after, upTo);
      const found = await this.#knownNext(part, share, places);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Forgets what is known about a share, which another consumer reads from now on. */
  forget({ vgroup }: Share): void {
    for (const key of this.#known.keys()) if (key.startsWith(`${vgroup} `)) this.#known.delete(key);
  }

  async #knownNext(part: TopicPart, share: Share, places: ReadonlyMap<string, number>): Promise<Piece | undefined> {
    const known = this.#known.get(keyOf(share, part));
    if (known === undefined || known[0]?.after !== (places.get(part.storage) ?? 0)) return undefined;
    const changed = known.shift();
    return changed === undefined ? undefined : this.#read(part, share, changed);
  }

  async #look(part: TopicPart, share: Share, after: number, upTo: number): Promise<void> {
    const [table] = part.tables;
    if (table === undefined) return;
    const { changes } = this.#context;
    const own = part.tables.length === 1 ? ofTable(table) : [];
    const found = await changes.since(table, after, messageRows, allOf([...own, inSlice('', share.slice)]), upTo);
    this.#known.set(keyOf(share, part), [...found]);
  }

  async #track([table]: readonly TableDef[]): Promise<void> {
    if (table !== undefined) await this.#context.changes.track(this.#database(), table);
  }

  #database(): DatabaseDef {
    const { name, database } = this.tables.topic;
    const found = this.#context.catalogue.database(database);
    if (found === undefined) throw new Error(`Topic ${name} has no database.`);
    return found;
  }

  async #read({ storage, tables }: TopicPart, share: Share, changed: Changed): Promise<Piece> {
    const messages: TopicMessage[] = [];
    let rows = 0;
    for (const table of changed.rows === 0 ? [] : await this.#touched(storage, tables, share, changed)) {
      const message = await this.#message(table, share, changed);
      if (message.rows.length === 0) continue;
      rows += message.rows.length;
      messages.push(message);
    }
    return { storage, upTo: changed.upTo, rows, messages };
  }

  /** Of tables that share an engine table only few may have new rows. */
  async #touched(
    storage: string,
    tables: readonly TableDef[],
    { slice }: Share,
    { after, upTo }: Changed,
  ): Promise<readonly TableDef[]> {
    if (tables.length === 1) return tables;
    const areNumbered = tables[0]?.number !== undefined;
    const keys = await this.#context.engine.rows(
      `SELECT DISTINCT toString(${areNumbered ? 't' : 'id'}) FROM ${storage}
       WHERE ${writtenBetween('', after, upTo)} AND ${inSlice('', slice)}`,
    );
    const touched = new Set(keys.map(([key]) => String(key)));
    return tables.filter(({ number, seriesId }) => touched.has(String(areNumbered ? number : seriesId)));
  }

  async #message(table: TableDef, { vgroup, slice }: Share, { after, upTo }: Changed): Promise<TopicMessage> {
    const { topic } = this.tables;
    const plan = await this.tables.plan(table);
    const sql = plan.rows({ after, upTo, slice }, this.#withNames);
    const bytes = await this.#context.engine.bytes(`${sql} SETTINGS ${querySettings} FORMAT ${topicRowFormat}`);
    const names: string[] = [];
    const rows: string[] = [];
    const text = bytes.toString();
    for (let start = 0; start < text.length; ) {
      const tab = text.indexOf('\t', start);
      const end = text.indexOf('\n', tab);
      names.push(text.slice(start, tab).replaceAll('\\\\', '\\'));
      rows.push(text.slice(tab + 1, end));
      start = end + 1;
    }
    return { topic: topic.name, database: topic.database, table: table.name, vgroup, names, rows };
  }
}

function keyOf({ vgroup }: Share, { storage }: TopicPart): string {
  return `${vgroup} ${storage}`;
}
