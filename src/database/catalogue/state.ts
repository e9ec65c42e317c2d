import { Codes, type Fault, fault, missingDatabase } from '../../model/fault.js';
import { named, refusals } from '../../model/refusals.js';
import { everyDatabase } from '../../model/rights.js';
import type { DatabaseDef, TableDef, ViewDef } from '../../model/schema.js';
import { applyToTable, createTable, dropTable, extendTable, type TableSpace, takesTag } from './apply-table.js';
import { Derivations } from './derivations.js';
import { Documents } from './documents.js';
import type { LogEntry, Operation, TopicOperation } from './operations.js';
import { Principals } from './principals.js';
import { Topics } from './topics.js';

/** Operation inside a database. */
type OperationInside = Exclude<Extract<Operation, { database: string }>, TopicOperation>;

/** Everything inside one database. */
interface DatabaseEntry extends TableSpace {
  readonly views: Map<string, ViewDef>;
  /** Names of the tables by id. */
  readonly names: Map<string, string>;
  /** How often a sub-table of a name was dropped; names never dropped are absent. */
  readonly generations: Map<string, number>;
  /** Position of the last entry under which something of this database went away, or of its creation. */
  readonly epoch: number;
  /** By name of a super table or normal table: position of the last entry that dropped it or one of its sub-tables. */
  readonly drops: Map<string, number>;
  /**
   * By name of a super table: the removals of rows of dropped sub-tables that are not over, with the times of the
   * drops, Unix ms.
   */
  readonly removals: Map<string, Map<string, number>>;
  /** Position of the entry that created it. */
  readonly createdAt: number;
  readonly vgroups: Vgroups;
}

/** The vgroups of a database: `count` numbers from `first` on, which no other database ever has. */
export interface Vgroups {
  readonly first: number;
  readonly count: number;
}

/** The first vgroup of an installation, and how many a database has that does not say. */
const firstVgroup = 2;
const defaultVgroups = 2;

/**
 * The catalogue as a pure fold over the log: two processes that have read the same entries hold the same state, and an
 * operation that does not fit the state before it (a second CREATE of one name) is refused by all of them alike.
 */
export class CatalogueState {
  readonly #databases = new Map<string, DatabaseEntry>();
  /** Users, what they may do, and their tokens. */
  readonly principals = new Principals();
  readonly topics = new Topics();
  /** Streams and TSMAs. */
  readonly derivations = new Derivations();
  /** Dashboards and saved queries. */
  readonly documents = new Documents();
  #secret: string | undefined;
  #nextVgroup = firstVgroup;
  #began: number | undefined;

