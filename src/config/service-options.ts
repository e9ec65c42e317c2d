import { logLevels } from '../model/log-level.js';
import { longestTimerMs, type OptionTable } from '../model/option.js';

const generalOptions: OptionTable = {
  group: '',
  title: 'General',
  rows: [
    {
      flag: 'port',
      short: 'P',
      type: 'int',
      default: '6041',
      env: 'ADAPTER_PORT',
      help: 'HTTP port',
      min: 0,
      max: 65535,
    },
    { flag: 'debug', type: 'bool', default: 'true', env: 'ADAPTER_DEBUG', help: 'debug mode of the HTTP service' },
    {
      flag: 'logLevel',
      type: 'string',
      default: 'info',
      env: 'ADAPTER_LOG_LEVEL',
      help: 'least severe level that is logged',
      allowed: logLevels,
    },
    {
      flag: 'httpCodeServerError',
      type: 'bool',
      default: 'false',
      env: 'ADAPTER_HTTP_CODE_SERVER_ERROR',
      help: 'answer failed statements with an HTTP error status instead of 200',
    },
    {
      flag: 'restfulRowLimit',
      type: 'int',
      default: '-1',
      env: 'ADAPTER_RESTFUL_ROW_LIMIT',
      help: 'most rows a query returns over HTTP; -1 is no limit',
    },
    {
      flag: 'smlAutoCreateDB',
      type: 'bool',
      default: 'false',
      env: 'ADAPTER_SML_AUTO_CREATE_DB',
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
};

const tmqOptions: OptionTable = {
  group: 'tmq',
  title: 'Subscriptions',
  rows: [
    {
      flag: 'tmq.releaseIntervalMultiplierForAutocommit',
      type: 'int',
      default: '2',
      env: 'ADAPTER_TMQ_RELEASE_INTERVAL_MULTIPLIER_FOR_AUTOCOMMIT',
      help: 'auto-commit intervals after which a message is released',
      min: 1,
      max: 10,
    },
  ],
};

const poolOptions: OptionTable = {
  group: 'pool',
  title: 'Connections to the database',
  rows: [
    {
      flag: 'pool.idleTimeout',
      type: 'duration',
      env: 'ADAPTER_POOL_IDLE_TIMEOUT',
      help: 'close a connection that was idle this long',
      min: 0,
      max: longestTimerMs,
    },
    {
      flag: 'pool.maxConnect',
      type: 'int',
      env: 'ADAPTER_POOL_MAX_CONNECT',
      help: 'most connections to the server; 0 or not set is chosen by the number of processors',
      min: 0,
    },
    {
      flag: 'pool.maxIdle',
      type: 'int',
      env: 'ADAPTER_POOL_MAX_IDLE',
      help: 'most idle connections to the server; 0 or not set is the same as pool.maxConnect',
      min: 0,
    },
  ],
};

const corsOptions: OptionTable = {
  group: 'cors',
  title: 'Cross-origin calls from browsers',
  rows: [
    {
      flag: 'cors.allowAllOrigins',
      type: 'bool',
      default: 'true',
      env: 'ADAPTER_CORS_ALLOW_ALL_ORIGINS',
      help: 'allow calls from every origin; cors.allowOrigins is then ignored',
    },
    {
      flag: 'cors.allowOrigins',
      type: 'string-list',
      env: 'ADAPTER_ALLOW_ORIGINS',
      help: 'origins that may call, each with its scheme; one * stands for any text; not set is http://127.0.0.1',
    },
    {
      flag: 'cors.allowHeaders',
      type: 'string-list',
      env: 'ADAPTER_ALLOW_HEADERS',
      help: 'request headers that are allowed beside the usual ones',
    },
    {
      flag: 'cors.exposeHeaders',
      type: 'string-list',
      env: 'ADAPTER_Expose_Headers',
      help: 'response headers a page may read beside Authorization',
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
};

const logOptions: OptionTable = {
  group: 'log',
  title: 'Logging',
  rows: [
    {
      flag: 'log.path',
      type: 'string',
      default: '/var/log/sluice',
      env: 'ADAPTER_LOG_PATH',
      help: 'directory of the log files',
    },
    {
      flag: 'log.rotationCount',
      type: 'uint',
      default: '30',
      env: 'ADAPTER_LOG_ROTATION_COUNT',
      help: 'log files that are kept',
    },
    {
      flag: 'log.rotationSize',
      type: 'size',
      default: '1GB',
      env: 'ADAPTER_LOG_ROTATION_SIZE',
      help: 'begin a new log file at this size',
      min: 1,
    },
    {
      flag: 'log.rotationTime',
      type: 'duration',
      default: '24h0m0s',
      env: 'ADAPTER_LOG_ROTATION_TIME',
      help: 'begin a new log file after this time',
      min: 1000,
    },
    {
      flag: 'log.enableRecordHttpSql',
      type: 'bool',
      env: 'ADAPTER_LOG_ENABLE_RECORD_HTTP_SQL',
      help: 'record every SQL statement that came over HTTP in a file of its own',
    },
    {
      flag: 'log.sqlRotationCount',
      type: 'uint',
      default: '2',
      env: 'ADAPTER_LOG_SQL_ROTATION_COUNT',
      help: 'SQL record files that are kept',
    },
    {
      flag: 'log.sqlRotationSize',
      type: 'size',
      default: '1GB',
      env: 'ADAPTER_LOG_SQL_ROTATION_SIZE',
      help: 'begin a new SQL record file at this size',
      min: 1,
    },
    {
      flag: 'log.sqlRotationTime',
      type: 'duration',
      default: '24h0m0s',
      env: 'ADAPTER_LOG_SQL_ROTATION_TIME',
      help: 'begin a new SQL record file after this time',
      min: 1000,
    },
  ],
};

const monitorOptions: OptionTable = {
  group: 'monitor',
  title: 'Monitoring',
  rows: [
    {
      flag: 'monitor.collectDuration',
      type: 'duration',
      default: '3s',
      env: 'ADAPTER_MONITOR_COLLECT_DURATION',
      envAlso: ['MONITOR_COLLECT_DURATION'],
      help: 'interval of the CPU and memory samples',
      min: 1,
      max: longestTimerMs,
    },
    {
      flag: 'monitor.disable',
      type: 'bool',
      env: 'ADAPTER_MONITOR_DISABLE',
      help: 'turn monitoring off',
    },
    {
      flag: 'monitor.disableCollectClientIP',
      type: 'bool',
      env: 'ADAPTER_MONITOR_DISABLE_COLLECT_CLIENT_IP',
      help: 'leave client addresses out of the figures',
    },
    {
      flag: 'monitor.identity',
      type: 'string',
      env: 'ADAPTER_MONITOR_IDENTITY',
      help: 'name of this instance in the figures; empty is hostname:port',
    },
    {
      flag: 'monitor.incgroup',
      type: 'bool',
      default: 'false',
      env: 'ADAPTER_MONITOR_INCGROUP',
      envAlso: ['MONITOR_INCGROUP'],
      help: 'measure against the limits of the container the service runs in',
    },
    {
      flag: 'monitor.pauseAllMemoryThreshold',
      type: 'float',
      default: '80',
      env: 'ADAPTER_MONITOR_PAUSE_ALL_MEMORY_THRESHOLD',
      envAlso: ['MONITOR_PAUSE_ALL_MEMORY_THRESHOLD'],
      help: 'percent of physical memory above which writes and queries are refused',
      min: 1,
      max: 100,
    },
    {
      flag: 'monitor.pauseQueryMemoryThreshold',
      type: 'float',
      default: '70',
      env: 'ADAPTER_MONITOR_PAUSE_QUERY_MEMORY_THRESHOLD',
      envAlso: ['MONITOR_PAUSE_QUERY_MEMORY_THRESHOLD'],
      help: 'percent of physical memory above which queries are refused',
      min: 1,
      max: 100,
    },
    {
      flag: 'monitor.writeToDB',
      type: 'bool',
      default: 'false',
      env: 'ADAPTER_MONITOR_WRITE_TO_TD',
      help: "write the service's own figures to the database",
    },
    {
      flag: 'monitor.writeInterval',
      type: 'duration',
      default: '30s',
      env: 'ADAPTER_MONITOR_WRITE_INTERVAL',
      help: 'interval of those writes',
      min: 1,
      max: longestTimerMs,
    },
    {
      flag: 'monitor.user',
      type: 'string',
      default: 'root',
      env: 'ADAPTER_MONITOR_USER',
      help: 'database user of those writes',
    },
    {
      flag: 'monitor.password',
      type: 'secret',
      default: 'taosdata',
      env: 'ADAPTER_MONITOR_PASSWORD',
      help: 'password of that user',
    },
  ],
};

const lineprotoOptions: OptionTable = {
  group: 'lineproto',
  title: 'Line protocol over HTTP',
  rows: [
    {
      flag: 'lineproto.enable',
      type: 'bool',
      default: 'true',
      env: 'ADAPTER_LINEPROTO_ENABLE',
      help: 'serve the line-protocol write route',
    },
  ],
};

const tsdbwireOptions: OptionTable = {
  group: 'tsdbwire',
  title: 'JSON and telnet format over HTTP',
  rows: [
    {
      flag: 'tsdbwire.enable',
      type: 'bool',
      default: 'true',
      env: 'ADAPTER_TSDBWIRE_ENABLE',
      help: 'serve the JSON and telnet-format write routes',
    },
  ],
};

const metricsdbOptions: OptionTable = {
  group: 'metricsdb',
  title: 'Remote read and remote write',
  rows: [
    {
      flag: 'metricsdb.enable',
      type: 'bool',
      default: 'true',
      env: 'ADAPTER_METRICSDB_ENABLE',
      help: 'serve the remote read and remote write routes',
    },
  ],
};

const limitsOptions: OptionTable = {
  group: 'limits',
  title: 'Limits',
  rows: [
    {
      flag: 'limits.sqlBytes',
      type: 'size',
      default: '64MB',
      env: 'ADAPTER_LIMITS_SQL_BYTES',
      help: 'longest SQL statement over HTTP, which only an INSERT of rows may be',
      min: 1,
    },
    {
      flag: 'limits.lineBytes',
      type: 'size',
      default: '1MB',
      env: 'ADAPTER_LIMITS_LINE_BYTES',
      help: 'longest line of a text protocol',
      min: 1,
    },
    {
      flag: 'limits.messageBytes',
      type: 'size',
      default: '32MB',
      env: 'ADAPTER_LIMITS_MESSAGE_BYTES',
      help: 'longest message of remote write or remote read, inflated',
      min: 1,
    },
    {
      flag: 'limits.remoteReadBytes',
      type: 'size',
      default: '64MB',
      env: 'ADAPTER_LIMITS_REMOTE_READ_BYTES',
      help: 'longest answer to a remote read, before it is compressed',
      min: 1,
    },
    {
      flag: 'limits.creditBytes',
      type: 'size',
      default: '32MB',
      env: 'ADAPTER_LIMITS_CREDIT_BYTES',
      help: 'bytes a pipeline holds that are not yet stored, before its readers wait',
      min: 1,
    },
    {
      flag: 'limits.statements',
      type: 'int',
      default: '256',
      env: 'ADAPTER_LIMITS_STATEMENTS',
      help: 'SQL statements that run at once; more wait',
      min: 1,
    },
    {
      flag: 'limits.statementsOfUser',
      type: 'int',
      default: '128',
      env: 'ADAPTER_LIMITS_STATEMENTS_OF_USER',
      help: 'SQL statements of one user that run at once; more wait; 0 is no limit',
      min: 0,
    },
    {
      flag: 'limits.waitingStatements',
      type: 'int',
      default: '1024',
      env: 'ADAPTER_LIMITS_WAITING_STATEMENTS',
      help: 'SQL statements that wait for others to end; more are answered with 503',
      min: 0,
    },
    {
      flag: 'limits.statementWait',
      type: 'duration',
      default: '1m0s',
      env: 'ADAPTER_LIMITS_STATEMENT_WAIT',
      help: 'how long an SQL statement waits for others to end before it is answered with 503',
      min: 1,
      max: longestTimerMs,
    },
    {
      flag: 'limits.queryBytes',
      type: 'size',
      default: '1MB',
      env: 'ADAPTER_LIMITS_QUERY_BYTES',
      help: 'longest SQL statement that is not an INSERT of rows; longer ones are refused with 0x0219',
      min: 1,
    },
    {
      flag: 'limits.queryTime',
      type: 'duration',
      default: '30m0s',
      env: 'ADAPTER_LIMITS_QUERY_TIME',
      help: 'how long a query may take until its last row is sent; it is then cancelled with 0x020F; 0s is no limit',
      min: 0,
      max: longestTimerMs,
    },
  ],
};

/** The tables of everything that is not a component with a listener or a connection of its own. */
export const serviceOptions: readonly OptionTable[] = [
  generalOptions,
  tmqOptions,
  poolOptions,
  corsOptions,
  logOptions,
  monitorOptions,
  lineprotoOptions,
  tsdbwireOptions,
  metricsdbOptions,
  limitsOptions,
];
