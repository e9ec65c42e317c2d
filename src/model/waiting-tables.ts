/** Tables whose answered rows may wait: a table, or all of a database where none is named. */
export interface WaitingTable {
  readonly database: string;
  readonly table?: string;
}

export type WaitingTables = readonly WaitingTable[] | 'all';
