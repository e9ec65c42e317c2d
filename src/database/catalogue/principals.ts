import { Codes, type Fault, fault } from '../../model/fault.js';
import { named, notSupported, refusals } from '../../model/refusals.js';
import { administrator, type Right, rights } from '../../model/rights.js';
import type { LogEntry, PrincipalOperation, TokenChange } from './operations.js';

const maxUsers = 10_000;
const maxTokens = 100_000;
const msPerDay = 86_400_000;

/** A user as the catalogue keeps it. `revision` is the log position of the last change; rights do not count as one. */
export interface UserDef {
  readonly name: string;
  readonly passwordHash: string;
  readonly enabled: boolean;
  /** May see nodes, settings and what is running. */
  readonly sysinfo: boolean;
  readonly createDatabase: boolean;
  readonly hosts: readonly string[];
  /** Unix ms. */
  readonly created: number;
  readonly revision: number;
}

/** A token without its secret. */
interface TokenDef {
  readonly name: string;
  readonly user: string;
  readonly digest: string;
  readonly enabled: boolean;
  readonly provider: string;
  readonly extraInfo: string;
  /** Unix ms. */
  readonly created: number;
  /** Unix ms; undefined is never. */
  readonly expires: number | undefined;
}

/** Rights of one user on one scope. */
export interface Grant {
  readonly user: string;
  /** `*` is every database. */
  readonly scope: string;
  /** Undefined is every table. */
  readonly table: string | undefined;
  /** The condition on tags that sub-tables meet; undefined is all of them. */
  readonly condition: string | undefined;
  readonly rights: readonly Right[];
}

/** The part of the catalogue's fold that is about who may do what. */
export class Principals {
  readonly #users = new Map<string, UserDef>();
  readonly #tokens = new Map<string, TokenDef>();
  readonly #byDigest = new Map<string, string>();
  /** By user, then by {@link keyOf}. */
  readonly #grants = new Map<string, Map<string, Grant>>();
  /** Users with rights on single tables, by {@link keyOf}: tables come and go too often to look through all grants. */
  readonly #onTables = new Map<string, Set<string>>();
  /** By database. */
  readonly #owners = new Map<string, string>();

  user(name: string): UserDef | undefined {
    return this.#users.get(name);
  }

