import { BlockBuilder, type ColumnBuilder } from '../../model/column-block.js';
import type { Fault } from '../../model/fault.js';
import { Codes, fault } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import type { ColumnDef, DatabaseDef, DataType, SubTable, TableDef, TagValue } from '../../model/schema.js';
import { dataType, isVariable, markRegistered, noTags } from '../../model/schema.js';
import { Slice } from '../../model/slice.js';
import { quoteIdentifier, quoteString } from '../../sql/engine/quote.js';
import { allOf } from '../../sql/engine/select.js';
import { castToEngine, ofSeries, ofTable } from '../../sql/engine/storage.js';
import type { Engine } from '../engine/engine.js';
import { Gathered, GatheredByPlace } from '../engine/gathered.js';
import { encodeTables, insertStatement, type TableRows } from '../engine/native-block.js';
import type { Catalogue } from './catalogue.js';
import { subTableId } from './identity.js';
import { overtaken } from './overtaken.js';
import { type Registered, Registry } from './registry.js';

/** Sub-tables remembered per process; beyond it all are forgotten and read again as they come. */
const maxRemembered = 500_000;
/** Sub-tables registered at a time: what is done for them in memory holds up everybody else meanwhile. */
const maxRegisteredAtOnce = 8_192;

/** Revision of the row that hides a dropped sub-table: above that of any change of its tags. */
const lastRevision = '18446744073709551615';

/** Sub-tables of a database by name, since the last drop in it. */
interface Remembered {
  readonly epoch: number;
  readonly byName: Map<string, SubTable>;
}

/** What ALTER TABLE changes of one sub-table beside its tags. */
type SubTableOption = { readonly comment: string } | { readonly ttl: number };

/**
 * The registry of sub-tables: which names exist, under which super table, with which tags. Truth is in the engine;
 * this process remembers what it has made or looked up. Ids are hashes of names, so that two writers that create the
 * same sub-table at once write the same row.
 */
export class SubTables {
  readonly #engine: Engine;
  readonly #catalogue: Catalogue;
  readonly #registry: Registry;
  /** By id of their database. */
  readonly #remembered = new Map<string, Remembered>();
  #rememberedCount = 0;
  /** Registrations that run, by sub-table id. */
  readonly #inHand = new Map<bigint, Promise<unknown>>();
  readonly #tagInsertions = new GatheredByPlace((place, tags: readonly TableRows[]) => this.#insertTagsOf(place, tags));
  readonly #removals = new Gathered((dropped: readonly string[]) => this.#forgetTogether(dropped));

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
   * The registered sub-table of a name as remembered, or a new one that becomes known only when it is registered. Pure in
   * memory, for parsers; tags matter only for a new one.
   */
  make(
    database: DatabaseDef,
    superTable: string,
    name: string,
    tags: ReadonlyMap<string, TagValue>,
    ttl: number,
  ): SubTable {
    const known = this.known(database, name);
    if (known !== undefined && known.superTable === superTable) return known;
    return { id: this.idOf(database, name), name, superTable, tags, ttl, registered: false };
  }

  /** A registered sub-table remembered by name, or undefined when it must be looked up. */
  known(database: DatabaseDef, name: string): SubTable | undefined {
    return this.#rememberedOf(database).byName.get(name);
  }

  /** Looks names up in the engine; names that do not exist are missing in the answer. */
  async lookUp(database: DatabaseDef, names: readonly string[]): Promise<ReadonlyMap<string, SubTable>> {
    const found = new Map<string, SubTable>();
    const byId = new Map<bigint, string>();
    // What a drop takes away while the engine is asked must not be remembered for the time after it.
    const remembered = this.#rememberedOf(database);
    const slice = new Slice();
    for (const name of names) {
      if (slice.isOver()) await slice.next();
      const known = this.known(database, name);
      if (known !== undefined) found.set(name, known);
      else byId.set(this.idOf(database, name), name);
    }
    for (const { id, name, ttl, parent } of await this.#registry.read(database, [...byId.keys()])) {
      const superTable = this.#catalogue.tableById(database.name, parent)?.name;
      if (superTable === undefined || byId.get(id) !== name) continue;
      const subTable = { id, name, superTable, tags: noTags, ttl, registered: true };
      this.#remember(remembered, subTable);
      found.set(name, subTable);
    }
    return found;
  }

