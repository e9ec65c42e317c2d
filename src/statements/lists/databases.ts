import { collected } from '../../async/slice.js';
import { durationText, effectiveOptions, keepText } from '../../database/catalogue/database-options.js';
import type { DatabaseDef } from '../../model/schema.js';
import { systemDatabases } from '../../sql/values/context.js';
import { type InlineRow, inlineRows } from './inline.js';
import { liveDatabases, liveSuperTables } from './live-tables.js';
import { columnsOf, type SystemFacts, type SystemTable } from './system-table.js';

const columns = columnsOf(
  `name V64, create_time TS, vgroups INT, ntables BIGINT, replica TINYINT, strict V4, duration V10, keep V32, buffer INT,
   pagesize INT, pages INT, minrows INT, maxrows INT, comp TINYINT, precision V2, status V10, retentions V60,
   single_stable BOOL, cachemodel V60, cachesize INT, wal_level TINYINT, wal_fsync_period INT, wal_retention_period INT,
   wal_retention_size BIGINT, stt_trigger SMALLINT, table_prefix SMALLINT, table_suffix SMALLINT, tsdb_pagesize INT,
   keep_time_offset INT, ss_chunkpages INT, ss_keeplocal V10, ss_compact TINYINT, with_arbitrator TINYINT,
   encrypt_algorithm V16, compact_interval V12, compact_time_range V24, compact_time_offset V4`,
);

const places = {
  name: at('name'),
  tables: at('ntables'),
  status: at('status'),
} as const;

function at(name: string): number {
  return columns.findIndex((column) => column.name === name);
}

/** A system database: a name, its tables and that it is ready; the rest means nothing there. */
function systemRow(name: string, tables: number): InlineRow {
  const row: (string | number | null)[] = columns.map(() => null);
  row[places.name] = name;
  row[places.tables] = tables;
  row[places.status] = 'ready';
  return row;
}

function userRow(database: DatabaseDef, { catalogue }: SystemFacts): InlineRow {
  const options = effectiveOptions(database.options);
  const number = (name: string): number => Number(options[name]);
  const text = (name: string): string => options[name] ?? '';
  const normalTables = catalogue.tables(database.name).filter(({ kind }) => kind === 'normal').length;
  return [
    database.name,
    database.created,
    catalogue.vgroups(database.name).count,
    normalTables,
    number('REPLICA'),
    text('STRICT').toLowerCase(),
    durationText(text('DURATION')),
    keepText(text('KEEP')),
    number('BUFFER'),
    number('PAGESIZE'),
    number('PAGES'),
    number('MINROWS'),
    number('MAXROWS'),
    number('COMP'),
    database.precision,
    'ready',
    text('RETENTIONS'),
    text('SINGLE_STABLE') === '1',
    text('CACHEMODEL').toLowerCase(),
    number('CACHESIZE'),
    number('WAL_LEVEL'),
    number('WAL_FSYNC_PERIOD'),
    number('WAL_RETENTION_PERIOD'),
    number('WAL_RETENTION_SIZE'),
    number('STT_TRIGGER'),
    number('TABLE_PREFIX'),
    number('TABLE_SUFFIX'),
    number('TSDB_PAGESIZE'),
    number('KEEP_TIME_OFFSET'),
    number('SS_CHUNKPAGES'),
    durationText(text('SS_KEEPLOCAL')),
    number('SS_COMPACT'),
    0,
    text('ENCRYPT_ALGORITHM').toLowerCase(),
    durationText(text('COMPACT_INTERVAL')),
    text('COMPACT_TIME_RANGE'),
    text('COMPACT_TIME_OFFSET'),
  ];
}

/** `ins_databases`; `systemTables` counts the tables of a system database. Sub-tables are counted in the registry. */
export function databasesTable(systemTables: (database: string) => number): SystemTable {
  return {
    columns,
    sql: async (facts) => {
      const system = systemDatabases.map((name) => systemRow(name, systemTables(name)));
      const users = liveDatabases(facts, new Map()).map((database) => userRow(database, facts));
      const all = await inlineRows(columns, [...system, ...users]);
      const parents = await collected(liveSuperTables(facts, new Map()));
      if (parents.length === 0) return all;
      await facts.subTables.prepare();
      const names = await inlineRows(
        columnsOf('id V64, db_name V64'),
        parents.map(({ database, table }) => [table.id, database.name]),
      );
      const counts = `SELECT p.c2 AS database_name, toInt64(count()) AS children
        FROM (SELECT parent FROM sluice.sub_tables FINAL WHERE dropped = 0) AS s INNER JOIN (${names}) AS p ON s.parent = p.c1
        GROUP BY database_name`;
      const items = columns.map((_, i) =>
        i === places.tables ? `d.c${i + 1} + n.children AS c${i + 1}` : `d.c${i + 1}`,
      );
      return `SELECT ${items.join(', ')} FROM (${all}) AS d LEFT JOIN (${counts}) AS n ON d.c1 = n.database_name`;
    },
  };
}
