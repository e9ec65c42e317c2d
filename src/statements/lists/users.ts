import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { Grant } from '../../database/catalogue/principals.js';
import { administrator, everyDatabase, rights } from '../../model/rights.js';
import type { InlineRow } from './inline.js';
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

/** How a user without a list of hosts is shown. */
const everyHost = '0.0.0.0/0, ::/0';

/** The rows of `ins_users` that a viewer sees: all for the administrator, the own one for everybody else. */
function listUsers(catalogue: Catalogue, viewer: string): readonly InlineRow[] {
  return seen(catalogue.principals.users(), viewer, ({ name }) => name).map((user) => [
    user.name,
    Number(user.name === administrator),
    Number(user.enabled),
    Number(user.sysinfo),
    Number(user.createDatabase),
    user.created,
    user.hosts.length === 0 ? everyHost : user.hosts.join(','),
  ]);
}

/** The rows of `ins_user_privileges` that a viewer sees. A maker's rights on the own database count as granted. */
function listUserPrivileges(catalogue: Catalogue, viewer: string): readonly InlineRow[] {
  const users = seen(catalogue.principals.users(), viewer, ({ name }) => name);
  return users.flatMap(({ name }) => {
    if (name === administrator) return [[name, 'all', 'all', '', '', '', '']];
    const own = catalogue.databases().filter((database) => catalogue.principals.owner(database.name) === name);
    return [
      ...own.map((database) => [name, 'all', database.name, '', '', 'owner', '']),
      ...catalogue.principals.grants(name).flatMap((grant) => rowsOf(grant)),
      ...catalogue.topics.grantedTo(name).map((topic) => [name, 'subscribe', topic, '', '', 'topic', '']),
    ];
  });
}

function rowsOf({ user, scope, table, condition, rights: held }: Grant): string[][] {
  const names = held.length === rights.length ? ['all'] : held.map((right) => right.toLowerCase());
  const database = scope === everyDatabase ? 'all' : scope;
  return names.map((name) => [user, name, database, table ?? '', condition ?? '', '', '']);
}

/** The rows of `ins_tokens` that a viewer sees: never the tokens themselves. */
function listTokens(catalogue: Catalogue, viewer: string): readonly InlineRow[] {
  return seen(catalogue.principals.tokens(), viewer, ({ user }) => user).map((token) => [
    token.name,
    token.user,
    token.provider,
    Number(token.enabled),
    token.created,
    token.expires ?? null,
    token.extraInfo,
  ]);
}

function seen<T>(all: readonly T[], viewer: string, owner: (one: T) => string): readonly T[] {
  return viewer === administrator ? all : all.filter((one) => owner(one) === viewer);
}
