import type { BoundColumn } from '../../model/bound-rows.js';
import type { ColumnBlock } from '../../model/column-block.js';
import type { DatabaseDef, SubTable, TableDef, TagValue } from '../../model/schema.js';

/** Answer from memory about a name: `absent` when there is no such table, `unknown` when it must be looked up first. */
export type Resolved =
  | { readonly kind: 'normal'; readonly table: TableDef }
  | { readonly kind: 'super'; readonly table: TableDef }
  | { readonly kind: 'sub'; readonly table: TableDef; readonly subTable: SubTable }
  | 'absent'
  | 'unknown';

/** A table name as stored, with its database. */
export interface TableName {
  readonly database: string;
  readonly name: string;
}

/** Questions of the scanner while it reads a statement; every answer comes from memory. */
export interface InsertContext {
  /** Database of table names that are written without one. */
  readonly currentDatabase: string | undefined;
  /** Time zone of timestamps that are written without one: an IANA name. */
  readonly zone: string;
  /** Unix nanoseconds that NOW means throughout the statement. */
  readonly nowNs: bigint;
  /**
   * Which texts must be UTF-8: those of tags where functions have given some, and none where they were logged, for they
   * were taken as they were.
   */
  readonly checksTexts?: 'all' | 'tags' | undefined;
  /** Rows that a client has bound, those of one VALUES after the other, which have none then. */
  readonly boundRows?: readonly (readonly BoundColumn[])[] | undefined;
  /** Undefined when there is no such database; called once every table name of it is known. */
  database(name: string): DatabaseDef | undefined;
  resolve(database: string, name: string): Resolved;
  /** First and last tick that a primary time of the database may have: its retention. */
  timeRange(database: DatabaseDef): { readonly min: bigint; readonly max: bigint };
  /**
   * The sub-table that a USING clause or a `tbname` row creates; called once per name and statement. It may be an
   * existing one, then `tags` are ignored. `tags` has every tag of the super table, undefined for NULL; `ttl` is in
   * days, 0 for ever. As the rest of the statement may still be refused, this must not make the name known to other
   * statements.
   */
  makeSubTable(
    database: DatabaseDef,
    superTable: TableDef,
    name: string,
    tags: ReadonlyMap<string, TagValue>,
    ttl: number,
  ): SubTable;
}

/**
 * Next step of a statement: look names up and scan again, or write blocks in their order. `rows` counts the tuples of
 * the statement, repeated keys included: the affected rows.
 */
export type InsertPlan =
  | { readonly kind: 'lookup'; readonly names: readonly TableName[] }
  | { readonly kind: 'blocks'; readonly blocks: readonly ColumnBlock[]; readonly rows: number };
