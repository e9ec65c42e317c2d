import { isUtf8 } from 'node:buffer';
import type { Credentials } from '../../model/exchange.js';
import { Codes, type Fault, fault } from '../../model/fault.js';
import type { Call, HandlerContext } from './call.js';
import { openClientCode } from './client-code.js';
import type { LoginCodes } from './login-code.js';

/** Reads the credentials of a call, without checking them. */
export type CredentialReader = (call: Call, context: HandlerContext) => Credentials | Fault;

/** Longest user name in bytes. */
export const maxUserBytes = 24;

const noAuthInfo = fault('auth', Codes.noAuthInfo, 'no auth info input');
const invalidType = fault('auth', Codes.invalidAuthType, 'invalid type of Authorization');
const invalidBasic = fault('auth', Codes.invalidBasicAuth, 'invalid basic Authorization');
const invalidCustom = fault('auth', Codes.invalidCustomAuth, 'invalid custom Authorization');

const standardBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** True for a fault, false for what stands in its place on success. */
export function isFault(value: object): value is Fault {
  return 'kind' in value && 'code' in value && 'message' in value;
}

/** The word of an `Authorization` header and, behind one blank, the token. The case of the word means nothing (RFC 9110, 11.1). */
function readScheme(text: string): { readonly scheme: string; readonly token: string } | undefined {
  const blank = text.indexOf(' ');
  return blank === -1 ? undefined : { scheme: text.slice(0, blank).toLowerCase(), token: text.slice(blank + 1) };
}

/** The token of a `Basic` header; undefined for another one. */
export function basicToken(header: string): string | undefined {
  const read = readScheme(header);
  return read?.scheme === 'basic' ? read.token : undefined;
}

/**
 * Credentials of the `Authorization` header on `/rest` routes: `Basic`, `Bearer` or `Custom`, one blank, the token.
 * `Taosd` is the name that existing clients have for `Custom`; they may make its code themselves.
 * The pipelines check them later.
 * `query` matters to `Bearer` only: a `token` parameter beside it is refused.
 */
export function readAuthorization(
  header: string | undefined,
  codes: LoginCodes,
  query: URLSearchParams,
): Credentials | Fault {
  const text = header?.trim() ?? '';
  if (text === '') return noAuthInfo;
  const { scheme, token = '' } = readScheme(text) ?? {};
  if (scheme === 'basic') return readBasic(token);
  if (scheme === 'custom') return readCode(codes.open(token));
  if (scheme === 'taosd') return readCode(codes.open(token) ?? openClientCode(token));
  if (scheme === 'bearer' && !query.has('token')) return { scheme: 'token', token };
  return invalidType;
}

/** User and password of a `Basic` token, either may be empty; undefined when it is not Base64 of two parts with a colon. */
export function decodeBasic(token: string): { readonly user: string; readonly password: string } | undefined {
  if (!standardBase64.test(token)) return undefined;
  const pair = Buffer.from(token, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : { user: pair.slice(0, colon), password: pair.slice(colon + 1) };
}

/** A header's text whose bytes are UTF-8, as clients send it. The runtime reads bytes as Latin 1; what is no UTF-8 stays so. */
export function headerInUtf8(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}

function readBasic(token: string): Credentials | Fault {
  const pair = decodeBasic(token);
  if (pair === undefined || pair.user === '' || pair.password === '') return invalidBasic;
  return { scheme: 'password', ...pair };
}

function readCode(content: { readonly user: string; readonly password: string } | undefined): Credentials | Fault {
  if (content === undefined || content.user === '' || content.password === '') return invalidCustom;
  return { scheme: 'password', user: content.user, password: content.password };
}

/**
 * Credentials of a line-protocol write: parameters `u` and `p` each override their half of a Basic header. Tokens are
 * not supported here, so any other scheme, like a malformed header, is a
 * fault unless both parameters are given.
 */
export function readWriteCredentials(header: string | undefined, query: URLSearchParams): Credentials | Fault {
  const user = query.get('u') ?? '';
  const password = query.get('p') ?? '';
  if (user !== '' && password !== '') return { scheme: 'password', user, password };
  const text = header?.trim() ?? '';
  if (text === '') return noAuthInfo;
  const token = basicToken(text);
  const basic = token === undefined ? invalidType : readBasic(token);
  if (isFault(basic) || basic.scheme !== 'password') return isFault(basic) ? basic : invalidType;
  return { scheme: 'password', user: user || basic.user, password: password || basic.password };
}

/** A code that was made for a login ends after a while. */
const loginCode = /^\s*(?:custom|taosd)/i;

/** True when credentials that were read from an `Authorization` header, or without one, may be read as the same later on. */
export function isLasting(authorization: string | undefined): boolean {
  return authorization === undefined || !loginCode.test(authorization);
}
