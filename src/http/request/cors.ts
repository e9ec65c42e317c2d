import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { CorsSettings } from '../../model/cors-settings.js';

/** Verdict on a request: goes on with these headers, ends as an answered preflight, or is refused with 403. */
type CorsVerdict =
  | { readonly kind: 'pass' | 'preflight'; readonly headers: Readonly<Record<string, string>> }
  /** The reason is empty where the answer has no body. */
  | { readonly kind: 'refuse'; readonly reason: string };

/** Method and headers of a request, on which a cross-origin verdict depends. */
export interface CorsRequest {
  readonly method: string;
  readonly origin: string | undefined;
  readonly host: string | undefined;
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`, which browsers send and pages cannot set. */
  readonly site?: string | undefined;
  readonly mode?: string | undefined;
  readonly referer?: string | undefined;
  readonly userAgent?: string | undefined;
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

type TextTest = (text: string) => boolean;

/** Tells texts in lower case that an entry stands for, in which one star may stand for any text. */
function entryTest(setting: string, entry: string): TextTest {
  const pattern = entry.trim().toLowerCase();
  const parts = pattern.split('*');
  if (parts.length > 2) throw new Error(`${setting}: "${entry}" holds more than one "*".`);
  const [before = '', after] = parts;
  if (after === undefined) return (text) => text === pattern;
  const least = before.length + after.length;
  return (text) => text.length >= least && text.startsWith(before) && text.endsWith(after);
}

function originTest(entry: string, schemes: readonly string[]): TextTest {
  const isWhole = !entry.includes('*');
  if (isWhole && !schemes.some((scheme) => entry.trim().toLowerCase().startsWith(scheme))) {
    throw new Error(`cors.allowOrigins: "${entry}" must begin with ${schemes.join(' or ')} or hold a "*".`);
  }
  return entryTest('cors.allowOrigins', entry);
}

function originTests(settings: CorsSettings): readonly TextTest[] {
  const schemes = ['http://', 'https://', ...(settings.allowWebSockets ? ['ws://', 'wss://'] : [])];
  const entries = settings.allowOrigins.length > 0 ? settings.allowOrigins : ['http://127.0.0.1'];
  return entries.map((entry) => originTest(entry, schemes));
}

/** The name in a Host header, in lower case and without its port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/**
 * True for names that no page from elsewhere can have been loaded under: addresses, names of this machine, and names without a dot,
 * which no public name server knows. An attacker may have pointed any other name here (DNS rebinding).
 */
function isOwnName(name: string): boolean {
  if (isIP(name) !== 0 || (name.startsWith('[') && name.endsWith(']'))) return true;
  return !name.includes('.') || name.endsWith('.localhost') || name === hostname().toLowerCase();
}

/** True for requests of a browser, of which alone a page can make use. */
function isFromBrowser({ origin, site, referer, userAgent }: CorsRequest): boolean {
  if (origin !== undefined || site !== undefined || referer !== undefined) return true;
  return userAgent?.startsWith('Mozilla/') ?? false;
}

/** A followed link brings nothing but the page that it leads to. */
function isNavigation({ method, mode }: CorsRequest): boolean {
  return mode === 'navigate' && (method === 'GET' || method === 'HEAD');
}

/**
 * The cross-origin policy of all routes. What is not sent by a browser passes untouched. A browser is refused, before anything else
 * happens, when it calls for a page of another origin that is not allowed, or under a name that may be another's. Throws
 * on a bad entry of `allowOrigins` or `allowHosts`, which stops the start.
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
  const hosts = settings.allowHosts.map((entry) => entryTest('cors.allowHosts', entry));
  return (request) => {
    const { method, origin = '', host = '' } = request;
    const refused = tests === undefined ? undefined : refusedOf(request, tests, hosts);
    if (refused !== undefined) return refused;
    if (origin === '' || isSameOrigin(origin, host)) return pass;
    const allowed: Record<string, string> =
      tests === undefined
        ? { 'access-control-allow-origin': '*' }
        : { 'access-control-allow-origin': origin, vary: 'Origin' };
    return method === 'OPTIONS'
      ? { kind: 'preflight', headers: { ...allowed, ...preflight } }
      : { kind: 'pass', headers: { ...allowed, ...simple } };
  };
}

/** Refuses a request of a browser that no allowed page has sent, or that came under a name that is not known. */
function refusedOf(
  request: CorsRequest,
  origins: readonly TextTest[],
  hosts: readonly TextTest[],
): CorsVerdict | undefined {
  const { origin = '', host = '', site } = request;
  if (isFromBrowser(request)) {
    const name = nameOf(host);
    const lower = host.toLowerCase();
    const isAllowed = origins.some((test) => test(`http://${lower}`) || test(`https://${lower}`));
    const isKnown = isAllowed || isOwnName(name) || hosts.some((test) => test(name));
    if (!isKnown) return refusal(`host ${name} is not allowed, see cors.allowHosts`);
  }
  if (origin === '') {
    const isForeign = site === 'cross-site' && !isNavigation(request);
    return isForeign ? refusal('calls from other sites are not allowed, see cors.allowOrigins') : undefined;
  }
  const lower = origin.toLowerCase();
  return isSameOrigin(origin, host) || origins.some((test) => test(lower)) ? undefined : refusal('');
}

function isSameOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

function refusal(reason: string): CorsVerdict {
  return { kind: 'refuse', reason };
}
