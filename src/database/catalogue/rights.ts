import { Codes, type Fault, FaultError, fault, missingDatabase } from '../../model/fault.js';
import { refusals } from '../../model/refusals.js';
import { administrator, everyDatabase, type Right, rights } from '../../model/rights.js';
import type { TopicDef } from '../../model/topic.js';
import { systemDatabases } from '../../sql/values/context.js';
import { quotedName } from '../../text/quoted-name.js';
import type { Catalogue } from './catalogue.js';

/** Lists of nodes, settings and of what runs: hidden from users without SYSINFO. */
const systemTables: ReadonlySet<string> = new Set(
  (
    'ins_dnodes ins_mnodes ins_qnodes ins_snodes ins_bnodes ins_anodes ins_anodes_full ins_xnodes ins_cluster ins_vnodes ins_vgroups ins_configs ' +
    'ins_dnode_variables ins_grants ins_grants_full ins_grants_logs ins_disk_usage ins_compacts ins_compact_details ins_encryptions ins_arbgroups ' +
    'perf_connections perf_queries perf_apps perf_trans perf_consumers'
  ).split(' '),
);

/**
 * Rights of one user, by the catalogue as it is at each call. The administrator may do everything, the maker of a
 * database everything with it, everybody else what GRANT gave.
 */
export class Access {
  readonly user: string;
  readonly #catalogue: Catalogue;
  readonly #isPartial: boolean;

  /** `isPartial`: reading under a condition on tags counts as reading; the caller applies {@link conditions}. */
  constructor(catalogue: Catalogue, user: string, isPartial = false) {
    this.#catalogue = catalogue;
    this.user = user;
    this.#isPartial = isPartial;
  }

  /** The same user, who may read tables in part. */
  get inPart(): Access {
    return new Access(this.#catalogue, this.user, true);
  }

  get isAdministrator(): boolean {
    return this.user === administrator;
  }

  get createsDatabases(): boolean {
    return this.isAdministrator || this.#catalogue.principals.user(this.user)?.createDatabase === true;
  }

  /** May see nodes, settings and what others run. */
  get seesSystem(): boolean {
    return this.isAdministrator || this.#catalogue.principals.user(this.user)?.sysinfo === true;
  }

  /** True for the administrator and the maker of a database: they alter and drop it. */
  owns(database: string): boolean {
    return this.isAdministrator || this.#catalogue.principals.owner(database) === this.user;
  }

  /**
   * True when a right holds on all of a database, or on one of the tables named: a table itself, or the one it lies in.
   * The system's own databases are there to be read.
   */
  may(right: Right, database: string, ...tables: readonly string[]): boolean {
    if (this.owns(database)) return true;
    if (systemDatabases.includes(database)) {
      return right === 'READ' && (this.seesSystem || !tables.some((table) => systemTables.has(table)));
    }
    const { principals } = this.#catalogue;
    return (
      principals.holds(this.user, right, everyDatabase) ||
      principals.holds(this.user, right, database) ||
      tables.some((table) => principals.holds(this.user, right, database, table)) ||
      (this.#isPartial && right === 'READ' && this.conditions(database, ...tables).length > 0)
    );
  }

  /** Conditions on tags, under one of which the user may read the rows of the tables named. */
  conditions(database: string, ...tables: readonly string[]): readonly string[] {
    return tables.flatMap((table) => this.#catalogue.principals.conditions(this.user, 'READ', database, table));
  }

  /** The tables of a database that grants of READ name, without a condition; they may be sub-tables. */
  readTables(database: string): readonly string[] {
    return this.#catalogue.principals.grants(this.user).flatMap(({ scope, table, condition, rights: granted }) => {
      const isWhole = scope === database && table !== undefined && condition === undefined;
      return isWhole && granted.includes('READ') ? [table] : [];
    });
  }

  /** True when the user may read some rows of a database, be it of a single table and under a condition. */
  readsSome(database: string): boolean {
    if (this.may('READ', database)) return true;
    const { principals } = this.#catalogue;
    return principals
      .grants(this.user)
      .some(({ scope, rights: granted }) => scope === database && granted.includes('READ'));
  }

  /** True where the user may read some tables in part. */
  get readsInPart(): boolean {
    return this.#catalogue.principals.grants(this.user).some(({ condition }) => condition !== undefined);
  }

  /** True when any right, be it on a single table, lets the user know that a database and its tables exist. */
  sees(database: string): boolean {
    if (rights.some((right) => this.may(right, database))) return true;
    return this.#catalogue.principals.grants(this.user).some(({ scope }) => scope === database);
  }

  /** The databases whose existence the user may know of, in the order of their making. */
  get databases(): readonly string[] {
    return this.#catalogue
      .databases()
      .map((database) => database.name)
      .filter((name) => this.sees(name));
  }

  /** True when there is a table that the user may write, or one may come that the user makes. */
  get writes(): boolean {
    const { principals } = this.#catalogue;
    return (
      this.createsDatabases ||
      principals.ownsAny(this.user) ||
      principals.grants(this.user).some(({ rights }) => rights.includes('WRITE'))
    );
  }

  /** Throws the refusal unless {@link may}. */
  require(right: Right, database: string, ...tables: readonly string[]): void {
    if (this.may(right, database, ...tables)) return;
    const hidden = right === 'READ' && systemDatabases.includes(database);
    throw hidden ? new FaultError(denied) : this.refusal(database, right);
  }

  /** Throws unless the user may consume a topic: as its maker, with SUBSCRIBE on it or on its database. */
  requireSubscription({ name, user, database }: TopicDef): void {
    const isOwn = user === this.user || this.#catalogue.topics.isGranted(name, this.user);
    if (!isOwn && !this.may('SUBSCRIBE', database)) throw insufficientPrivilege();
  }

  /** Throws the refusal unless {@link sees}. */
  requireSight(database: string): void {
    if (!this.sees(database)) throw this.refusal(database);
  }

  /**
   * Refusal for a user without a right, which it names where the user may know of the database: otherwise it is the
   * same whether that exists or not, except those who may make one, for their programs do so when it is missing.
   */
  refusal(database: string, right?: Right): FaultError {
    const isMissing = this.#catalogue.database(database) === undefined && this.createsDatabases;
    if (isMissing) return new FaultError(missingDatabase(database));
    const name = quotedName(database);
    const why =
      right === undefined || !this.sees(database)
        ? `: ${name}`
        : `; GRANT ${right} ON ${name}.* TO ${this.user} allows it`;
    return new FaultError({ ...denied, message: denied.message + why });
  }
}

const denied = refusals.permissionDenied;

/**
 * The refusal of a definition or of administration; of data it is `denied`, which hides whether there is such a table.
 */
export function insufficientPrivilege(): FaultError {
  return new FaultError(fault('database', Codes.insufficientPrivilege, 'Insufficient privilege for operation'));
}

/** True for the refusals of a known user who lacks a right. */
export function isDenied({ code }: Fault): boolean {
  return code === Codes.permissionDenied || code === Codes.insufficientPrivilege;
}
