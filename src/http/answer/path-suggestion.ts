/**
 * Paths that clients of other products request, and where they are here. Paths begin with the first text; the first
 * that fits counts.
 */
const elsewhere: readonly (readonly [prefix: string, here: string])[] = [
  ['/api/v2/query', 'POST /rest/sql/<database>, with SQL as the body'],
  ['/api/v2/buckets', 'POST /rest/sql, with DROP DATABASE or ALTER DATABASE as the body'],
  ['/api/v2/delete', 'POST /rest/sql/<database>, with DELETE FROM as the body'],
  ['/api/v2/signin', 'Authorization: Token <user>:<password> with each request'],
  ['/api/v2/write', 'POST /api/v2/write?bucket=<database>'],
  ['/api/v3/write_lp', 'POST /api/v3/write_lp?db=<database>'],
  ['/write', 'POST /write?db=<database>'],
  ['/influxdb', 'POST /write?db=<database>'],
  ['/api/put', 'POST /api/put?db=<database>'],
  ['/api/v1/put', 'POST /api/put?db=<database>'],
  ['/opentsdb', 'POST /api/put?db=<database>'],
  ['/api/v1/import/prometheus/metrics', 'POST /metrics/job/<job>?db=<database>'],
  ['/metrics/jobs', 'POST /metrics/job/<job>?db=<database>'],
  ['/api/v1/write', 'POST /metricsdb/v1/remote_write/<database>'],
  ['/api/v1/read', 'POST /metricsdb/v1/remote_read/<database>'],
  ['/api/v1/prom/write', 'POST /metricsdb/v1/remote_write/<database>'],
  ['/api/v1/prom/read', 'POST /metricsdb/v1/remote_read/<database>'],
  ['/api/prom/push', 'POST /metricsdb/v1/remote_write/<database>'],
  ['/api/v1/push', 'POST /metricsdb/v1/remote_write/<database>'],
  ['/api/v1/receive', 'POST /metricsdb/v1/remote_write/<database>'],
  ['/api/v1/query', 'POST /rest/sql/<database>, with SQL as the body'],
  ['/api/v1/query_range', 'POST /rest/sql/<database>, with SQL as the body'],
  ['/api/v3/query_sql', 'POST /rest/sql/<database>, with SQL as the body'],
  ['/prometheus', 'POST /metricsdb/v1/remote_write/<database>'],
  ['/v1/metrics', 'POST /v1/metrics?db=<database>'],
  ['/v1/traces', 'POST /v1/metrics?db=<database>, because only metrics are stored'],
  ['/v1/logs', 'POST /v1/metrics?db=<database>, because only metrics are stored'],
  ['/otlp', 'POST /v1/metrics?db=<database>'],
  ['/query', 'POST /rest/sql/<database>, with SQL as the body'],
  ['/sql', 'POST /rest/sql/<database>, with SQL as the body'],
  ['/status', 'GET /-/ping'],
  ['/openapi', 'GET /openapi.json'],
  ['/swagger', 'GET /swagger-ui.html'],
  ['/docs', 'GET /swagger-ui.html'],
];

/**
 * The interface that a request to an unknown path most likely meant, as method and path: that of a client of another
 * product, or one of `interfaces` without the slash at the end of the path. Undefined for any other path.
 */
export function suggestedPath(url: string, interfaces: readonly MethodOfPath[]): string | undefined {
  const [path = ''] = url.split('?');
  const known = elsewhere.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1];
  if (known !== undefined || !path.endsWith('/')) return known;
  const methods = methodsAt(path.slice(0, -1), interfaces);
  return methods && shown(methods);
}

/** An interface: its method, and its path as routes have it. */
interface MethodOfPath {
  readonly method: string;
  readonly path: string;
}

/**
 * The interfaces of a path that take other methods than the one of a request, as methods and path; undefined where
 * there are none.
 */
export function otherMethods(method: string, url: string, interfaces: readonly MethodOfPath[]): string | undefined {
  const [path = ''] = url.split('?');
  const methods = methodsAt(path, interfaces);
  return methods === undefined || methods.methods.includes(method) ? undefined : shown(methods);
}

/** The path of a route, and the methods that it takes. */
interface Methods {
  readonly path: string;
  readonly methods: readonly string[];
}

function methodsAt(requested: string, interfaces: readonly MethodOfPath[]): Methods | undefined {
  const path = interfaces.find((known) => isAt(requested, known.path))?.path;
  if (path === undefined) return undefined;
  return { path, methods: interfaces.filter((known) => known.path === path).map((known) => known.method) };
}

function shown({ path, methods }: Methods): string {
  return `${[...new Set(methods)].join(' or ')} ${path.replace(/:(\w+)/g, '<$1>').replace('*', '<more>')}`;
}

/**
 * True when a path is one of those that a route has: a segment with a colon is any, a star at the end any number of
 * them.
 */
function isAt(requested: string, path: string): boolean {
  const segments = requested.split('/');
  const known = path.split('/');
  const isOpen = known.at(-1) === '*';
  if (isOpen ? segments.length < known.length : segments.length !== known.length) return false;
  return known.every(
    (segment, at) => segment === '*' || segment === segments[at] || (segment[0] === ':' && segments[at] !== ''),
  );
}
