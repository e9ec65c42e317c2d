import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { Access } from '../../database/catalogue/rights.js';
import type { Engine } from '../../database/engine/engine.js';
import type { SubTables } from '../../database/store/sub-tables.js';
import type { ColumnMeta } from '../../model/exchange.js';
import { dataType, type TypeName } from '../../model/schema.js';
import type { Query } from '../../sql/syntax/ast.js';
import type { SystemRelation } from '../../sql/values/context.js';
import type { InlineRow } from './inline.js';

/** A query or write that runs now. */
export interface RunningStatement {
  /** The process that it runs in. */
  readonly pid: number;
  /** Rises with every statement of that process. */
  readonly id: number;
  readonly user: string;
  /** The first part of its text. */
  readonly sql: string;
  /** Unix ms. */
  readonly began: number;
}

/** Name and value of one setting, as SHOW VARIABLES lists it. */
export interface Variable {
  readonly name: string;
  readonly value: string;
}

/** Facts from which system tables are made. */
export interface SystemFacts {
  readonly catalogue: Catalogue;
  /** The user of the query: what this user may not know of is left out. */
  readonly access: Access;
  readonly subTables: SubTables;
  /** IANA zone of times without one. */
  readonly zone: string;
  readonly engine: Engine;
  /** Name and port under which the node is listed. */
  readonly endpoint: string;
  /** Start of this process, Unix ms. */
  readonly started: number;
  readonly nowMs: number;
  readonly variables: readonly Variable[];
  /** Statements that run now, also in other processes of the service. */
  readonly running: readonly RunningStatement[];
  /** Connections that clients keep open, also with other processes of the service. */
  readonly connections: readonly ListedConnection[];
  /** Statements of this process that have run or run. */
  readonly statements: number;
}

/** Values that WHERE demands of columns: a table may leave out rows that have others. */
export type Demands = ReadonlyMap<string, string>;

/** A connection as lists show it. Times are Unix ms. */
export interface ListedConnection {
  /** The process that has it. */
  readonly pid: number;
  readonly id: number;
  readonly user: string;
  readonly application: string;
  readonly connector: string;
  readonly address: string;
  readonly began: number;
  readonly lastUsed: number;
}

/**
 * A table of information_schema or performance_schema. One of both: `rows`, made in memory, or `sql`, a SELECT of the
 * engine with the columns c1, c2 …
 */
export interface SystemTable {
  readonly columns: readonly ColumnMeta[];
  /** Set for lists of the states of nodes and the keeper, which are there while the catalogue cannot be read. */
  readonly isOfState?: true;
  readonly rows?: (facts: SystemFacts) => Iterable<InlineRow>;
  readonly sql?: (facts: SystemFacts, demands: Demands) => Promise<string>;
}

/** The system tables as queries use them. `current` is the database of names without one. */
export interface SystemTables {
  /** True when a query reads system tables. */
  areNamed(query: Query, current: string | undefined): boolean;

  /** True when it reads some that must show what other processes have just made. */
  listCatalogue(query: Query, current: string | undefined): boolean;

  /**
   * The system tables that a query names, as the planner reads them. Throws a FaultError without the right to read one.
   */
  relations(
    query: Query,
    current: string | undefined,
    facts: SystemFacts,
  ): Promise<(database: string, name: string) => SystemRelation | undefined>;
}

/**
 * Columns from a text such as `name V64, vgroups INT, create_time TS`: V is VARCHAR of that length, TS TIMESTAMP, U
 * before a type UNSIGNED.
 */
export function columnsOf(text: string): readonly ColumnMeta[] {
  return text.split(',').map((item) => {
    const [name = '', type = ''] = item.trim().split(' ');
    const length = /^V(\d+)$/.exec(type)?.[1];
    if (length !== undefined) return { name, type: dataType('VARCHAR', Number(length)) };
    const known = typeNames[type];
    if (known === undefined) throw new Error(`No type is called ${type}.`);
    return { name, type: dataType(known) };
  });
}

const typeNames: Readonly<Record<string, TypeName>> = {
  TS: 'TIMESTAMP',
  BOOL: 'BOOL',
  TINYINT: 'TINYINT',
  SMALLINT: 'SMALLINT',
  INT: 'INT',
  BIGINT: 'BIGINT',
  DOUBLE: 'DOUBLE',
  UINT: 'INT UNSIGNED',
  UBIGINT: 'BIGINT UNSIGNED',
};
