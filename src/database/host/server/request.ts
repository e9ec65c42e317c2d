import { hash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { EngineException } from '../connection/exception.js';

/** Path, headers and parameters of a request, without its body. */
export interface QueryRequest {
  /** GET, or `readonly` was set: nothing may change. */
  readonly readOnly: boolean;
  /** The `query` parameter; the body goes behind it. */
  readonly query: string;
  readonly database: string;
  readonly format: string | undefined;
  readonly queryId: string;
  readonly session:
    | { readonly id: string; readonly timeoutMs: number | undefined; readonly check: boolean }
    | undefined;
  readonly settings: Map<string, string>;
  readonly parameters: Map<string, string>;
  /** The result may be compressed, and the client reads gzip. */
  readonly gzip: boolean;
  /** Hold the result back until the statement has ended, as far as memory allows. */
  readonly waitForEnd: boolean;
}

/** Parameters of the HTTP interface, which are no settings of a statement. */
const doorParameters = new Set([
  'query',
  'database',
  'default_format',
  'query_id',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'user',
  'password',
  'quota_key',
  'role',
  'stacktrace',
  'compress',
  'decompress',
  'buffer_size',
  'wait_end_of_query',
  'enable_http_compression',
  'http_zlib_compression_level',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'cancel_http_readonly_queries_on_client_close',
  'add_http_cors_header',
  'http_write_exception_in_output_format',
  'client_protocol_version',
  'readonly',
]);

/** Sorts the URL parameters and headers of a request. */
export function readRequest(request: IncomingMessage, url: URL): QueryRequest {
  const query = url.searchParams;
  if (isOn(query.get('compress')) || isOn(query.get('decompress'))) {
    throw new EngineException(48, 'NOT_IMPLEMENTED', 'compress and decompress are not offered here; use gzip');
  }
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of query) addParameter(name, value, settings, parameters);
  const session = query.get('session_id');
  const timeout = Number(query.get('session_timeout') ?? Number.NaN);
  return {
    readOnly: request.method === 'GET' || request.method === 'HEAD' || /^[12]$/.test(query.get('readonly') ?? ''),
    query: query.get('query') ?? '',
    database: query.get('database') ?? header(request, 'x-clickhouse-database') ?? '',
    format: header(request, 'x-clickhouse-format') ?? query.get('default_format') ?? undefined,
    queryId: query.get('query_id') || randomUUID(),
    session: session
      ? {
          id: session,
          timeoutMs: timeout > 0 ? Math.min(timeout, 3600) * 1000 : undefined,
          check: isOn(query.get('session_check')),
        }
      : undefined,
    settings,
    parameters,
    gzip: isOn(query.get('enable_http_compression')) && acceptsGzip(header(request, 'accept-encoding') ?? ''),
    waitForEnd: isOn(query.get('wait_end_of_query')),
  };
}

/** Puts one parameter where it belongs; also used for the fields of a form. */
export function addParameter(
  name: string,
  value: string,
  settings: Map<string, string>,
  parameters: Map<string, string>,
): void {
  if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value);
  else if (name !== '' && !doorParameters.has(name)) settings.set(name, value);
}

/**
 * Checks the credentials: headers of the dialect, Basic, or parameters. The comparison takes the same time whatever is
 * wrong.
 * @throws EngineException 516 or 194 (no credentials at all).
 */
export function checkCredentials(request: IncomingMessage, url: URL, user: string, password: string): void {
  if (password === '') return;
  const credentials = readCredentials(request, url);
  if (credentials === undefined) {
    throw new EngineException(194, 'REQUIRED_PASSWORD', 'Authentication failed: no password was given');
  }
  const sameUser = sameText(credentials.user, user);
  const samePassword = sameText(credentials.password, password);
  if (sameUser && samePassword) return;
  throw new EngineException(
    516,
    'AUTHENTICATION_FAILED',
    'Authentication failed: password is incorrect, or there is no user with such name.',
  );
}

interface GivenCredentials {
  readonly user: string;
  readonly password: string;
}

function readCredentials(request: IncomingMessage, url: URL): GivenCredentials | undefined {
  const user = header(request, 'x-clickhouse-user') ?? url.searchParams.get('user');
  const password = header(request, 'x-clickhouse-key') ?? url.searchParams.get('password');
  if (user !== null || password !== null) return { user: user ?? 'default', password: password ?? '' };
  const basic = /^basic\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (basic === undefined) return undefined;
  const text = Buffer.from(basic, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(a), digest(b));
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function isOn(text: string | null): boolean {
  return text === '1' || text === 'true';
}

/** RFC 9110 section 12.5.3: named, or a star, and not with weight 0. */
function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((part) => {
    const [coding = '', ...weights] = part.trim().toLowerCase().split(';');
    const refused = weights.some((weight) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(weight));
    return (coding === 'gzip' || coding === '*') && !refused;
  });
}
