import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import type { UserDef } from '../../database/catalogue/principals.js';
import type { ComponentLog } from '../../model/component.js';
import type { Credentials, Identity } from '../../model/exchange.js';
import { Codes, type Fault, FaultError, fault } from '../../model/fault.js';
import type { WatchedMetrics } from '../../model/metric.js';
import { administrator } from '../../model/rights.js';
import { isAllowedFrom } from './allowed-hosts.js';
import { LoginRateLimit } from './login-rate-limit.js';
import { hashPassword, verifyPassword } from './password-hash.js';
import { RefusedLogins } from './refused-logins.js';

/**
 * How long a verified password is remembered after its last use: hashing does not cap the request rate then, and who
 * comes daily is let in while others flood the service with wrong passwords.
 */
const rememberMs = 26 * 60 * 60_000;
/** Between two lines of the log about wrong passwords from one address. */
const limitLogMs = 60_000;
/** Verified passwords, and wrong ones, remembered at once. */
const maxRemembered = 1000;

/** The user that exists from the beginning, and the password that clients of this protocol family send for it. */
export const firstUser = { name: administrator, password: 'taosdata' } as const;

/** Digest of a token for the catalogue: tokens are long and random, so a plain hash cannot be turned back. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'base64');
}

interface Remembered {
  readonly digest: Buffer;
  /** Revision of the user's definition that was verified against: a changed password counts at once. */
  readonly revision: number;
  until: number;
}

/**
 * Authenticates credentials. Passwords are checked once and remembered for a day by a keyed digest; so are wrong ones,
 * because programs with a wrong password try again and again. Who tries many different ones is refused for a while.
 */
export class CredentialCheck {
  readonly #catalogue: Catalogue;
  readonly #key = randomBytes(32).toString('hex');
  readonly #remembered = new Map<string, Remembered>();
  /** Digests of credentials that a connection brings again and again. */
  readonly #digests = new WeakMap<Credentials, Buffer>();
  /** Revision of the user that a wrong password was checked against, by digest. */
  readonly #wrong = new Map<string, number>();
  readonly #loginLimit = new LoginRateLimit();
  readonly #log: ComponentLog;
  readonly #refusals: RefusedLogins;
  #limitLoggedAt = Number.NEGATIVE_INFINITY;
  readonly #pending = new Map<string, Promise<UserDef | undefined>>();
  /** A hash that no password has. */
  readonly #unknownHash = `scrypt:${randomBytes(16).toString('base64')}:${randomBytes(32).toString('base64')}`;

  constructor(catalogue: Catalogue, log: ComponentLog) {
    this.#catalogue = catalogue;
    this.#log = log;
    this.#refusals = new RefusedLogins(log);
  }

  /** Creates the first user where the catalogue has none. Reads the catalogue, so it fails when the engine is down. */
  async prepare(): Promise<void> {
    await this.#catalogue.sync();
    if (this.#catalogue.principals.users().length > 0) return;
    const passwordHash = await hashPassword(firstUser.password);
    // Another process may have been faster; its user stands.
    await this.#catalogue.submit([{ op: 'create-user', name: firstUser.name, passwordHash }]);
    const user = this.#catalogue.principals.user(firstUser.name);
    // The allocator keeps the memory of every hash but the first of a process.
    if (user?.passwordHash === passwordHash) {
      this.#remember(user, this.#digestOf({ user: user.name, password: firstUser.password }));
    }
  }

  /**
   * The identity, or a fault: of kind `auth`; `forbidden` when HOST of the user does not have the client's address;
   * `network` when the catalogue cannot be read; `resource` when too many passwords wait to be checked.
   */
  async authenticate(credentials: Credentials): Promise<Identity | Fault> {
    const known = this.known(credentials);
    if (known !== undefined) return known;
    const admission = await this.#check(credentials);
    if ('kind' in admission && (admission.kind === 'auth' || admission.kind === 'forbidden'))
      this.#recordRefusal(credentials);
    return admission;
  }

  /** Log-ins that were refused. */
  get metrics(): WatchedMetrics {
    return this.#refusals.metrics;
  }

  /** The service itself, which has no address, tries what it may not be let in with. */
  #recordRefusal(credentials: Credentials): void {
    if (credentials.scheme === 'token') this.#refusals.add(undefined, '');
    else if (credentials.from) this.#refusals.add(credentials.user, credentials.from);
  }