  /**
   * Registers sub-tables of one super table: those the engine does not know are written, tags first, so that a
   * registered sub-table always has its tags. A name that a table or a sub-table of another super table has, or an id
   * that belongs to another name, is a fault and no more are registered; a sub-table that was dropped since it was made
   * is {@link overtaken}. Many are registered some at a time.
   */
  async register(
    database: DatabaseDef,
    superTable: TableDef,
    subTables: readonly SubTable[],
  ): Promise<Fault | undefined> {
    const wanted = subTables.filter((subTable) => !subTable.registered);
    for (let from = 0; from < wanted.length; from += maxRegisteredAtOnce) {
      const some = wanted.slice(from, from + maxRegisteredAtOnce);
      const problem = await this.#registerSome(database, superTable, some);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  async #registerSome(
    database: DatabaseDef,
    superTable: TableDef,
    wanted: readonly SubTable[],
  ): Promise<Fault | undefined> {
    const remembered = this.#rememberedOf(database);
    if (wanted.some(({ id, name }) => id !== this.idOf(database, name))) return overtaken;
    const problem = await this.#exclusively(wanted, () => this.#registerMissing(database, superTable, wanted));
    if (problem !== undefined) return problem;
    for (const subTable of wanted) {
      markRegistered(subTable);
      this.#remember(remembered, subTable);
    }
    return undefined;
  }

  async #registerMissing(
    database: DatabaseDef,
    superTable: TableDef,
    wanted: readonly SubTable[],
  ): Promise<Fault | undefined> {
    const missing = new Map(wanted.map((subTable) => [subTable.id, subTable]));
    for (const row of await this.#registry.read(database, [...missing.keys()])) {
      const parent = this.#catalogue.tableById(database.name, row.parent);
      const subTable = missing.get(row.id);
      if (parent === undefined || subTable === undefined) continue;
      const problem = conflict(row, subTable, parent, superTable);
      if (problem !== undefined) return problem;
      missing.delete(row.id);
    }
    if (missing.size === 0) return undefined;
    const names = [...missing.values()].map(({ name }) => name);
    const taken = this.#takenByTable(database, names);
    if (taken !== undefined) return taken;
    await this.#write(database, superTable, [...missing.values()]);
    // A table of such a name may have been created meanwhile: the later look sees both.
    await this.#catalogue.sync();
    return this.#takenByTable(database, names);
  }

  #takenByTable(database: DatabaseDef, names: readonly string[]): Fault | undefined {
    const taken = names.find((name) => this.#catalogue.table(database.name, name) !== undefined);
    return taken === undefined ? undefined : refusals.tableAlreadyExists;
  }

