/** When the rows of {@link superTable} begin. */
export const start = '2024-02-01T00:00:00.000Z';

/** A super table `m` with sub-tables `k0`, `k1`, …, unless `more` says otherwise. */
export function superTable(more: object): object {
  return {
    name: 'm',
    childtable_prefix: 'k',
    childtable_count: 2,
    insert_rows: 3,
    start_timestamp: start,
    columns: [{ type: 'int', name: 'v' }],
    tags: [{ type: 'int', name: 'g' }],
    ...more,
  };
}

/** A scenario of one database. */
export function scenario(name: string, tables: readonly object[], dbinfo: object = {}) {
  return {
    filetype: 'insert',
    thread_count: 2,
    prepared_rand: 1000,
    databases: [{ dbinfo: { name, ...dbinfo }, super_tables: tables }],
  };
}
