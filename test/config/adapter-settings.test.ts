import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { adapterOptions, readAdapterSettings, type Settings } from '../../src/config/adapter-settings.js';
import { resolveSettings } from '../../src/config/resolve.js';
import { parseValue, printValue } from '../../src/config/values.js';
import { variablesOf } from '../../src/model/option.js';

/** The settings that other products of this family have too, and below them the service's own. */
const expected = `
port int 6041 PORT
workers int 1 WORKERS
debug bool true DEBUG
logLevel string info LOG_LEVEL
httpCodeServerError bool false HTTP_CODE_SERVER_ERROR
restfulRowLimit int -1 RESTFUL_ROW_LIMIT
smlAutoCreateDB bool false SML_AUTO_CREATE_DB
dbConfigDir string /etc/sluice DB_CONFIG_FILE
tmq.releaseIntervalMultiplierForAutocommit int 2 TMQ_RELEASE_INTERVAL_MULTIPLIER_FOR_AUTOCOMMIT
pool.idleTimeout duration - POOL_IDLE_TIMEOUT
pool.maxConnect int - POOL_MAX_CONNECT
pool.maxIdle int - POOL_MAX_IDLE
cors.allowAllOrigins bool true CORS_ALLOW_ALL_ORIGINS
cors.allowHosts string-list - CORS_ALLOW_HOSTS
cors.allowOrigins string-list - ALLOW_ORIGINS
cors.allowHeaders string-list - ALLOW_HEADERS
cors.exposeHeaders string-list - Expose_Headers
cors.allowCredentials bool - CORS_ALLOW_Credentials
cors.allowWebSockets bool - CORS_ALLOW_WebSockets
log.path string /var/log/sluice LOG_PATH
log.rotationCount uint 30 LOG_ROTATION_COUNT
log.rotationSize size 1GB LOG_ROTATION_SIZE
log.rotationTime duration 24h0m0s LOG_ROTATION_TIME
log.enableRecordHttpSql bool - LOG_ENABLE_RECORD_HTTP_SQL
log.sqlRotationCount uint 2 LOG_SQL_ROTATION_COUNT
log.sqlRotationSize size 1GB LOG_SQL_ROTATION_SIZE
log.sqlRotationTime duration 24h0m0s LOG_SQL_ROTATION_TIME
monitor.collectDuration duration 3s MONITOR_COLLECT_DURATION un-prefixed-too
monitor.disable bool - MONITOR_DISABLE
monitor.disableCollectClientIP bool - MONITOR_DISABLE_COLLECT_CLIENT_IP
monitor.identity string - MONITOR_IDENTITY
monitor.incgroup bool false MONITOR_INCGROUP un-prefixed-too
monitor.pauseAllMemoryThreshold float 80 MONITOR_PAUSE_ALL_MEMORY_THRESHOLD un-prefixed-too
monitor.pauseQueryMemoryThreshold float 70 MONITOR_PAUSE_QUERY_MEMORY_THRESHOLD un-prefixed-too
monitor.writeToDB bool false MONITOR_WRITE_TO_TD
monitor.writeInterval duration 30s MONITOR_WRITE_INTERVAL
monitor.user string root MONITOR_USER
monitor.password secret taosdata MONITOR_PASSWORD
lineproto.enable bool true LINEPROTO_ENABLE
tsdbwire.enable bool true TSDBWIRE_ENABLE
metricsdb.enable bool true METRICSDB_ENABLE
agentd.enable bool true AGENTD_ENABLE
agentd.port int 6045 AGENTD_PORT
agentd.db string agentd AGENTD_DB
agentd.user string root AGENTD_USER
agentd.password secret taosdata AGENTD_PASSWORD
agentd.worker int 10 AGENTD_WORKER
agentd.ttl int - AGENTD_TTL
statsgw.enable bool true STATSGW_ENABLE
statsgw.port int 6044 STATSGW_PORT
statsgw.protocol string udp STATSGW_PROTOCOL
statsgw.db string statsgw STATSGW_DB
statsgw.user string root STATSGW_USER
statsgw.password secret taosdata STATSGW_PASSWORD
statsgw.worker int 10 STATSGW_WORKER
statsgw.gatherInterval duration 5s STATSGW_GATHER_INTERVAL
statsgw.maxTCPConnections int 250 STATSGW_MAX_TCP_CONNECTIONS
statsgw.tcpKeepAlive bool false STATSGW_TCP_KEEP_ALIVE
statsgw.allowPendingMessages int 50000 STATSGW_ALLOW_PENDING_MESSAGES
statsgw.deleteCounters bool true STATSGW_DELETE_COUNTERS
statsgw.deleteGauges bool true STATSGW_DELETE_GAUGES
statsgw.deleteSets bool true STATSGW_DELETE_SETS
statsgw.deleteTimings bool true STATSGW_DELETE_TIMINGS
statsgw.ttl int - STATSGW_TTL
tsdbwire_telnet.enable bool false TSDBWIRE_TELNET_ENABLE
tsdbwire_telnet.ports int-list [6046,6047,6048,6049] TSDBWIRE_TELNET_PORTS
tsdbwire_telnet.dbs string-list [tsdbwire_telnet,agentd_tsdb,alertwriter_tsdb,tcoll_tsdb] TSDBWIRE_TELNET_DBS
tsdbwire_telnet.user string root TSDBWIRE_TELNET_USER
tsdbwire_telnet.password secret taosdata TSDBWIRE_TELNET_PASSWORD
tsdbwire_telnet.batchSize int 1 TSDBWIRE_TELNET_BATCH_SIZE
tsdbwire_telnet.flushInterval duration - TSDBWIRE_TELNET_FLUSH_INTERVAL
tsdbwire_telnet.maxTCPConnections int 250 TSDBWIRE_TELNET_MAX_TCP_CONNECTIONS
tsdbwire_telnet.tcpKeepAlive bool false TSDBWIRE_TELNET_TCP_KEEP_ALIVE
tsdbwire_telnet.ttl int - TSDBWIRE_TELNET_TTL
hostexporter.enable bool - HOSTEXPORTER_ENABLE
hostexporter.urls string-list [http://localhost:9100] HOSTEXPORTER_URLS
hostexporter.db string hostexporter HOSTEXPORTER_DB
hostexporter.user string root HOSTEXPORTER_USER
hostexporter.password secret taosdata HOSTEXPORTER_PASSWORD
hostexporter.gatherDuration duration 5s HOSTEXPORTER_GATHER_DURATION
hostexporter.responseTimeout duration 5s HOSTEXPORTER_RESPONSE_TIMEOUT
hostexporter.insecureSkipVerify bool true HOSTEXPORTER_INSECURE_SKIP_VERIFY
events.rules tables - EVENTS_RULES
events.retention duration 2160h0m0s EVENTS_RETENTION
events.repeatInterval duration 10s EVENTS_REPEAT_INTERVAL
events.maxRowAge duration 1h0m0s EVENTS_MAX_ROW_AGE
events.maxSeries int 100000 EVENTS_MAX_SERIES
events.maxWaiting int 10000 EVENTS_MAX_WAITING
events.system bool true EVENTS_SYSTEM
events.writesFailing duration 1m0s EVENTS_WRITES_FAILING
notify.webhook secret - NOTIFY_WEBHOOK
notify.mail secret - NOTIFY_MAIL
notify.severity string warning NOTIFY_SEVERITY
hostexporter.caCertFile string - HOSTEXPORTER_CA_CERT_FILE
hostexporter.certFile string - HOSTEXPORTER_CERT_FILE
hostexporter.keyFile string - HOSTEXPORTER_KEY_FILE
hostexporter.httpUsername string - HOSTEXPORTER_HTTP_USERNAME
hostexporter.httpPassword secret - HOSTEXPORTER_HTTP_PASSWORD
hostexporter.httpBearerTokenString secret - HOSTEXPORTER_HTTP_BEARER_TOKEN_STRING
hostexporter.ttl int - HOSTEXPORTER_TTL
ssl.enable bool false SSL_ENABLE
ssl.certFile string - SSL_CERT_FILE
ssl.keyFile string - SSL_KEY_FILE
ssl.minVersion string 1.2 SSL_MIN_VERSION
ssl.plainHttp string loopback SSL_PLAIN_HTTP
graphite.enable bool false GRAPHITE_ENABLE
graphite.port int 2003 GRAPHITE_PORT
graphite.protocols string-list [tcp,udp] GRAPHITE_PROTOCOLS
graphite.db string graphite GRAPHITE_DB
graphite.user string root GRAPHITE_USER
graphite.password secret taosdata GRAPHITE_PASSWORD
graphite.maxTCPConnections int 250 GRAPHITE_MAX_TCP_CONNECTIONS
graphite.tcpKeepAlive bool false GRAPHITE_TCP_KEEP_ALIVE
graphite.allowPendingMessages int 50000 GRAPHITE_ALLOW_PENDING_MESSAGES
graphite.ttl int - GRAPHITE_TTL
lineproto_udp.enable bool false LINEPROTO_UDP_ENABLE
lineproto_udp.port int 8089 LINEPROTO_UDP_PORT
lineproto_udp.precision string ns LINEPROTO_UDP_PRECISION
lineproto_udp.db string lineproto_udp LINEPROTO_UDP_DB
lineproto_udp.user string root LINEPROTO_UDP_USER
lineproto_udp.password secret taosdata LINEPROTO_UDP_PASSWORD
lineproto_udp.allowPendingMessages int 50000 LINEPROTO_UDP_ALLOW_PENDING_MESSAGES
lineproto_udp.ttl int - LINEPROTO_UDP_TTL
metricsdb.db string metricsdb METRICSDB_DB
tsdbwire.db string tsdbwire TSDBWIRE_DB
otlp.enable bool true OTLP_ENABLE
otlp.db string otlp OTLP_DB
otlp.suffixes bool false OTLP_SUFFIXES
otlp.grpc bool false OTLP_GRPC
otlp.grpcPort int 4317 OTLP_GRPC_PORT
promql.enable bool true PROMQL_ENABLE
promql.db string metricsdb PROMQL_DB
promql.lookback duration 5m0s PROMQL_LOOKBACK
promql.timeout duration 2m0s PROMQL_TIMEOUT
promql.steps int 11000 PROMQL_STEPS
promql.series int 200000 PROMQL_SERIES
promql.samples int 20000000 PROMQL_SAMPLES
promql.samplesOfAll int 40000000 PROMQL_SAMPLES_OF_ALL
limits.sqlBytes size 64MB LIMITS_SQL_BYTES
limits.lineBytes size 1MB LIMITS_LINE_BYTES
limits.messageBytes size 32MB LIMITS_MESSAGE_BYTES
limits.remoteReadBytes size 64MB LIMITS_REMOTE_READ_BYTES
limits.inflatedBytes size 1GB LIMITS_INFLATED_BYTES
limits.bodyBytes size 192MB LIMITS_BODY_BYTES
limits.creditBytes size 32MB LIMITS_CREDIT_BYTES
limits.statements int 256 LIMITS_STATEMENTS
limits.statementsOfUser int 128 LIMITS_STATEMENTS_OF_USER
limits.waitingStatements int 1024 LIMITS_WAITING_STATEMENTS
limits.statementWait duration 1m0s LIMITS_STATEMENT_WAIT
limits.queryBytes size 1MB LIMITS_QUERY_BYTES
limits.statementMemory size 0 LIMITS_STATEMENT_MEMORY
limits.userMemory size 0 LIMITS_USER_MEMORY
limits.queryTime duration 30m0s LIMITS_QUERY_TIME
limits.resultIdle duration 1m0s LIMITS_RESULT_IDLE
agentd.allowPendingPackets int 50000 AGENTD_ALLOW_PENDING_PACKETS
agentd.securityLevel string none AGENTD_SECURITY_LEVEL
agentd.userFile string - AGENTD_USER_FILE
agentd.typesDb string-list - AGENTD_TYPES_DB
hostexporter.maxBodyBytes size 64MB HOSTEXPORTER_MAX_BODY_BYTES
hostexporter.maxScrapes int 2000 HOSTEXPORTER_MAX_SCRAPES
monitor.slowStatement duration 1s MONITOR_SLOW_STATEMENT
monitor.statsd string - MONITOR_STATSD
monitor.statsdInterval duration 10s MONITOR_STATSD_INTERVAL
monitor.statsdPrefix string sluice MONITOR_STATSD_PREFIX
statsgw.gaugeDeltas bool true STATSGW_GAUGE_DELTAS
statsgw.percentiles string-list - STATSGW_PERCENTILES
statsgw.maxKeys int 500000 STATSGW_MAX_KEYS
statsgw.maxSetValues int 1000000 STATSGW_MAX_SET_VALUES
database.mode string embedded DATABASE_MODE
database.path string data DATABASE_PATH
database.host string 127.0.0.1 DATABASE_HOST
database.port int 6030 DATABASE_PORT
write.ack string logged WRITE_ACK
write.batchSize int 100000 WRITE_BATCH_SIZE
write.flushInterval duration 1s WRITE_FLUSH_INTERVAL
wal.path string  WAL_PATH
wal.sync string interval WAL_SYNC
wal.segmentBytes size 64MB WAL_SEGMENT_BYTES
wal.maxBytes size 0 WAL_MAX_BYTES
database.urls string-list - DATABASE_URLS
database.cluster string - DATABASE_CLUSTER
database.replication string replicated DATABASE_REPLICATION
database.user string default DATABASE_USER
database.password secret - DATABASE_PASSWORD
database.passwordFile string - DATABASE_PASSWORD_FILE
database.caFile string - DATABASE_CA_FILE
database.hangTimeout duration 30s DATABASE_HANG_TIMEOUT
database.compression string compact DATABASE_COMPRESSION
database.timeZone string UTC DATABASE_TIME_ZONE
`;