  /** Applies an entry; for each operation a fault when it was refused. */
  apply(entry: LogEntry): readonly (Fault | undefined)[] {
    this.#began ??= entry.at;
    return entry.operations.map((operation, index) => this.#applyOne(operation, entry, index));
  }

  database(name: string): DatabaseDef | undefined {
    return this.#databases.get(name)?.def;
  }

  databases(): readonly DatabaseDef[] {
    return [...this.#databases.values()].map((entry) => entry.def);
  }

  /** A super table or normal table. */
  table(database: string, name: string): TableDef | undefined {
    return this.#databases.get(database)?.tables.get(name)?.def;
  }

  tableById(database: string, id: string): TableDef | undefined {
    const space = this.#databases.get(database);
    return space?.tables.get(space.names.get(id) ?? '')?.def;
  }

  tables(database: string): readonly TableDef[] {
    return [...(this.#databases.get(database)?.tables.values() ?? [])].map((entry) => entry.def);
  }

  view(database: string, name: string): ViewDef | undefined {
    return this.#databases.get(database)?.views.get(name);
  }

  views(database: string): readonly ViewDef[] {
    return [...(this.#databases.get(database)?.views.values() ?? [])];
  }

  /** How often a sub-table of this name was dropped; part of its id. */
  generation(database: string, name: string): number {
    return this.#databases.get(database)?.generations.get(name) ?? 0;
  }

  /** The names of dropped sub-tables, with how often each was dropped. */
  generations(database: string): ReadonlyMap<string, number> {
    return this.#databases.get(database)?.generations ?? new Map();
  }

  /** A number that changes whenever what is remembered about the series of a database may be wrong. */
  epoch(database: string): number {
    return this.#databases.get(database)?.epoch ?? 0;
  }

  /**
   * Position of the last entry that took series or their tags away from a table of this name: a drop of the table, of
   * one of its sub-tables or tags, another name of a tag, or a drop of the database before this one. What was looked up
   * at an earlier {@link epoch} may be wrong.
   */
  lastDrop(database: string, table: string): number {
    const space = this.#databases.get(database);
    if (space === undefined) return Number.POSITIVE_INFINITY;
    return space.drops.get(table) ?? space.createdAt;
  }

  /** The removals of rows of dropped sub-tables that are not over, with the times of the drops, Unix ms. */
  removals(database: string, table: string): ReadonlyMap<string, number> {
    return this.#databases.get(database)?.removals.get(table) ?? noRemovals;
  }

  /** The number of the next table of a database that shares its storage: all numbers below were given. */
  nextNumber(database: string): number {
    return this.#databases.get(database)?.numbers.next ?? 0;
  }

  /** The vgroups of a database; none when it does not exist. */
  vgroups(database: string): Vgroups {
    return this.#databases.get(database)?.vgroups ?? { first: firstVgroup, count: 0 };
  }

  /** When a table was changed last, Unix ms; undefined when it does not exist. */
  lastUpdate(database: string, table: string): number | undefined {
    return this.#databases.get(database)?.tables.get(table)?.updated;
  }

  /** When the installation began, Unix ms: the time of the first entry. */
  get began(): number | undefined {
    return this.#began;
  }

  /** The secret all processes on this database share, base64; undefined until one was made. */
  get secret(): string | undefined {
    return this.#secret;
  }

  #applyOne(operation: Operation, entry: LogEntry, index: number): Fault | undefined {
    switch (operation.op) {
      case 'create-database':
        return this.#createDatabase(operation, entry, index);
      case 'alter-database':
        return this.#alterDatabase(operation);
      case 'drop-database':
        return this.#dropDatabase(operation);
      case 'create-secret':
        this.#secret ??= operation.secret;
        return undefined;
      case 'create-topic':
        if (!this.#databases.has(operation.database)) return missingDatabase(operation.database);
        return this.topics.apply(operation, entry, index);
      case 'drop-topic':
      case 'grant-topic':
      case 'revoke-topic':
        return this.topics.apply(operation, entry, index);
      case 'drop-user':
        this.topics.forgetUser(operation.name);
        this.documents.forgetUser(operation.name);
        return this.principals.apply(operation, entry);
      case 'create-user':
      case 'alter-user':
      case 'create-token':
      case 'alter-token':
      case 'drop-token':
        return this.principals.apply(operation, entry);
      case 'create-document':
      case 'replace-document':
      case 'drop-document':
        return this.documents.apply(operation, entry, (name) => this.principals.user(name) !== undefined);
      case 'create-stream':
        for (const { database } of [operation.source, operation.target]) {
          if (!this.#databases.has(database)) return missingDatabase(database);
        }
        return this.derivations.apply(operation, entry, index);
      case 'drop-stream':
      case 'switch-stream':
        return this.derivations.apply(operation, entry, index);
      case 'grant':
      case 'revoke':
        return this.#missingScope(operation) ?? this.principals.apply(operation, entry);
      default:
        return this.#applyInside(operation, entry, index);
    }
  }

  #createDatabase(
    operation: Extract<Operation, { op: 'create-database' }>,
    entry: LogEntry,
    index: number,
  ): Fault | undefined {
    if (this.#databases.has(operation.name)) return refusals.databaseAlreadyExists;
    const { name, precision, keepDays, options, owner } = operation;
    if (owner !== undefined) this.principals.own(name, owner);
    const id = `d${entry.position}_${index}`;
    const def = { id, name, precision, keepDays, options, created: entry.at };
    const nothing = { tables: new Map(), views: new Map(), names: new Map(), generations: new Map(), drops: new Map() };
    const removals = new Map();
    const vgroups = { first: this.#nextVgroup, count: Number(options.VGROUPS ?? defaultVgroups) };
    this.#nextVgroup += vgroups.count;
    const placing = { numbers: { next: 1 }, shapes: new Map() };
    this.#databases.set(name, {
      def,
      ...nothing,
      ...placing,
      removals,
      vgroups,
      epoch: entry.position,
      createdAt: entry.position,
    });
    return undefined;
  }

  #dropDatabase({ name, id }: Extract<Operation, { op: 'drop-database' }>): Fault | undefined {
    if (this.#databases.get(name)?.def.id !== id) return missingDatabase(name);
    const kept = this.topics.keepsDatabase(name);
    if (kept !== undefined) return kept;
    this.#databases.delete(name);
    this.principals.forgetDatabase(name);
    this.derivations.forgetDatabase(name);
    return undefined;
  }

  #alterDatabase(operation: Extract<Operation, { op: 'alter-database' }>): Fault | undefined {
    const space = this.#databases.get(operation.name);
    if (space === undefined) return missingDatabase(operation.name);
    const def: DatabaseDef = {
      ...space.def,
      keepDays: operation.keepDays ?? space.def.keepDays,
      options: { ...space.def.options, ...operation.options },
    };
    this.#databases.set(operation.name, { ...space, def });
    return undefined;
  }

  #applyInside(operation: OperationInside, entry: LogEntry, index: number): Fault | undefined {
    const space = this.#databases.get(operation.database);
    if (space === undefined) return missingDatabase(operation.database);
    const { name } = operation;
    switch (operation.op) {
      case 'create-tsma':
        if (!space.tables.has(operation.table)) return refusals.tableNotExist;
        return this.derivations.apply(operation, entry, index);
      case 'drop-tsma':
        return this.derivations.apply(operation, entry, index);
      case 'create-view':
      case 'drop-view':
        return applyToViews(space, operation, entry);
      case 'create-table':
      case 'extend-table':
        return defineTable(space, operation, entry, index);
      case 'alter-table':
        return this.#alterTable(space, operation, entry);
      case 'rows-removed': {
        const open = space.removals.get(name);
        for (const removal of operation.removals) open?.delete(removal);
        return undefined;
      }
      case 'drop-table':
        return this.#dropTable(space, operation, entry);
      case 'drop-sub-table':
        return this.#dropSubTable(space, operation, entry);
    }
  }

  #alterTable(
    space: DatabaseEntry,
    operation: Extract<Operation, { op: 'alter-table' }>,
    entry: LogEntry,
  ): Fault | undefined {
    const { database, name, change } = operation;
    const refused =
      this.topics.keepsColumn(database, name, change) ??
      this.#fieldInUse(operation) ??
      applyToTable(space, operation, entry);
    if (refused !== undefined || !takesTag(change)) return refused;
    // Writers look their series up again, and give them the values of tags that they make anew.
    space.drops.set(name, entry.position);
    this.#databases.set(database, { ...space, epoch: entry.position });
    return undefined;
  }

  #dropTable(
    space: DatabaseEntry,
    operation: Extract<Operation, { op: 'drop-table' }>,
    entry: LogEntry,
  ): Fault | undefined {
    const { database, name } = operation;
    if (space.tables.get(name)?.def.id !== operation.id) return refusals.tableNotExist;
    const kept = this.topics.keepsTable(database, name);
    if (kept !== undefined) return kept;
    dropTable(space, name);
    space.names.delete(operation.id);
    space.drops.set(name, entry.position);
    space.removals.delete(name);
    this.principals.forgetTable(database, name);
    this.derivations.forgetTable(database, name);
    this.#databases.set(database, { ...space, epoch: entry.position });
    return undefined;
  }

  #dropSubTable(
    space: DatabaseEntry,
    operation: Extract<Operation, { op: 'drop-sub-table' }>,
    entry: LogEntry,
  ): Fault | undefined {
    const { database, name } = operation;
    if ((space.generations.get(name) ?? 0) !== operation.generation) return refusals.tableNotExist;
    space.generations.set(name, operation.generation + 1);
    space.drops.set(operation.superTable, entry.position);
    noteRemoval(space, operation, entry);
    this.principals.forgetTable(database, name);
    this.#databases.set(database, { ...space, epoch: entry.position });
    return undefined;
  }

  /** A column that a TSMA is made of stays as it is called. */
  #fieldInUse({ database, name, change }: Extract<Operation, { op: 'alter-table' }>): Fault | undefined {
    const column =
      change.kind === 'drop-column' ? change.name : change.kind === 'rename-column' ? change.from : undefined;
    if (column === undefined || this.derivations.tsmaWith(database, name, column) === undefined) return undefined;
    return fault('database', Codes.fieldUsedByTsma, `Field used by tsma: ${column}`);
  }

