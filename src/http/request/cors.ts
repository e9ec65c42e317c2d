import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { CorsSettings } from '../../model/cors-settings.js';

/** Verdict on a request: passes with these headers, ends as an answered preflight, or is refused with 403. */
type CorsVerdict =
  | {
      readonly kind: 'pass' | 'preflight';
      readonly headers: Readonly<Record<string, string>>;
      /**
       * Set for a browser that calls for a page which no setting names: the origin of the page, or the host name that
       * it was loaded under. See {@link Credentials} in model/exchange.ts.
       */
      readonly foreignPage?: string;
    }
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
  /** True for a request that opens a WebSocket connection. */
  readonly isWebSocket?: boolean | undefined;
}

/** Decides for each request whether another origin may send it. */
export type CorsPolicy = (request: CorsRequest) => CorsVerdict;

const allowedMethods = 'GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS';
const baseAllowHeaders = ['Origin', 'Content-Length', 'Content-Type', 'Authorization'] as const;
const baseExposeHeaders = ['Authorization'] as const;
const preflightMaxAgeSeconds = 43_200;
const pass = { kind: 'pass', headers: {} } as const;

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
 * True for names that no page from elsewhere can have been loaded under: addresses, names of this machine, and names
 * without a dot, which no public name server knows. An attacker may have pointed any other name here (DNS rebinding).
 */
function isOwnName(name: string): boolean {
  if (isIP(name) !== 0 || (name.startsWith('[') && name.endsWith(']'))) return true;
  return !name.includes('.') || name.endsWith('.localhost') || name === hostname().toLowerCase();
}

/** True for requests of a browser, of which alone a page can make use. */
function isFromBrowser({ origin, referer, ...request }: CorsRequest): boolean {
  return origin !== undefined || referer !== undefined || isBrowser(request);
}

/**
 * True for what a browser says about itself. A page of another origin cannot change that: a User-Agent of its own needs
 * a preflight, which does not allow it.
 */
export function isBrowser({ site, userAgent }: Pick<CorsRequest, 'site' | 'userAgent'>): boolean {
  return site !== undefined || (userAgent?.startsWith('Mozilla/') ?? false);
}

/** A followed link brings nothing but the page that it leads to. */
function isNavigation({ method, mode }: CorsRequest): boolean {
  return mode === 'navigate' && (method === 'GET' || method === 'HEAD');
}

/**
 * The cross-origin policy of all routes; see docs/decisions/019. What is not sent by a browser passes untouched. While
 * `allowAllOrigins` is false, a browser is refused, before anything else happens, when it calls for a page of another
 * origin that is not allowed, or under a name that may be another's; otherwise its request is marked as that of a
 * foreign page. A page of another origin opens WebSocket connections only with `allowWebSockets`. Throws on a bad entry
 * of `allowOrigins` or `allowHosts`, which stops the start.
 */
export function createCorsPolicy(settings: CorsSettings): CorsPolicy {
  const { allowAllOrigins, allowCredentials, allowWebSockets } = settings;
  const lists: Lists = {
    origins: originTests(settings),
    hosts: settings.allowHosts.map((entry) => entryTest('cors.allowHosts', entry)),
  };
  const credentials: Record<string, string> = allowCredentials ? { 'access-control-allow-credentials': 'true' } : {};
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
  return (request) => {
    const { method, origin = '', host = '' } = request;
    const foreign = foreignOf(request, lists);
    if (foreign !== undefined && !allowAllOrigins) return { kind: 'refuse', reason: foreign.reason };
    if (request.isWebSocket === true && !allowWebSockets && origin !== '' && !isSameOrigin(origin, host)) {
      return {
        kind: 'refuse',
        reason: `origin ${origin.slice(0, maxPageLength)} may not open WebSockets, see cors.allowWebSockets`,
      };
    }
    const mark = foreign?.isBrowser === true ? { foreignPage: foreign.page } : {};
    if (origin === '' || isSameOrigin(origin, host)) return { ...pass, ...mark };
    // Browsers refuse the star beside credentials.
    const allowed: Record<string, string> =
      allowAllOrigins && !allowCredentials
        ? { 'access-control-allow-origin': '*' }
        : { 'access-control-allow-origin': origin, vary: 'Origin' };
    return method === 'OPTIONS'
      ? { kind: 'preflight', headers: { ...allowed, ...preflight } }
      : { kind: 'pass', headers: { ...allowed, ...simple }, ...mark };
  };
}

/** The origins and host names that settings name. */
interface Lists {
  readonly origins: readonly TextTest[];
  readonly hosts: readonly TextTest[];
}

/** A page that no setting names, and why that is refused while not all origins are allowed. */
interface ForeignPage {
  readonly page: string;
  readonly reason: string;
  /** False for a program that sends an `Origin`. */
  readonly isBrowser: boolean;
}

/**
 * The foreign page that a request comes from; undefined for a program, and for a page of an allowed origin under a
 * known host name.
 */
function foreignOf(request: CorsRequest, { origins, hosts }: Lists): ForeignPage | undefined {
  const { origin = '', host = '', site } = request;
  if (!isFromBrowser(request)) return undefined;
  const name = nameOf(host);
  const lowerHost = host.toLowerCase();
  const isAllowed = origins.some((test) => test(`http://${lowerHost}`) || test(`https://${lowerHost}`));
  const isKnown = isAllowed || isOwnName(name) || hosts.some((test) => test(name));
  if (!isKnown) return foreign(`host ${name}`, 'cors.allowHosts', true);
  if (origin === '') {
    const isForeign = site === 'cross-site' && !isNavigation(request);
    return isForeign ? foreign('a page of another site', 'cors.allowOrigins', true) : undefined;
  }
  const lower = origin.toLowerCase();
  if (isSameOrigin(origin, host) || origins.some((test) => test(lower))) return undefined;
  return foreign(`origin ${origin}`, 'cors.allowOrigins', isBrowser(request));
}

const maxPageLength = 256;

function foreign(who: string, setting: string, isBrowser: boolean): ForeignPage {
  const page = who.slice(0, maxPageLength);
  return { page, reason: `${page} is not allowed, see ${setting}`, isBrowser };
}

function isSameOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