const rows = adapterOptions.flatMap((table) => table.rows);

function resolved(...argv: string[]): Settings | readonly string[] {
  const resolution = resolveSettings({
    program: 'sluice',
    version: '3.4.0',
    argv: ['--dbConfigDir=/nonexistent', ...argv],
    env: {},
    tables: adapterOptions,
    read: readAdapterSettings,
  });
  if (resolution.outcome === 'print') throw new Error(resolution.text);
  return resolution.outcome === 'settings' ? resolution.settings : resolution.errors;
}

function settingsOf(...argv: string[]): Settings {
  const result = resolved(...argv);
  if (!('general' in result)) throw new Error(result.join('\n'));
  return result;
}

function errorOf(...argv: string[]): string {
  const result = resolved(...argv);
  return 'general' in result ? '' : result.join('\n');
}

test('has every setting with its type, default and environment name, and no others', (t) => {
  const lines = rows.map((row) => {
    const value = row.default?.replaceAll(', ', ',') ?? '-';
    const also = row.envAlso === undefined ? '' : ' un-prefixed-too';
    return `${row.flag} ${row.type} ${value} ${variablesOf(row)[0]?.replace(/^ADAPTER_/, '')}${also}`;
  });
  t.deepEqual(lines.toSorted(), expected.trim().split('\n').toSorted());
  t.true(rows.every((row) => variablesOf(row)[0]?.startsWith('ADAPTER_')));
});

