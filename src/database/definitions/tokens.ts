import { randomInt } from 'node:crypto';
import { Codes, FaultError, fault } from '../../model/fault.js';
import { dataType } from '../../model/schema.js';
import type { Statement, TokenOptions } from '../../sql/ast-statement.js';
import type { TokenChange } from '../catalogue/operations.js';
import { administrator } from '../catalogue/principals.js';
import { tokenDigest } from '../credentials.js';
import { insufficientPrivilege } from '../rights.js';
import { type DefinitionContext, submit } from './context.js';
import type { Listing } from './show.js';
import { isToggle } from './toggle.js';

/** Statements about tokens. */
export type TokenStatement = Extract<Statement, { kind: 'create-token' | 'alter-token' | 'drop-token' }>;

/** Length of a token; of 62 letters and digits each, so that it holds 375 bits and needs no salt when hashed. */
const tokenChars = 63;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const maxProviderBytes = 63;
const maxExtraInfoBytes = 1023;
/** A hundred years. */
const maxTtlDays = 36_525;

/** ALTER TOKEN and DROP TOKEN. The administrator changes every token, everybody else the own ones. */
export async function changeToken(
  statement: Exclude<TokenStatement, { kind: 'create-token' }>,
  context: DefinitionContext,
): Promise<void> {
  await context.catalogue.sync();
  const name = statement.name.text;
  const found = context.catalogue.principals.tokenNamed(name);
  if (found !== undefined) requireOwn(found.user, context);
  if (statement.kind === 'alter-token') {
    return submit(context, { op: 'alter-token', name, ...changeOf(statement.options) });
  }
  if (found === undefined && statement.ifExists) return;
  await submit(context, { op: 'drop-token', name });
}

/** CREATE TOKEN: one row with the token, which is shown this once and kept as a hash. */
export async function createToken(
  { name, user, ifNotExists, options }: Extract<TokenStatement, { kind: 'create-token' }>,
  context: DefinitionContext,
): Promise<Listing> {
  requireOwn(user.text, context);
  await context.catalogue.sync();
  const meta = [{ name: 'token', type: dataType('VARCHAR', tokenChars) }];
  if (ifNotExists && context.catalogue.principals.tokenNamed(name.text) !== undefined) return { meta, rows: [] };
  const token = Array.from({ length: tokenChars }, () => alphabet[randomInt(alphabet.length)]).join('');
  const digest = tokenDigest(token);
  await submit(context, { op: 'create-token', name: name.text, user: user.text, digest, ...changeOf(options) });
  return { meta, rows: [[token]] };
}

function requireOwn(user: string, context: DefinitionContext): void {
  if (context.user !== administrator && context.user !== user) throw insufficientPrivilege();
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
  return new FaultError(fault('database', Codes.invalidParameters, `Invalid parameters: ${what}`));
}
