import { KeyedMutex } from '../../async/keyed-mutex.js';
import { Slice } from '../../async/slice.js';
import { BlockBuilder } from '../../model/column-block.js';
import type { Fault } from '../../model/fault.js';
import { Codes, fault } from '../../model/fault.js';
import { metricOf } from '../../model/label-set.js';
import { refusals } from '../../model/refusals.js';
import type { DatabaseDef, OtherPlace, SubTable, TableDef, TagValue } from '../../model/schema.js';
import { dataType, markRegistered, noTags, sentName } from '../../model/schema.js';
import type { Expr } from '../../sql/engine/nodes.js';
import { printExpr } from '../../sql/engine/print.js';
import { quoteString } from '../../sql/engine/quote.js';
import { ofSeries, ofTable } from '../../sql/engine/storage.js';
import type { Catalogue } from '../catalogue/catalogue.js';
import { commonBits, leadOf, seriesId, subTableKey } from '../catalogue/identity.js';
import { BatchedCalls, BatchedCallsByTable } from '../engine/batched-calls.js';
import type { Engine } from '../engine/engine.js';
import { setOfIds } from '../engine/key-sets.js';
import { encodeTables, insertOf, type TableRows } from '../engine/native-block.js';
import { type Registered, Registry } from './registry.js';
import { staleSchema } from './stale-schema.js';
import { putTag, tagChange, tagFills } from './sub-table-tags.js';

/** Sub-tables remembered per process; beyond it all are forgotten and read again as they come. */
const maxRemembered = 500_000;
/** Sub-tables registered or marked at a time: what is done for them in memory holds up everybody else meanwhile. */
const maxAtOnce = 8_192;

/** Revision of the row that hides a dropped sub-table: above that of any change of its tags. */
const lastRevision = '18446744073709551615';

/** Sub-tables of a database by name, since the last drop in it. */
interface Remembered {
  readonly epoch: number;
  readonly byName: Map<string, SubTable>;
}

/** Name and ids of a dropped sub-table. */
export type NamedSeries = Pick<SubTable, 'key' | 'id' | 'name'>;

/** A change that ALTER TABLE makes to one sub-table beside its tags. */
type SubTableOption = { readonly comment: string } | { readonly ttl: number };

/**
 * The registry of sub-tables: which names exist, under which super table, with which tags. Truth is in the engine;
 * this process remembers what it has made or looked up. Ids are hashes of names, so that two writers that create the
 * same sub-table at once write the same row.
 */
