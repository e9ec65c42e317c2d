import { randomInt } from 'node:crypto';
import type { TokenChange } from '../../database/catalogue/operations.js';
import { type Access, insufficientPrivilege } from '../../database/catalogue/rights.js';
import { FaultError } from '../../model/fault.js';
import { invalidParameters } from '../../model/refusals.js';
import { dataType } from '../../model/schema.js';
import type { StatementOf, TokenOptions } from '../../sql/syntax/ast-statement.js';
import { type DefinitionContext, submit } from '../definitions/context.js';
import type { Listing } from '../definitions/listing.js';
import type { Requester } from '../definitions/statement-rights.js';
import { tokenDigest } from './credentials.js';
import { isToggle } from './toggle.js';

/** Length of a token; of 62 letters and digits each, so that it holds 375 bits and needs no salt when hashed. */
const tokenChars = 63;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const maxProviderBytes = 63;
const maxExtraInfoBytes = 1023;
/** A hundred years. */
const maxTtlDays = 36_525;

/** The administrator changes every token, every other user the own ones; every user learns that one is missing. */
export function tokenRight(
  { name }: StatementOf<'alter-token' | 'drop-token'>,
  { access, catalogue }: Pick<Requester, 'access' | 'catalogue'>,
): void {
  const token = catalogue.principals.tokenNamed(name.text);
  if (token !== undefined) requireOwn(token.user, access);
}

/** The administrator makes tokens for everybody, everybody else own ones. */
export function tokenMaking({ user }: StatementOf<'create-token'>, { access }: Pick<Requester, 'access'>): void {
  requireOwn(user.text, access);
}

function requireOwn(user: string, access: Access): void {
  if (!access.isAdministrator && access.user !== user) throw insufficientPrivilege();
}

/** ALTER TOKEN. */
export function alterToken({ name, options }: StatementOf<'alter-token'>, context: DefinitionContext): Promise<void> {
  return submit(context, { op: 'alter-token', name: name.text, ...changeOf(options) });
}

/** DROP TOKEN. */
export async function dropToken({ name, ifExists }: StatementOf<'drop-token'>, context: DefinitionContext) {
  if (ifExists && context.catalogue.principals.tokenNamed(name.text) === undefined) return;
  await submit(context, { op: 'drop-token', name: name.text });
}

/** CREATE TOKEN: one row with the token, which is shown this once and kept as a hash. */
export async function createToken(
  { name, user, ifNotExists, options }: StatementOf<'create-token'>,
  context: DefinitionContext,
): Promise<Listing> {
  const meta = [{ name: 'token', type: dataType('VARCHAR', tokenChars) }];
  if (ifNotExists && context.catalogue.principals.tokenNamed(name.text) !== undefined) return { meta, rows: [] };
  const token = Array.from({ length: tokenChars }, () => alphabet[randomInt(alphabet.length)]).join('');
  const digest = tokenDigest(token);
  await submit(context, { op: 'create-token', name: name.text, user: user.text, digest, ...changeOf(options) });
  return { meta, rows: [[token]] };
}

function changeOf({ enable, ttl, provider, extraInfo }: TokenOptions): TokenChange {
  if (ttl !== undefined && ttl > maxTtlDays) throw invalid(`TTL is at most ${maxTtlDays} days`);
  if (Buffer.byteLength(provider ?? '') > maxProviderBytes)
    throw invalid(`PROVIDER has at most ${maxProviderBytes} bytes`);
  if (Buffer.byteLength(extraInfo ?? '') > maxExtraInfoBytes) {
    throw invalid(`EXTRA_INFO has at most ${maxExtraInfoBytes} bytes`);
  }
  return {
    ...(enable === undefined ? {} : { enabled: isToggle('ENABLE', String(enable)) }),
    ...(ttl === undefined ? {} : { ttlDays: ttl }),
    ...(provider === undefined ? {} : { provider }),
    ...(extraInfo === undefined ? {} : { extraInfo }),
  };
}

function invalid(what: string): FaultError {
  return new FaultError(invalidParameters(what));
}