  /** Runs registrations that share a sub-table one after the other, so that the later one sees what the first has done. */
  async #exclusively<T>(subTables: readonly Pick<SubTable, 'id'>[], run: () => Promise<T>): Promise<T> {
    const earlier = (): Promise<unknown> | undefined => {
      for (const { id } of subTables) {
        const running = this.#inHand.get(id);
        if (running !== undefined) return running;
      }
      return undefined;
    };
    for (let running = earlier(); running !== undefined; running = earlier()) await running.catch(() => undefined);
    const work = run();
    for (const { id } of subTables) this.#inHand.set(id, work);
    try {
      return await work;
    } finally {
      for (const { id } of subTables) this.#inHand.delete(id);
    }
  }

  /**
   * Marks sub-tables as dropped in the registry, and then where their tags are kept, so that no query by tags and no list
   * shows them.
   */
  async markDropped(
    database: DatabaseDef,
    superTable: TableDef,
    subTables: readonly Pick<SubTable, 'id' | 'name'>[],
  ): Promise<void> {
    const created = Date.now();
    const shared = { database: database.id, parent: superTable.id, created: BigInt(created) };
    await this.#registry.insert({ ...shared, dropped: true, subTables });
    const { number: t, tagStorage } = superTable;
    const rows = subTables.map(({ id, name }) =>
      JSON.stringify({ t, id: String(id), ts: created, name, dropped: 1, revision: lastRevision }),
    );
    const list = `${t === undefined ? '' : 't, '}id, ts, name, dropped, revision`;
    const data = Buffer.from(rows.join('\n'));
    await this.#engine.insert(`INSERT INTO ${tagStorage} (${list}) FORMAT JSONEachRow`, data);
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
   * Gives a registered sub-table other tag values; tags that are not named keep theirs. Changes by this process come one
   * after the other; of changes that two processes make to one sub-table in the same moment the later one stands.
   */
  async setTags(superTable: TableDef, { id }: SubTable, values: ReadonlyMap<string, TagValue>): Promise<void> {
    const columns = superTable.tags.map(({ physical }) => quoteIdentifier(physical));
    const items = superTable.tags.map((tag, at) =>
      values.has(tag.name) ? tagConstant(tag, values.get(tag.name)) : (columns[at] ?? ''),
    );
    const storage = superTable.tagStorage;
    const t = superTable.number === undefined ? '' : 't, ';
    const where = allOf([...ofTable(superTable), ofSeries([id]), 'dropped = 0']);
    const change = `INSERT INTO ${storage} (${t}id, ts, name, revision, ${columns.join(', ')})
      SELECT ${t}id, ts, name, revision + 1, ${items.join(', ')} FROM ${storage} FINAL WHERE ${where}`;
    await this.#inTurn(id, () => this.#engine.exec(change));
  }

  /** Gives a registered sub-table another comment or time to live. */
  async setOption(database: DatabaseDef, { id }: SubTable, option: SubTableOption): Promise<void> {
    await this.prepare();
    const comment = 'comment' in option ? quoteString(option.comment) : 'comment';
    const ttl = 'ttl' in option ? option.ttl : 'ttl';
    const change = `INSERT INTO sluice.sub_tables (database, id, name, parent, ttl, created, dropped, comment)
      SELECT database, id, name, parent, ${ttl}, created, dropped, ${comment} FROM sluice.sub_tables FINAL
      WHERE database = ${quoteString(database.id)} AND id = ${id} AND dropped = 0`;
    await this.#inTurn(id, () => this.#engine.exec(change));
  }

  /** Runs changes of one sub-table one after the other. */
  async #inTurn(id: bigint, change: () => Promise<void>): Promise<void> {
    await this.#exclusively([{ id }], change);
  }

  /** What is remembered of a database now: whatever a drop touched is read again. */
  #rememberedOf(database: DatabaseDef): Remembered {
    const epoch = this.#catalogue.epoch(database.name);
    const found = this.#remembered.get(database.id);
    if (found?.epoch === epoch) return found;
    this.#rememberedCount -= found?.byName.size ?? 0;
    const made = { epoch, byName: new Map<string, SubTable>() };
    this.#remembered.set(database.id, made);
    return made;
  }

  /** The id a sub-table of this name has or would get, whether it is registered or not. */
  idOf(database: DatabaseDef, name: string): bigint {
    return subTableId(database.id, name, this.#catalogue.generation(database.name, name));
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
    await this.#engine.insert(insertStatement(tagStorage, tables), encodeTables(tables));
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
      for (const { tag, column } of tags) putTag(column, row, subTable.tags.get(tag.name));
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

function conflict(row: Registered, wanted: SubTable, parent: TableDef, superTable: TableDef): Fault | undefined {
  if (row.name !== wanted.name) {
    const text = `"${wanted.name}" has the same 64-bit id as "${row.name}"; choose another name`;
    return fault('database', Codes.tableAlreadyExists, text);
  }
  if (parent.id === superTable.id) return undefined;
  return refusals.tableInOtherStable;
}

/** Puts a tag value from its text form; see {@link TagValue}. */
function putTag(column: ColumnBuilder, row: number, text: TagValue): void {
  if (text === undefined) return;
  const { type } = column;
  if (isBinary(type)) {
    const bytes = Buffer.from(text, 'hex');
    column.reserve(row);
    column.putBytes(row, bytes, 0, bytes.length);
  } else if (column.variable) column.putText(row, text);
  else column.putNumber(row, type.name === 'BOOL' ? Number(text === 'true') : text);
}

/** A tag value as an expression of the engine, of the type that its column has. */
function tagConstant({ type }: ColumnDef, text: TagValue): string {
  if (text === undefined) return 'NULL';
  if (isBinary(type)) return `unhex('${text}')`;
  return isVariable(type.name) ? quoteString(text) : castToEngine(quoteString(text), type);
}

function isBinary(type: DataType): boolean {
  return type.name === 'VARBINARY' || type.name === 'GEOMETRY';
}