export class SubTables {
  /** Serializes statements that create sub-tables of the same name, by the id of the database and the name. */
  readonly creations = new KeyedMutex();
  readonly #engine: Engine;
  readonly #catalogue: Catalogue;
  readonly #registry: Registry;
  /** By id of their database. */
  readonly #remembered = new Map<string, Remembered>();
  #rememberedCount = 0;
  /** Registrations that run, by the bits of a sub-table's key that are in its id, too. */
  readonly #inHand = new Map<bigint, Promise<unknown>>();
  readonly #tagInsertions = new BatchedCallsByTable((place, tags: readonly TableRows[]) =>
    this.#insertTagsOf(place, tags),
  );
  readonly #removals = new BatchedCalls((dropped: readonly string[]) => this.#forgetTogether(dropped));

  constructor(engine: Engine, catalogue: Catalogue) {
    this.#engine = engine;
    this.#catalogue = catalogue;
    this.#registry = new Registry(engine);
  }

  /** See {@link Registry.prepare}. */
  prepare(): Promise<void> {
    return this.#registry.prepare();
  }

  /**
   * The registered sub-table of a name as remembered, or a new one that becomes known only when it is registered. Pure
   * in memory, for parsers; tags matter only for a new one. Its metric is found among them where it is not given.
   */
  make(
    database: DatabaseDef,
    superTable: string,
    name: string,
    tags: ReadonlyMap<string, TagValue>,
    ttl: number,
    metric?: string,
  ): SubTable {
    const known = this.known(database, name);
    if (known !== undefined && known.superTable === superTable) return known;
    const key = this.keyOf(database, name);
    const front = metric ?? metricOf(superTable, name, tags);
    const id = front === undefined ? key : seriesId(key, leadOf(front));
    const epoch = this.#catalogue.epoch(database.name);
    return { key, id, name, superTable, tags, ttl, registered: false, coveredBy: undefined, epoch };
  }

  /** A registered sub-table remembered by name, or undefined when it must be looked up. */
  known(database: DatabaseDef, name: string): SubTable | undefined {
    return this.#rememberedOf(database).byName.get(name);
  }

  /** Looks names up in the engine; names that do not exist are missing in the answer. */
  async lookUp(database: DatabaseDef, names: readonly string[]): Promise<ReadonlyMap<string, SubTable>> {
    const byName = new Map<string, SubTable>();
    const byKey = new Map<bigint, string>();
    // Sub-tables that a drop drops while the engine is queried must not be remembered after it.
    const remembered = this.#rememberedOf(database);
    const slice = new Slice();
    for (const name of names) {
      if (slice.isOver()) await slice.next();
      const known = this.known(database, name);
      if (known !== undefined) byName.set(name, known);
      else byKey.set(this.keyOf(database, name), name);
    }
    for (const { key, id, name, ttl, parent } of await this.#registry.read(database, [...byKey.keys()])) {
      const superTable = this.#catalogue.tableById(database.name, parent)?.name;
      if (superTable === undefined || byKey.get(key) !== name) continue;
      const subTable = { key, id, name, superTable, tags: noTags, ttl, registered: true };
      this.#remember(remembered, subTable);
      byName.set(name, subTable);
    }
    return byName;
  }

  /**
   * Registers sub-tables of one super table: those the engine does not know are written, tags first, so that a
   * registered sub-table always has its tags. A name that a table or a sub-table of another super table has, or a key
   * that belongs to another name, is a fault and registration stops; a sub-table that was dropped since it was made is
   * {@link staleSchema}. A sub-table that has another id than it was made with is given it, see {@link
   * SubTable.madeAs}. Many are registered some at a time, and `registered` is called after each of these.
   */
  async register(
    database: DatabaseDef,
    superTable: TableDef,
    subTables: readonly SubTable[],
    registered?: () => void,
  ): Promise<Fault | undefined> {
    const unregistered = subTables.filter((subTable) => !subTable.registered);
    for (let from = 0; from < unregistered.length; from += maxAtOnce) {
      const some = unregistered.slice(from, from + maxAtOnce);
      const problem = await this.#registerSome(database, superTable, some);
      if (problem !== undefined) return problem;
      registered?.();
    }
    return undefined;
  }

  async #registerSome(
    database: DatabaseDef,
    superTable: TableDef,
    subTables: readonly SubTable[],
  ): Promise<Fault | undefined> {
    const remembered = this.#rememberedOf(database);
    const isStale = ({ key, name, epoch }: SubTable) =>
      epoch !== remembered.epoch && key !== this.keyOf(database, name);
    if (subTables.some(isStale)) return staleSchema;
    const places = await this.#exclusively(subTables, () => this.#registerMissing(database, superTable, subTables));
    if ('message' in places) return places;
    for (const subTable of subTables) {
      markRegistered(subTable, places.get(subTable.key));
      this.#remember(remembered, subTable);
    }
    return undefined;
  }

  /**
   * Registers those that are missing, and returns the places of those by their keys that have others than they were
   * made with.
   */
  async #registerMissing(
    database: DatabaseDef,
    superTable: TableDef,
    subTables: readonly SubTable[],
  ): Promise<ReadonlyMap<bigint, OtherPlace> | Fault> {
    const missing = new Map(subTables.map((subTable) => [subTable.key, subTable]));
    const elsewhere = new Map<bigint, bigint>();
    for (const row of await this.#registry.read(database, [...missing.keys()])) {
      const parent = this.#catalogue.tableById(database.name, row.parent);
      const subTable = missing.get(row.key);
      if (parent === undefined || subTable === undefined) continue;
      const problem = conflict(row, subTable, parent, superTable);
      if (problem !== undefined) return problem;
      missing.delete(row.key);
      if (row.id !== subTable.id) elsewhere.set(row.key, row.id);
    }
    const unsure = subTables.filter(({ key }) => missing.has(key) || elsewhere.has(key));
    const ambiguous = await this.#ambiguous(superTable, unsure);
    for (const key of ambiguous) if (missing.has(key)) elsewhere.set(key, key);
    const places = new Map(
      [...elsewhere].map(([key, id]): [bigint, OtherPlace] => [key, { id, isAmbiguous: ambiguous.has(key) }]),
    );
    if (missing.size === 0) return places;
    const names = [...missing.values()].map(({ name }) => name);
    const taken = this.#takenByTable(database, names);
    if (taken !== undefined) return taken;
    const entries = [...missing.values()].map((subTable) => {
      const id = elsewhere.get(subTable.key);
      return id === undefined ? subTable : { ...subTable, id };
    });
    await this.#write(database, superTable, entries);
    // A table of such a name may have been created meanwhile: the later look sees both.
    await this.#catalogue.sync();
    return this.#takenByTable(database, names) ?? places;
  }

  /**
   * The keys of those whose ids, which are shorter than keys by the metric in them, another sub-table has, too: one or
   * two of many millions. They have their keys for ids.
   */
  async #ambiguous(superTable: TableDef, subTables: readonly SubTable[]): Promise<ReadonlySet<bigint>> {
    const ambiguous = new Set<bigint>();
    const byId = new Map<bigint, SubTable>();
    for (const subTable of subTables) {
      const { key, id } = subTable;
      const other = byId.get(id);
      if (other === undefined) byId.set(id, subTable);
      else if (other.key !== key) ambiguous.add(key);
    }
    const ids = [...byId].flatMap(([id, { key }]) => (id === key ? [] : id));
    if (ids.length === 0) return ambiguous;
    const where = [...ofTable(superTable).map(printExpr), `id IN ${setOfIds(ids)}`].join(' AND ');
    const rows = await this.#engine.rows(`SELECT toString(id), name FROM ${superTable.tagStorage} WHERE ${where}`);
    for (const [id, name] of rows) {
      const subTable = byId.get(BigInt(String(id)));
      if (subTable !== undefined && subTable.name !== name) ambiguous.add(subTable.key);
    }
    return ambiguous;
  }

  #takenByTable(database: DatabaseDef, names: readonly string[]): Fault | undefined {
    const taken = names.find((name) => this.#catalogue.table(database.name, name) !== undefined);
    return taken === undefined ? undefined : refusals.tableAlreadyExists;
  }

  /**
   * Runs registrations that share a sub-table one after the other, so that the later one sees what the first has done.
   */
  async #exclusively<T>(subTables: readonly Pick<SubTable, 'key'>[], run: () => Promise<T>): Promise<T> {
    const marks = subTables.map(({ key }) => commonBits(key));
    const earlier = (): Promise<unknown> | undefined => {
      for (const mark of marks) {
        const running = this.#inHand.get(mark);
        if (running !== undefined) return running;
      }
      return undefined;
    };
    for (let running = earlier(); running !== undefined; running = earlier()) await running.catch(() => undefined);
    const work = run();
    for (const mark of marks) this.#inHand.set(mark, work);
    try {
      return await work;
    } finally {
      for (const mark of marks) this.#inHand.delete(mark);
    }
  }

  /**
   * Marks sub-tables as dropped in the registry and where their tags are kept, so that no query by tags and no list
   * shows them.
   */
  async markDropped(database: DatabaseDef, superTable: TableDef, subTables: readonly NamedSeries[]): Promise<void> {
    for (let from = 0; from < subTables.length; from += maxAtOnce) {
      await this.#markSome(database, superTable, subTables.slice(from, from + maxAtOnce));
    }
  }

  /**
   * Like {@link SubTables.markDropped}, of those that a writer with an older catalogue has registered once more since
   * they were marked.
   */
  async markAgain(database: DatabaseDef, superTable: TableDef, subTables: readonly NamedSeries[]): Promise<void> {
    const registered = await this.#registry.undropped(database, subTables);
    const some = subTables.filter(({ key }) => registered.has(key));
    await this.markDropped(database, superTable, some);
  }

  async #markSome(database: DatabaseDef, superTable: TableDef, subTables: readonly NamedSeries[]): Promise<void> {
    const created = Date.now();
    const shared = { database: database.id, parent: superTable.id, created: BigInt(created) };
    const marks = { t: superTable.number, ts: created, dropped: 1, revision: lastRevision };
    const rows = subTables.map(({ id, name }) => JSON.stringify({ ...marks, id: String(id), name })).join('\n');
    const list = `${marks.t === undefined ? '' : 't, '}id, ts, name, dropped, revision`;
    await Promise.all([
      this.#registry.insert({ ...shared, dropped: true, subTables }),
      this.#engine.insert(
        { table: superTable.tagStorage ?? '', columns: list, format: 'JSONEachRow' },
        Buffer.from(rows),
      ),
    ]);
  }

  /** Takes the sub-tables of a super table or database that was dropped whole out of the registry. */
  async forgetAll({ id }: DatabaseDef, superTable?: TableDef): Promise<void> {
    await this.prepare();
    const ofParent = superTable === undefined ? '' : ` AND parent = ${quoteString(superTable.id)}`;
    await this.#removals.call(`database = ${quoteString(id)}${ofParent}`);
  }

  async #forgetTogether(dropped: readonly string[]): Promise<readonly undefined[]> {
    const where = dropped.map((condition) => `(${condition})`).join(' OR ');
    await this.#engine.define({ change: 'delete-rows', table: 'sluice.sub_tables', where, isUnseen: true });
    return dropped.map(() => undefined);
  }

  /**
   * Gives a registered sub-table other tag values; tags that are not named keep theirs. Changes by this process come
   * one after the other; of changes that two processes make to one sub-table in the same moment the later one stands.
   */
  async setTags(superTable: TableDef, { key, id }: SubTable, values: ReadonlyMap<string, TagValue>): Promise<void> {
    await this.#inTurn(key, () => this.setTagsWhere(superTable, ofSeries([id]), values));
  }

  /** The same for all sub-tables of a super table that meet a condition of the engine, at once. */
  async setTagsWhere(superTable: TableDef, which: Expr, values: ReadonlyMap<string, TagValue>): Promise<void> {
    await this.#engine.exec(tagChange(superTable, which, values), { changes: [superTable.tagStorage ?? ''] });
  }

  /**
   * Gives those of the sub-tables that are registered the values of tags in which they have none: arriving data has
   * made tags anew that statements had dropped or renamed, see {@link TableDef.hasLostTags}. Other values stay as they
   * are.
   */
  async fillTags(database: DatabaseDef, superTable: TableDef, subTables: readonly SubTable[]): Promise<void> {
    const keys = subTables.map(({ key }) => key);
    for (const { some, statement } of tagFills(superTable, subTables, await this.#registry.read(database, keys))) {
      await this.#exclusively(some, () => this.#engine.exec(statement, { changes: [superTable.tagStorage ?? ''] }));
    }
  }

  /** Gives a registered sub-table another comment or time to live. */
  async setOption(database: DatabaseDef, { key }: SubTable, option: SubTableOption): Promise<void> {
    await this.prepare();
    const comment = 'comment' in option ? quoteString(option.comment) : 'comment';
    const ttl = 'ttl' in option ? option.ttl : 'ttl';
    const change = `INSERT INTO sluice.sub_tables (database, id, lead, name, parent, ttl, created, dropped, comment)
      SELECT database, id, lead, name, parent, ${ttl}, created, dropped, ${comment} FROM sluice.sub_tables FINAL
      WHERE database = ${quoteString(database.id)} AND id = ${key} AND dropped = 0`;
    await this.#inTurn(key, () => this.#engine.exec(change, { changes: ['sluice.sub_tables'] }));
  }

  /** Runs changes of one sub-table one after the other. */
  async #inTurn(key: bigint, change: () => Promise<void>): Promise<void> {
    await this.#exclusively([{ key }], change);
  }

  /** Memory of a database; where a drop touched it, it is read again. */
  #rememberedOf(database: DatabaseDef): Remembered {
    const epoch = this.#catalogue.epoch(database.name);
    const remembered = this.#remembered.get(database.id);
    if (remembered?.epoch === epoch) return remembered;
    this.#rememberedCount -= remembered?.byName.size ?? 0;
    const fresh = { epoch, byName: new Map<string, SubTable>() };
    this.#remembered.set(database.id, fresh);
    return fresh;
  }

  /** The key a sub-table of this name has or would get, whether it is registered or not. */
  keyOf(database: DatabaseDef, name: string): bigint {
    return subTableKey(database.id, name, this.#catalogue.generation(database.name, name));
  }

  #remember({ byName }: Remembered, subTable: SubTable): void {
    if (this.#rememberedCount >= maxRemembered) {
      for (const others of this.#remembered.values()) others.byName.clear();
      this.#rememberedCount = 0;
    }
    if (!byName.has(subTable.name)) this.#rememberedCount++;
    byName.set(subTable.name, subTable);
  }

  /** Stores the tags of new sub-tables; of tables that share a place, those that come at once share an insert. */
  async #insertTags({ tagStorage = '', number }: TableDef, rows: TableRows): Promise<void> {
    if (number === undefined) return this.#insertTagsOf(tagStorage, [rows]);
    await this.#tagInsertions.call(tagStorage, rows);
  }

  async #insertTagsOf(tagStorage: string, tables: readonly TableRows[]): Promise<void> {
    await this.#engine.insert(insertOf(tagStorage, tables), encodeTables(tables));
  }

  async #write(database: DatabaseDef, superTable: TableDef, subTables: readonly SubTable[]): Promise<void> {
    const created = BigInt(Date.now());
    const block = new BlockBuilder(database.name, superTable.name, 'overwrite', subTables.length);
    const name = block.addColumn('name', dataType('VARCHAR', 192));
    const tags = superTable.tags.map((tag) => ({ tag, column: block.addColumn(`tag ${tag.name}`, tag.type) }));
    for (const subTable of subTables) {
      const row = block.rows;
      block.setKey(subTable.id, created);
      name.putText(row, subTable.name);
      for (const { tag, column } of tags) putTag(column, row, subTable.tags.get(sentName(tag)));
      block.rows++;
    }
    const columns = [
      { physical: 'name', name: 'name', type: name.type },
      ...tags.map(({ tag }) => ({ physical: tag.physical, name: `tag ${tag.name}`, type: tag.type })),
    ];
    await this.#insertTags(superTable, { number: superTable.number, columns, blocks: [block.finish()] });
    const shared = { database: database.id, parent: superTable.id, created };
    await this.#registry.insert({ ...shared, dropped: false, subTables });
  }
}

function conflict(row: Registered, subTable: SubTable, parent: TableDef, superTable: TableDef): Fault | undefined {
  if (row.name !== subTable.name) {
    const text = `"${subTable.name}" has the same 64-bit id as "${row.name}"; choose another name`;
    return fault('database', Codes.tableAlreadyExists, text);
  }
  if (parent.id === superTable.id) return undefined;
  return refusals.tableInOtherStable;
}
