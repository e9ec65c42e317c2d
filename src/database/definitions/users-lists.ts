import type { Catalogue } from '../catalogue/catalogue.js';
import { rights } from '../catalogue/operations.js';
import { administrator, everyDatabase, type Grant } from '../catalogue/principals.js';
import { Access } from '../rights.js';

/** What a user who comes from everywhere is shown with. */
const everyHost = '0.0.0.0/0, ::/0';

/** Cells of a row; times are Unix ms. */
type Row = readonly (string | number | null)[];

/** The rows of `ins_users` that a viewer sees: all for the administrator, the own one for everybody else. */
export function listUsers(catalogue: Catalogue, viewer: string): readonly Row[] {
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
export function listUserPrivileges(catalogue: Catalogue, viewer: string): readonly Row[] {
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

function rowsOf({ user, scope, table, rights: held }: Grant): string[][] {
  const names = held.length === rights.length ? ['all'] : held.map((right) => right.toLowerCase());
  const database = scope === everyDatabase ? 'all' : scope;
  return names.map((name) => [user, name, database, table ?? '', '', '', '']);
}

/** The rows of `ins_tokens` that a viewer sees: never the tokens themselves. */
export function listTokens(catalogue: Catalogue, viewer: string): readonly Row[] {
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

/** The databases whose existence a viewer may know of, in the order of their making. */
export function visibleDatabases(catalogue: Catalogue, viewer: string): readonly string[] {
  const access = new Access(catalogue, viewer);
  return catalogue
    .databases()
    .map((database) => database.name)
    .filter((name) => access.sees(name));
}