test('gives every flag and every environment name to one setting alone', (t) => {
  const flags = rows.map((row) => row.flag);
  const names = rows.flatMap(variablesOf);
  t.is(new Set(flags.map((flag) => flag.toLowerCase())).size, flags.length);
  t.is(new Set(names).size, names.length);
  t.deepEqual(
    rows.filter((row) => row.short !== undefined).map((row) => row.flag),
    ['port'],
  );
});

test('accepts four names without a prefix and no others', (t) => {
  t.deepEqual(rows.flatMap((row) => row.envAlso ?? []).toSorted(), [
    'MONITOR_COLLECT_DURATION',
    'MONITOR_INCGROUP',
    'MONITOR_PAUSE_ALL_MEMORY_THRESHOLD',
    'MONITOR_PAUSE_QUERY_MEMORY_THRESHOLD',
  ]);
});

test('keeps every flag in the table of its group', (t) => {
  for (const { group, rows: own } of adapterOptions)
    for (const { flag } of own) t.is(flag.includes('.') ? flag.slice(0, flag.indexOf('.')) : '', group, flag);
});

test('reads every default, and prints durations and lists as the tables write them', (t) => {
  for (const row of rows) {
    if (row.default === undefined) continue;
    const parsed = parseValue(row, row.default);
    t.true(parsed.ok, row.flag);
    if (parsed.ok) t.is(printValue(row.type, parsed.value), row.default, row.flag);
  }
});

