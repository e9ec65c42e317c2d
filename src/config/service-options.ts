import { logLevels } from '../model/log-level.js';
import { longestTimerMs, type OptionTable, optionTable } from '../model/option.js';
import { limitsOptions } from './limit-options.js';
import { logOptions } from './log-options.js';
import { monitorOptions } from './monitor-options.js';
import { otlpOptions } from './otlp-options.js';
import { sslOptions } from './ssl-options.js';

/** Settings that stand in no section of the file. */
export const generalOptions = optionTable({
  group: '',
  title: 'General',
  rows: [
    { flag: 'port', short: 'P', type: 'int', default: '6041', help: 'HTTP port', min: 0, max: 65535 },
    {
      flag: 'workers',
      type: 'int',
      default: '1',
      help: 'processes that share the HTTP port, beside the one that does everything else; 1 is a single process for all',
      min: 1,
      max: 64,
    },
    { flag: 'debug', type: 'bool', default: 'true', help: 'accepted, without effect' },
    {
      flag: 'logLevel',
      type: 'string',
      default: 'info',
      help: 'least severe level that is logged',
      allowed: logLevels,
    },
    {
      flag: 'httpCodeServerError',
      type: 'bool',
      default: 'false',
      help: 'answer failed statements with an HTTP error status instead of 200',
    },
    {
      flag: 'restfulRowLimit',
      type: 'int',
      default: '-1',
      help: 'most rows a query returns over HTTP; -1 is no limit',
    },
    {
      flag: 'smlAutoCreateDB',
      type: 'bool',
      default: 'false',
      help: 'create a missing database when rows are written to it by a metric protocol',
    },
    {
      flag: 'dbConfigDir',
      type: 'string',
      default: '/etc/sluice',
      env: 'ADAPTER_DB_CONFIG_FILE',
      help: 'directory that is searched for adapter.toml; not read from the file itself',
    },
  ],
});

/** Consumers of topics. */
export const tmqOptions = optionTable({
  group: 'tmq',
  title: 'Subscriptions',
  rows: [
    {
      flag: 'tmq.releaseIntervalMultiplierForAutocommit',
      type: 'int',
      default: '2',
      help: 'a consumer that is silent for this many auto-commit intervals loses its share of the messages',
      min: 1,
      max: 10,
    },
  ],
});

/** Connections to the engine. */
export const poolOptions = optionTable({
  group: 'pool',
  title: 'Connections to the database',
  rows: [
    {
      flag: 'pool.idleTimeout',
      type: 'duration',
      help: 'close a connection that was idle this long',
      min: 0,
      max: longestTimerMs,
    },
    {
      flag: 'pool.maxConnect',
      type: 'int',
      help: 'most connections to the database, half of them for results of queries; 0 or not set is four and a half per processor',
      min: 0,
    },
    {
      flag: 'pool.maxIdle',
      type: 'int',
      help: 'most idle connections to the server; 0 or not set is the same as pool.maxConnect',
      min: 0,
    },
  ],
});

/** Which pages of other origins may call. */
export const corsOptions = optionTable({
  group: 'cors',
  title: 'Cross-origin calls from browsers',
  rows: [
    {
      flag: 'cors.allowAllOrigins',
      type: 'bool',
      default: 'false',
      help: 'allow calls from pages of every origin and under every host name; cors.allowOrigins and cors.allowHosts are then ignored',
    },
    {
      flag: 'cors.allowOrigins',
      type: 'string-list',
      env: 'ADAPTER_ALLOW_ORIGINS',
      help: 'origins that may call, each with its scheme; one * stands for any text; not set is http://127.0.0.1',
    },
    {
      flag: 'cors.allowHosts',
      type: 'string-list',
      help: 'names with a dot that browsers may use for this service, besides the name of the machine; one * stands for any text',
    },
    {
      flag: 'cors.allowHeaders',
      type: 'string-list',
      env: 'ADAPTER_ALLOW_HEADERS',
      help: 'request headers that are allowed besides the usual ones',
    },
    {
      flag: 'cors.exposeHeaders',
      type: 'string-list',
      env: 'ADAPTER_Expose_Headers',
      help: 'response headers that a page may read besides Authorization',
    },
    {
      flag: 'cors.allowCredentials',
      type: 'bool',
      env: 'ADAPTER_CORS_ALLOW_Credentials',
      help: 'allow calls with credentials',
    },
    {
      flag: 'cors.allowWebSockets',
      type: 'bool',
      env: 'ADAPTER_CORS_ALLOW_WebSockets',
      help: 'allow origins with the schemes ws and wss',
    },
  ],
});

/** The door for line protocol. */
export const lineprotoOptions = optionTable({
  group: 'lineproto',
  title: 'Line protocol over HTTP (InfluxDB)',
  rows: [
    {
      flag: 'lineproto.enable',
      type: 'bool',
      default: 'true',
      help: 'serve /lineproto/v1/write and the paths of InfluxDB',
    },
  ],
});

/** The doors for JSON and telnet format. */
export const tsdbwireOptions = optionTable({
  group: 'tsdbwire',
  title: 'Points as JSON and telnet lines over HTTP (OpenTSDB)',
  rows: [
    {
      flag: 'tsdbwire.enable',
      type: 'bool',
      default: 'true',
      help: 'serve /api/put and the write routes of /tsdbwire',
    },
    {
      flag: 'tsdbwire.db',
      type: 'string',
      default: 'tsdbwire',
      help: 'database of POST /api/put without the header x-sluice-db and the parameter db',
    },
  ],
});

/** The doors of remote read, remote write and pushes. */
export const metricsdbOptions = optionTable({
  group: 'metricsdb',
  title: 'Remote write, remote read and pushed text (Prometheus)',
  rows: [
    {
      flag: 'metricsdb.enable',
      type: 'bool',
      default: 'true',
      help: 'serve the remote read and remote write routes, and those for pushes as text',
    },
    {
      flag: 'metricsdb.db',
      type: 'string',
      default: 'metricsdb',
      help: 'database of pushes without the header x-sluice-db and the parameter db',
    },
  ],
});

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
  limitsOptions,
];
