import { listTokens, listUserPrivileges, listUsers } from '../definitions/users-lists.js';
import { columnsOf, type SystemTable } from './system-table.js';

/** `ins_users` */
export const usersTable: SystemTable = {
  columns: columnsOf(
    `name V24, super TINYINT, enable TINYINT, sysinfo TINYINT, createdb TINYINT, create_time TS, allowed_host V49152`,
  ),
  rows: ({ catalogue, access }) => listUsers(catalogue, access.user),
};

/** `ins_user_privileges` */
export const userPrivilegesTable: SystemTable = {
  columns: columnsOf(
    'user_name V24, privilege V10, db_name V65, table_name V193, condition V49152, notes V64, columns V1024',
  ),
  rows: ({ catalogue, access }) => listUserPrivileges(catalogue, access.user),
};

/** `ins_tokens` */
export const tokensTable: SystemTable = {
  columns: columnsOf(
    'name V32, user V24, provider V64, enable TINYINT, create_time TS, expire_time TS, extra_info V1024',
  ),
  rows: ({ catalogue, access }) => listTokens(catalogue, access.user),
};