test('gives typed settings by group', (t) => {
  const settings = settingsOf('--port=7001', '--log.rotationSize=64KB', '--statsgw.protocol=TCP');
  t.is(settings.general.port, 7001);
  t.is(settings.general.logLevel, 'info');
  t.is(settings.general.restfulRowLimit, -1);
  t.deepEqual(settings.pool, { idleTimeoutMs: undefined, maxConnect: undefined, maxIdle: undefined });
  t.is(settings.log.rotationSizeBytes, 65_536);
  t.is(settings.log.rotationTimeMs, 86_400_000);
  t.is(settings.monitor.identity, `${hostname().slice(0, 39)}:7001`);
  t.is(settings.monitor.pauseQueryMemoryPercent, 70);
  t.true(settings.lineproto.enable);
  t.is(settings.limits.creditBytes, 32 * 2 ** 20);
  t.is(settings.database.mode, 'embedded');
  t.is(settings.database.path, 'data');
  t.is(settings.sources.agentd.ttlDays, 0);
  t.is(settings.sources.statsgw.protocol, 'tcp');
  t.deepEqual(settings.sources.tsdbwireTelnet.ports, [6046, 6047, 6048, 6049]);
  t.is(settings.sources.tsdbwireTelnet.flushIntervalMs, 0);
  t.false(settings.sources.hostexporter.enable);
});