  users(): readonly UserDef[] {
    return [...this.#users.values()];
  }

  token(digest: string): TokenDef | undefined {
    return this.#tokens.get(this.#byDigest.get(digest) ?? '');
  }

  tokenNamed(name: string): TokenDef | undefined {
    return this.#tokens.get(name);
  }

  tokens(): readonly TokenDef[] {
    return [...this.#tokens.values()];
  }

  /** The user that made a database; undefined for those of the administrator. */
  owner(database: string): string | undefined {
    return this.#owners.get(database);
  }

  /** True for the maker of a database that is still there. */
  ownsAny(user: string): boolean {
    for (const owner of this.#owners.values()) if (owner === user) return true;
    return false;
  }

  grants(user: string): readonly Grant[] {
    return [...(this.#grants.get(user)?.values() ?? [])];
  }

  /** True when a grant of exactly this scope holds the right. */
  holds(user: string, right: Right, scope: string, table?: string): boolean {
    const granted = this.#grants.get(user)?.get(keyOf(scope, table));
    return granted?.rights.includes(right) ?? false;
  }

  /** Conditions on tags under which a user has a right on the sub-tables of a super table. */
  conditions(user: string, right: Right, scope: string, table: string): readonly string[] {
    return this.grants(user).flatMap((grant) => {
      const isMeant = grant.scope === scope && grant.table === table && grant.rights.includes(right);
      return isMeant && grant.condition !== undefined ? [grant.condition] : [];
    });
  }

  own(database: string, user: string): void {
    if (this.#users.has(user)) this.#owners.set(database, user);
  }

  /** Rights on a database end with it: one made anew under its name is another one. */
  forgetDatabase(database: string): void {
    this.#owners.delete(database);
    for (const grants of this.#grants.values()) {
      for (const [key, grant] of grants) if (grant.scope === database) grants.delete(key);
    }
  }

  forgetTable(database: string, table: string): void {
    const key = keyOf(database, table);
    for (const user of this.#onTables.get(key) ?? []) {
      const grants = this.#grants.get(user);
      for (const [each, grant] of grants ?? []) if (isOn(grant, database, table)) grants?.delete(each);
    }
    this.#onTables.delete(key);
  }

  apply(operation: PrincipalOperation, entry: LogEntry): Fault | undefined {
    switch (operation.op) {
      case 'create-user':
      case 'alter-user':
        return this.#setUser(operation, entry);
      case 'drop-user':
        return this.#dropUser(operation.name);
      case 'grant':
      case 'revoke':
        return this.#setRights(operation);
      case 'create-token':
      case 'alter-token':
        return this.#setToken(operation, entry);
      case 'drop-token':
        return this.#tokens.has(operation.name) ? this.#dropToken(operation.name) : missingToken();
    }
  }

  #setUser(
    operation: Extract<PrincipalOperation, { op: 'create-user' | 'alter-user' }>,
    entry: LogEntry,
  ): Fault | undefined {
    const { op, name, addHosts = [], dropHosts = [] } = operation;
    const user = this.#users.get(name);
    if (op === 'create-user' && user !== undefined) {
      return fault('database', Codes.userAlreadyExists, 'User already exists');
    }
    if (op === 'alter-user' && user === undefined) return named(refusals.userNotExist, name);
    if (user === undefined && this.#users.size >= maxUsers)
      return fault('database', Codes.tooManyUsers, 'Too many users');
    const kept = (user?.hosts ?? []).filter((host) => !dropHosts.includes(host));
    this.#users.set(name, {
      name,
      passwordHash: operation.passwordHash ?? user?.passwordHash ?? '',
      enabled: operation.enabled ?? user?.enabled ?? true,
      sysinfo: operation.sysinfo ?? user?.sysinfo ?? true,
      createDatabase: operation.createDatabase ?? user?.createDatabase ?? name === administrator,
      hosts: [...new Set([...kept, ...addHosts])],
      created: user?.created ?? entry.at,
      revision: entry.position,
    });
    return undefined;
  }

  #dropUser(name: string): Fault | undefined {
    if (!this.#users.delete(name)) return named(refusals.userNotExist, name);
    this.#grants.delete(name);
    for (const [database, owner] of this.#owners) if (owner === name) this.#owners.delete(database);
    for (const token of this.tokens()) if (token.user === name) this.#dropToken(token.name);
    return undefined;
  }

  #setRights(operation: Extract<PrincipalOperation, { op: 'grant' | 'revoke' }>): Fault | undefined {
    const { op, user, scope, table, condition } = operation;
    if (!this.#users.has(user)) return named(refusals.userNotExist, user);
    const grants = this.#grants.get(user) ?? new Map<string, Grant>();
    this.#grants.set(user, grants);
    const isNamed = (right: Right): boolean => operation.rights.includes(right);
    const set = (key: string, grant: Grant): void => {
      if (grant.rights.length === 0) grants.delete(key);
      else grants.set(key, grant);
    };
    if (op === 'grant') {
      const key = keyOf(scope, table, condition);
      const before = grants.get(key)?.rights ?? [];
      if (table !== undefined) {
        const onTable = keyOf(scope, table);
        this.#onTables.set(onTable, (this.#onTables.get(onTable) ?? new Set()).add(user));
      }
      const after = rights.filter((right) => isNamed(right) || before.includes(right));
      set(key, { user, scope, table, condition, rights: after });
      return undefined;
    }
    // Without a condition a right is taken away under any.
    for (const [key, grant] of grants) {
      const isMeant = isOn(grant, scope, table) && (condition === undefined || grant.condition === condition);
      if (isMeant) set(key, { ...grant, rights: grant.rights.filter((right) => !isNamed(right)) });
    }
    return undefined;
  }

  #setToken(
    operation: Extract<PrincipalOperation, { op: 'create-token' | 'alter-token' }>,
    entry: LogEntry,
  ): Fault | undefined {
    const { name } = operation;
    const token = this.#tokens.get(name);
    if (operation.op === 'create-token') {
      if (token !== undefined) return fault('database', Codes.free, 'Token already exists');
      if (!this.#users.has(operation.user)) return named(refusals.userNotExist, operation.user);
      if (this.#tokens.size >= maxTokens) return notSupported(`more than ${maxTokens} tokens`);
      const { user, digest } = operation;
      const blank = { name, user, digest, enabled: true, provider: '', extraInfo: '', created: entry.at };
      this.#byDigest.set(digest, name);
      this.#tokens.set(name, changed({ ...blank, expires: undefined }, operation, entry.at));
      return undefined;
    }
    if (token === undefined) return missingToken();
    this.#tokens.set(name, changed(token, operation, entry.at));
    return undefined;
  }

  #dropToken(name: string): undefined {
    this.#byDigest.delete(this.#tokens.get(name)?.digest ?? '');
    this.#tokens.delete(name);
  }
}

function changed(token: TokenDef, change: TokenChange, at: number): TokenDef {
  const { ttlDays } = change;
  return {
    ...token,
    enabled: change.enabled ?? token.enabled,
    provider: change.provider ?? token.provider,
    extraInfo: change.extraInfo ?? token.extraInfo,
    expires: ttlDays === undefined ? token.expires : ttlDays === 0 ? undefined : at + ttlDays * msPerDay,
  };
}

/** Names may hold any character, so parts must not run into each other. */
function keyOf(scope: string, table: string | undefined, condition?: string): string {
  if (table === undefined) return `*${scope}`;
  return condition === undefined
    ? `${scope.length} ${scope}${table}`
    : `${scope.length},${table.length} ${scope}${table}${condition}`;
}

function isOn(grant: Grant, scope: string, table: string | undefined): boolean {
  return grant.scope === scope && grant.table === table;
}

function missingToken(): Fault {
  return fault('database', Codes.free, 'Token does not exist');
}