  async #check(credentials: Credentials): Promise<Identity | Fault> {
    try {
      if (this.#catalogue.principals.users().length === 0) await this.prepare();
      return credentials.scheme === 'token'
        ? await this.#checkToken(credentials)
        : await this.#checkPassword(credentials);
    } catch (error) {
      if (error instanceof FaultError && error.fault.kind === 'resource') return error.fault;
      return fault('network', Codes.networkUnavailable, 'Unable to establish connection', error);
    }
  }

  /** The identity of those who were let in before; undefined where that takes a look. */
  known(credentials: Credentials): Identity | Fault | undefined {
    if (credentials.scheme === 'token') return this.#ownerOf(credentials);
    const user = this.#catalogue.principals.user(credentials.user);
    if (user === undefined || !this.#isRemembered(user, this.#keptDigest(credentials))) return undefined;
    return admitted(user, credentials);
  }

  /** True while the user of credentials that were right before exists, is enabled, and may call from the address. */
  mayStay(credentials: Credentials): boolean {
    const { principals } = this.#catalogue;
    if (credentials.scheme === 'token') return 'user' in (this.#ownerOf(credentials) ?? refused);
    const user = principals.user(credentials.user);
    return user !== undefined && 'user' in admitted(user, credentials);
  }

  /** The catalogue is read again for an unknown token; concurrent calls share one read. */
  async #checkToken(credentials: TokenCredentials): Promise<Identity | Fault> {
    await this.#catalogue.sync();
    return this.#ownerOf(credentials) ?? refused;
  }

  #ownerOf(credentials: TokenCredentials): Identity | Fault | undefined {
    const { principals } = this.#catalogue;
    const token = principals.token(tokenDigest(credentials.token));
    if (token?.enabled !== true || (token.expires ?? Number.POSITIVE_INFINITY) <= Date.now()) return undefined;
    const user = principals.user(token.user);
    return user?.enabled === true ? admitted(user, credentials) : undefined;
  }