test('reads every level name in any case', (t) => {
  for (const level of ['panic', 'fatal', 'error', 'warn', 'warning', 'info', 'debug', 'trace'] as const) {
    t.is(settingsOf(`--logLevel=${level.toUpperCase()}`).general.logLevel, level);
  }
  t.regex(errorOf('--logLevel=loud'), /one of panic, fatal, error, warn, warning, info, debug, trace/);
});

test('refuses telnet listeners without a database for each port, only when they are on', (t) => {
  t.is(
    errorOf('--tsdbwire_telnet.enable', '--tsdbwire_telnet.dbs=a,b'),
    'tsdbwire_telnet.dbs: "[a, b]" from the command line is refused; ' +
      'allowed: one database for each of the 4 ports of tsdbwire_telnet.ports, found 2.',
  );
  t.not(errorOf('--tsdbwire_telnet.enable', '--tsdbwire_telnet.ports=', '--tsdbwire_telnet.dbs='), '');
  t.deepEqual(settingsOf('--tsdbwire_telnet.dbs=a,b').sources.tsdbwireTelnet.dbs, ['a', 'b']);
  t.true(settingsOf('--tsdbwire_telnet.enable').sources.tsdbwireTelnet.enable);
});

test('refuses a release multiplier outside 1 to 10 and thresholds outside 1 to 100 percent', (t) => {
  for (const multiplier of ['0', '11'])
    t.regex(errorOf(`--tmq.releaseIntervalMultiplierForAutocommit=${multiplier}`), /from 1 to 10/);
  t.regex(errorOf('--monitor.pauseAllMemoryThreshold=101'), /from 1 to 100/);
  t.regex(errorOf('--monitor.pauseQueryMemoryThreshold=0'), /from 1 to 100/);
});

test('refuses to pause queries later than everything', (t) => {
  t.is(
    errorOf('--monitor.pauseAllMemoryThreshold=60'),
    'monitor.pauseQueryMemoryThreshold: "70" from the default is refused; ' +
      'allowed: at most monitor.pauseAllMemoryThreshold, which is 60.',
  );
  t.is(settingsOf('--monitor.pauseAllMemoryThreshold=70').monitor.pauseAllMemoryPercent, 70);
});

test('reads the receiver of figures as StatsD', (t) => {
  const receiver = (text: string) => settingsOf(`--monitor.statsd=${text}`).monitor.statsd;
  t.is(settingsOf().monitor.statsd, undefined);
  t.deepEqual(receiver('metrics.example:8125'), { host: 'metrics.example', port: 8125 });
  t.deepEqual(receiver('[::1]:65535'), { host: '::1', port: 65535 });
  for (const bad of ['metrics.example', 'metrics.example:0', 'a:65536', '::1:8125', 'http://a:8125', ':8125']) {
    t.regex(errorOf(`--monitor.statsd=${bad}`), /monitor\.statsd: .* allowed: host:port, such as localhost:8125\.$/);
  }
});

