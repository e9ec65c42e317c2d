import { liveDatabases } from './live-tables.js';
import { columnsOf, type SystemTable } from './system-table.js';

/** `ins_views` */
export const viewsTable: SystemTable = {
  columns: columnsOf(
    `view_name V192, db_name V64, effective_user V24, create_time TS, type V11, query_sql V16384, parameters V1024,
      default_values V1024, target_table V192`,
  ),
  rows: (facts) =>
    liveDatabases(facts, new Map())
      .flatMap(({ name }) => facts.catalogue.views(name))
      .map(({ name, database, user, created, text }) => [
        name,
        database,
        user,
        created,
        'NORMAL',
        text,
        null,
        null,
        null,
      ]),
};