  /** A right on one database needs the database: what is made later under its name is another one. */
  #missingScope(operation: Extract<Operation, { op: 'grant' | 'revoke' }>): Fault | undefined {
    const { op, scope } = operation;
    return op === 'grant' && scope !== everyDatabase && !this.#databases.has(scope)
      ? missingDatabase(scope)
      : undefined;
  }
}

const noRemovals: ReadonlyMap<string, number> = new Map();

function noteRemoval(
  { removals }: DatabaseEntry,
  { superTable, removal }: Extract<Operation, { op: 'drop-sub-table' }>,
  { at }: LogEntry,
): void {
  if (removal === undefined) return;
  const open = removals.get(superTable) ?? new Map();
  removals.set(superTable, open.set(removal, Math.min(at, open.get(removal) ?? at)));
}

function defineTable(
  space: DatabaseEntry,
  operation: Extract<Operation, { op: 'create-table' | 'extend-table' }>,
  entry: LogEntry,
  index: number,
): Fault | undefined {
  const { name } = operation;
  if (space.views.has(name)) return refusals.tableAlreadyExists;
  const refused =
    operation.op === 'create-table'
      ? createTable(space, operation, entry, index)
      : extendTable(space, operation, entry, index);
  const table = space.tables.get(name)?.def;
  if (table !== undefined) space.names.set(table.id, name);
  return refused;
}

function applyToViews(
  { tables, views }: DatabaseEntry,
  operation: Extract<Operation, { op: 'create-view' | 'drop-view' }>,
  { at }: LogEntry,
): Fault | undefined {
  const { database, name } = operation;
  if (operation.op === 'drop-view') return views.delete(name) ? undefined : named(refusals.viewNotExist, name);
  const { text, current, user, replace } = operation;
  if (tables.has(name)) return refusals.tableAlreadyExists;
  if (views.has(name) && !replace) return fault('database', Codes.viewAlreadyExists, 'View already exists');
  views.set(name, { name, database, text, current, user, created: at });
  return undefined;
}