  async #checkPassword(credentials: PasswordCredentials): Promise<Identity | Fault> {
    const { user, password, from = '' } = credentials;
    const verified = await this.#verifyOnce({ user, password, from }, this.#digestOf({ user, password }));
    return verified === undefined ? refused : admitted(verified, credentials);
  }

  #digestOf({ user, password }: PasswordCredentials): Buffer {
    return hash('sha256', `${this.#key}\0${user.length}\0${user}\0${password}`, 'buffer');
  }

  #keptDigest(credentials: Extract<Credentials, { scheme: 'password' }>): Buffer {
    const kept = this.#digests.get(credentials);
    if (kept !== undefined) return kept;
    const digest = this.#digestOf(credentials);
    this.#digests.set(credentials, digest);
    return digest;
  }

  #isRemembered({ name, revision }: UserDef, digest: Buffer): boolean {
    const known = this.#remembered.get(name);
    const now = Date.now();
    if (known === undefined || known.revision !== revision || known.until <= now) return false;
    if (!timingSafeEqual(known.digest, digest)) return false;
    known.until = now + rememberMs;
    return true;
  }

  #remember({ name, revision }: UserDef, digest: Buffer): void {
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(name, { digest, revision, until: Date.now() + rememberMs });
  }

  /** Requests that arrive together with the same credentials share one hash. */
  #verifyOnce(attempt: LoginAttempt, digest: Buffer): Promise<UserDef | undefined> {
    const key = `${attempt.from}\0${digest.toString('base64')}`;
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      pending = this.#verify(attempt, digest).finally(() => this.#pending.delete(key));
      this.#pending.set(key, pending);
    }
    return pending;
  }

  /**
   * The user, or undefined for a wrong password. The catalogue is read before a user is refused: another process may
   * have made the user or changed the password.
   */
  async #verify(attempt: LoginAttempt, digest: Buffer): Promise<UserDef | undefined> {
    const { user } = attempt;
    const before = this.#catalogue.principals.user(user);
    if (before !== undefined && (await this.#isRight(before, attempt, digest))) return before;
    await this.#catalogue.sync();
    const now = this.#catalogue.principals.user(user);
    if (before !== undefined && now?.revision === before.revision) return undefined;
    return (await this.#isRight(now, attempt, digest)) ? now : undefined;
  }

  async #isRight(
    user: UserDef | undefined,
    { user: name, password, from }: LoginAttempt,
    digest: Buffer,
  ): Promise<boolean> {
    const key = digest.toString('base64');
    const revision = user?.revision ?? -1;
    if (this.#wrong.get(key) === revision) return false;
    // An unknown user costs as much time as a wrong password, so that names cannot be probed.
    const expected = user?.passwordHash ?? this.#unknownHash;
    const right = await this.#withinLimit(from, name, () => verifyPassword(password, expected, { from, name }));
    if (right && user !== undefined) {
      this.#remember(user, digest);
      return true;
    }
    if (this.#wrong.size >= maxRemembered) this.#wrong.clear();
    this.#wrong.set(key, revision);
    return false;
  }

  /** Checks a password within the rate limit of wrong ones. The limit does not count the service itself. */
  async #withinLimit(from: string, name: string, check: () => Promise<boolean>): Promise<boolean> {
    if (from === '') return check();
    if (!this.#loginLimit.take(from, name)) {
      this.#logLimit(from, name);
      throw new FaultError(tooManyAttempts);
    }
    let isWrong = false;
    try {
      isWrong = !(await check());
      return !isWrong;
    } finally {
      if (!isWrong) this.#loginLimit.giveBack(from, name);
    }
  }

  #logLimit(from: string, user: string): void {
    const now = performance.now();
    if (now - this.#limitLoggedAt < limitLogMs) return;
    this.#limitLoggedAt = now;
    this.#log.warn({ from, user }, 'Many wrong passwords are tried; further ones are refused for a while.');
  }
}

type PasswordCredentials = Omit<Extract<Credentials, { scheme: 'password' }>, 'scheme'>;

const tooManyAttempts = fault('resource', Codes.free, 'Too many wrong passwords were tried, please try again later');

/** A password to verify; `from` is empty for the service itself. */
type LoginAttempt = Readonly<Record<'user' | 'password' | 'from', string>>;

type TokenCredentials = Omit<Extract<Credentials, { scheme: 'token' }>, 'scheme'>;

/**
 * The user whose password or token is right, or why it may not call: only a client that knows the secret learns that.
 * HOST does not concern the service itself, which has no address. Every page knows the first password, so a foreign one
 * may not use it.
 */
function admitted(user: UserDef, credentials: PasswordCredentials | TokenCredentials): Identity | Fault {
  const { from = '' } = credentials;
  if (!user.enabled) return disabled;
  if (from !== '' && !isAllowedFrom(user, from)) return wrongHost;
  if ('password' in credentials && isFirstUser(credentials) && credentials.foreignPage !== undefined) {
    return firstPasswordOf(credentials.foreignPage);
  }
  return { user: user.name };
}

function isFirstUser({ user, password }: PasswordCredentials): boolean {
  return user === firstUser.name && password === firstUser.password;
}

function firstPasswordOf(page: string): Fault {
  const remedy = `change it with ALTER USER ${firstUser.name} PASS, or see cors.allowOrigins and cors.allowHosts`;
  return fault('forbidden', Codes.free, `${page} may not use the first password of ${firstUser.name}: ${remedy}`);
}

const refused = fault('auth', Codes.authenticationFailure, 'Authentication failure');
const wrongHost = fault('forbidden', Codes.free, 'whitelist prohibits current IP access');
const disabled = fault('auth', Codes.userDisabled, 'User is disabled');