test('checks the origins that may call', (t) => {
  const only = '--cors.allowAllOrigins=false';
  t.deepEqual(settingsOf(only).cors.allowOrigins, ['http://127.0.0.1']);
  for (const origin of ['https://a.example', 'https://*.example', '*', 'http://a*', 'localhost*']) {
    t.deepEqual(settingsOf(only, `--cors.allowOrigins=${origin}`).cors.allowOrigins, [origin]);
  }
  for (const origin of ['a.example', 'https://*.a.*', 'ws://a.example', 'ftp://a.example'])
    t.regex(errorOf(only, `--cors.allowOrigins=${origin}`), /^cors\.allowOrigins: /, origin);
  t.true(settingsOf(only, '--cors.allowWebSockets', '--cors.allowOrigins=wss://a').cors.allowWebSockets);
  t.true(settingsOf('--cors.allowOrigins=http://a.example').cors.allowAllOrigins);
  t.regex(errorOf('--cors.allowOrigins=a.example'), /^cors\.allowOrigins: /);
  t.deepEqual(settingsOf('--cors.allowHosts=db.example').cors.allowHosts, ['db.example']);
});

test('refuses the root of the file system as log directory', (t) => {
  for (const path of ['/', '//', '']) t.regex(errorOf(`--log.path=${path}`), /^log\.path: /, path);
});

test('wants the one address of a running database in cluster mode, and those of all nodes with the name of a cluster', (t) => {
  t.is(
    errorOf('--database.mode=cluster'),
    'database.urls is not set; needed: one http:// or https:// address, when database.mode is cluster, ' +
      'or with database.cluster those of all nodes.',
  );
  const plain = '--database.mode=cluster';
  t.deepEqual(settingsOf(plain, '--database.urls=http://db1:8123').database.urls, ['http://db1:8123']);
  t.regex(errorOf(plain, '--database.urls=db1:8123'), /^database\.urls: /);
  t.regex(errorOf(plain, '--database.urls=http://db1:8123,https://db2'), /^database\.urls: /);
  const both = '--database.urls=http://db1:8123,https://db2';
  t.is(settingsOf(plain, both, '--database.cluster=c').database.urls.length, 2);
  t.regex(errorOf(plain, both, "--database.cluster=c'"), /^database\.cluster: .* letters, digits and _/);
  t.regex(errorOf('--database.cluster=c'), /when database\.mode is cluster/);
  t.regex(errorOf('--database.path='), /^database\.path: /);
});

test('wants the name of a time zone, in its exact spelling', (t) => {
  t.is(settingsOf('--database.timeZone=Asia/Tokyo').database.timeZone, 'Asia/Tokyo');
  for (const zone of ['asia/tokyo', '+09:00', 'Mars/Olympus', ''])
    t.regex(errorOf(`--database.timeZone=${zone}`), /^database\.timeZone: /, zone);
});

test('wants addresses and whole key pairs of a scraper that is on', (t) => {
  t.true(settingsOf('--hostexporter.enable').sources.hostexporter.enable);
  t.regex(errorOf('--hostexporter.enable', '--hostexporter.urls=localhost:9100'), /^hostexporter\.urls: /);
  t.regex(errorOf('--hostexporter.enable', '--hostexporter.certFile=a.pem'), /^hostexporter\.keyFile is not set/);
  t.is(settingsOf('--hostexporter.certFile=a.pem').sources.hostexporter.certFile, 'a.pem');
});

test('refuses intervals that no timer can keep', (t) => {
  for (const flag of ['monitor.collectDuration', 'monitor.writeInterval', 'statsgw.gatherInterval']) {
    for (const value of ['0s', '1000h']) t.regex(errorOf(`--${flag}=${value}`), /from 1ms to 576h0m0s/, flag);
  }
});

test('a password and certificates come from files, and a password from one place only', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'password');
  writeFileSync(file, 'from a file\n');
  t.is(settingsOf(`--database.passwordFile=${file}`).database.password, 'from a file');
  t.is(settingsOf(`--database.caFile=${file}`).database.ca, 'from a file\n');
  t.regex(errorOf(`--database.passwordFile=${file}`, '--database.password=x'), /^database\.passwordFile: /);
  t.regex(errorOf('--database.passwordFile=/no/such/file'), /^database\.passwordFile: .*can be read/);
});
