import type { CorsSettings } from '../model/cors-settings.js';

/** What becomes of a request: goes on with these headers, ends as an answered preflight, or is refused with 403. */
export type CorsVerdict =
  | { readonly kind: 'pass' | 'preflight'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'refuse' };

/** What of a request a cross-origin verdict depends on. */
export interface CorsRequest {
  readonly method: string;
  readonly origin: string | undefined;
  readonly host: string | undefined;
}

/** Says of each request whether another origin may ask it. */
export type CorsPolicy = (request: CorsRequest) => CorsVerdict;

const allowedMethods = 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS';
const baseAllowHeaders = ['Origin', 'Content-Length', 'Content-Type', 'Authorization'] as const;
const baseExposeHeaders = ['Authorization'] as const;
const preflightMaxAgeSeconds = 43_200;
const pass: CorsVerdict = { kind: 'pass', headers: {} };

function joinNames(base: readonly string[], more: readonly string[]): string {
  const seen = new Map<string, string>();
  for (const name of [...base, ...more]) {
    const key = name.trim().toLowerCase();
    if (key !== '' && !seen.has(key)) seen.set(key, name.trim());
  }
  return [...seen.values()].join(',');
}

type OriginTest = (origin: string) => boolean;

function originTest(entry: string, schemes: readonly string[]): OriginTest {
  const pattern = entry.trim().toLowerCase();
  const parts = pattern.split('*');
  if (parts.length > 2) throw new Error(`cors.allowOrigins: "${entry}" holds more than one "*".`);
  const [before = '', after] = parts;
  if (after !== undefined) {
    const least = before.length + after.length;
    return (origin) => origin.length >= least && origin.startsWith(before) && origin.endsWith(after);
  }
  if (!schemes.some((scheme) => pattern.startsWith(scheme))) {
    throw new Error(`cors.allowOrigins: "${entry}" must begin with ${schemes.join(' or ')} or hold a "*".`);
  }
  return (origin) => origin === pattern;
}

function originTests(settings: CorsSettings): readonly OriginTest[] {
  const schemes = ['http://', 'https://', ...(settings.allowWebSockets ? ['ws://', 'wss://'] : [])];
  const entries = settings.allowOrigins.length > 0 ? settings.allowOrigins : ['http://127.0.0.1'];
  return entries.map((entry) => originTest(entry, schemes));
}

/**
 * The cross-origin policy of all routes. Requests without an Origin, or from the service's own, pass untouched; a
 * foreign Origin that is not allowed is refused before anything else happens. Throws on a bad `allowOrigins` entry,
 * which stops the start.
 */
export function createCorsPolicy(settings: CorsSettings): CorsPolicy {
  const tests = settings.allowAllOrigins ? undefined : originTests(settings);
  const credentials: Record<string, string> = settings.allowCredentials
    ? { 'access-control-allow-credentials': 'true' }
    : {};
  const simple = {
    'access-control-expose-headers': joinNames(baseExposeHeaders, settings.exposeHeaders),
    ...credentials,
  };
  const preflight = {
    'access-control-allow-methods': allowedMethods,
    'access-control-allow-headers': joinNames(baseAllowHeaders, settings.allowHeaders),
    'access-control-max-age': String(preflightMaxAgeSeconds),
    ...credentials,
  };
  return ({ method, origin, host }) => {
    if (origin === undefined || origin === '') return pass;
    if (origin === `http://${host}` || origin === `https://${host}`) return pass;
    const lower = origin.toLowerCase();
    if (tests !== undefined && !tests.some((test) => test(lower))) return { kind: 'refuse' };
    const allowed: Record<string, string> =
      tests === undefined
        ? { 'access-control-allow-origin': '*' }
        : { 'access-control-allow-origin': origin, vary: 'Origin' };
    return method === 'OPTIONS'
      ? { kind: 'preflight', headers: { ...allowed, ...preflight } }
      : { kind: 'pass', headers: { ...allowed, ...simple } };
  };
}
