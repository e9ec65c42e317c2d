import { version } from '../../model/version.js';
import { killId } from './kill-id.js';
import { columnsOf, type SystemTable } from './system-table.js';

const app = 'rest';
const socketApp = 'websocket';
/** Characters of the name of an application that the list has room for. */
const shownCharacters = 24;

/**
 * `perf_connections`: those that are kept open, and the statements that run now, as over HTTP every statement stands
 * for itself.
 */
export const connectionsTable: SystemTable = {
  columns: columnsOf(
    `conn_id UINT, user V24, app V24, pid UINT, end_point V28, login_time TS, last_access TS, user_app V24, user_ip V46, version V24,
     connector_info V256`,
  ),
  rows: ({ running, connections, endpoint, nowMs }) => [
    ...running.map(({ pid, id, user, began }) => [id, user, app, pid, endpoint, began, nowMs, '', '', version, '']),
    ...connections.map(({ pid, id, user, application, connector, address, began, lastUsed }) => {
      return [
        id,
        user,
        socketApp,
        pid,
        endpoint,
        began,
        lastUsed,
        application.slice(0, shownCharacters),
        address,
        version,
        connector,
      ];
    }),
  ],
};

/** `perf_queries` */
export const queriesTable: SystemTable = {
  columns: columnsOf(
    `kill_id V26, query_id UBIGINT, conn_id UINT, app V24, pid UINT, user V24, end_point V28, create_time TS, exec_usec BIGINT,
     stable_query BOOL, sub_query BOOL, sub_num INT, sub_status V1000, sql V2048, user_app V24, user_ip V46`,
  ),
  rows: ({ running, endpoint, nowMs }) =>
    running.map(({ pid, id, user, sql, began }) => {
      const microseconds = Math.max(0, nowMs - began) * 1000;
      const place = [killId({ pid, id }), id, id, app, pid, user, endpoint, began, microseconds];
      return [...place, false, false, 0, '', sql, '', ''];
    }),
};

/** `perf_apps`: this process. */
export const appsTable: SystemTable = {
  columns: columnsOf(
    `app_id UBIGINT, ip V46, pid INT, name V24, start_time TS, insert_req UBIGINT, insert_row UBIGINT, insert_time UBIGINT,
     insert_bytes UBIGINT, fetch_bytes UBIGINT, query_time UBIGINT, slow_query UBIGINT, total_req UBIGINT, current_req UBIGINT,
     last_access TS`,
  ),
  rows: ({ started, statements, running, nowMs }) => {
    const unknown = [null, null, null, null, null, null, null];
    return [[process.pid, '', process.pid, 'sluice', started, ...unknown, statements, running.length, nowMs]];
  },
};

/** `perf_trans` */
export const transactionsTable: SystemTable = {
  columns: columnsOf(
    `id INT, create_time TS, stage V12, oper V16, db V64, stable V192, failed_times INT, last_exec_time TS,
     last_action_info V511`,
  ),
  rows: () => [],
};
