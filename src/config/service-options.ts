import { logLevels } from '../model/log-level.js';
import { longestTimerMs, type OptionTable, option, optionTable } from '../model/option.js';
import { limitsOptions } from './limit-options.js';
import { logOptions } from './log-options.js';
import { monitorOptions } from './monitor-options.js';
import { otlpOptions } from './otlp-options.js';
import { promqlOptions } from './promql-options.js';
import { sslOptions } from './ssl-options.js';

/** Settings that stand in no section of the file. */
export const generalOptions = optionTable('', 'General', [
  option.int('port', 'HTTP port', { short: 'P', default: '6041', min: 0, max: 65535 }),
  option.int(
    'workers',
    'worker processes that share the HTTP port, in addition to the primary process; 1 is a single process for everything',
    { default: '1', min: 1, max: 64 },
  ),
  option.bool('debug', 'accepted, without effect', { default: 'true' }),
  option.text('logLevel', 'least severe level that is logged', { default: 'info', allowed: logLevels }),
  option.bool('httpCodeServerError', 'answer failed statements with an HTTP error status instead of 200', {
    default: 'false',
  }),
  option.int('restfulRowLimit', 'maximum number of rows that a query returns over HTTP; -1 is no limit', {
    default: '-1',
  }),
  option.bool('smlAutoCreateDB', 'create a missing database when rows are written to it by a metric protocol', {
    default: 'false',
  }),
  option.text('dbConfigDir', 'directory that is searched for adapter.toml; not read from the file itself', {
    default: '/etc/sluice',
    env: 'ADAPTER_DB_CONFIG_FILE',
  }),
]);

/** Consumers of topics. */
export const tmqOptions = optionTable('tmq', 'Subscriptions', [
  option.int(
    'tmq.releaseIntervalMultiplierForAutocommit',
    'a consumer that sends nothing for this many auto-commit intervals loses its share of the messages',
    { default: '2', min: 1, max: 10 },
  ),
]);

/** Connections to the engine. */
export const poolOptions = optionTable('pool', 'Connections to the database', [
  option.duration('pool.idleTimeout', 'close a connection that was idle this long', { min: 0, max: longestTimerMs }),
  option.int(
    'pool.maxConnect',
    'maximum number of connections to the database, half of them for results of queries; 0 or not set is 4.5 per processor',
    { min: 0 },
  ),
  option.int(
    'pool.maxIdle',
    'maximum number of idle connections to the database; 0 or not set is the same as pool.maxConnect',
    {
      min: 0,
    },
  ),
]);

/** Which pages of other origins may call. */
export const corsOptions = optionTable('cors', 'Cross-origin calls from browsers', [
  option.bool(
    'cors.allowAllOrigins',
    'allow calls from pages of every origin and under every host name; of those that cors.allowOrigins and cors.allowHosts do not name, ' +
      'the first password of root is refused',
    { default: 'true' },
  ),
  option.texts(
    'cors.allowOrigins',
    'origins that may call while cors.allowAllOrigins is false, each with its scheme; one * stands for any text; not set is http://127.0.0.1',
    { env: 'ADAPTER_ALLOW_ORIGINS' },
  ),
  option.texts(
    'cors.allowHosts',
    'names with a dot that browsers may use for this service while cors.allowAllOrigins is false, besides the name of the machine; ' +
      'one * stands for any text',
  ),
  option.texts('cors.allowHeaders', 'request headers that are allowed besides the usual ones', {
    env: 'ADAPTER_ALLOW_HEADERS',
  }),
  option.texts('cors.exposeHeaders', 'response headers that a page may read besides Authorization', {
    env: 'ADAPTER_Expose_Headers',
  }),
  option.bool('cors.allowCredentials', 'allow calls with credentials', { env: 'ADAPTER_CORS_ALLOW_Credentials' }),
  option.bool(
    'cors.allowWebSockets',
    'let pages of other origins open WebSockets, and origins have the schemes ws and wss',
    {
      env: 'ADAPTER_CORS_ALLOW_WebSockets',
    },
  ),
]);

/** The input for line protocol. */
export const lineprotoOptions = optionTable('lineproto', 'Line protocol over HTTP (InfluxDB)', [
  option.bool('lineproto.enable', 'serve /lineproto/v1/write and the paths of InfluxDB', { default: 'true' }),
]);

/** The inputs for JSON and telnet format. */
export const tsdbwireOptions = optionTable('tsdbwire', 'Points as JSON and telnet lines over HTTP (OpenTSDB)', [
  option.bool('tsdbwire.enable', 'serve /api/put and the write routes of /tsdbwire', { default: 'true' }),
  option.text('tsdbwire.db', 'database of POST /api/put without the header x-sluice-db and the parameter db', {
    default: 'tsdbwire',
  }),
]);

/** The endpoints of remote read, remote write and pushes. */
export const metricsdbOptions = optionTable('metricsdb', 'Remote write, remote read and pushed text (Prometheus)', [
  option.bool('metricsdb.enable', 'serve the remote read and remote write routes, and those for pushes as text', {
    default: 'true',
  }),
  option.text('metricsdb.db', 'database of pushes without the header x-sluice-db and the parameter db', {
    default: 'metricsdb',
  }),
]);

/** The tables of everything that is not a component with a listener or a connection of its own. */
export const serviceOptions: readonly OptionTable[] = [
  generalOptions,
  sslOptions,
  tmqOptions,
  poolOptions,
  corsOptions,
  logOptions,
  monitorOptions,
  lineprotoOptions,
  tsdbwireOptions,
  metricsdbOptions,
  otlpOptions,
  promqlOptions,
  limitsOptions,
];
