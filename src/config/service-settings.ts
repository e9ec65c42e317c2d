import { hostname } from 'node:os';
import type { CorsSettings } from '../model/cors-settings.js';
import { type LogLevel, logLevels } from '../model/log-level.js';
import type { SettingReader } from '../model/option.js';
import type { TlsSettings } from '../model/tls-settings.js';
import { type OtlpSettings, readOtlpSettings } from './otlp-options.js';
import { readSslSettings } from './ssl-options.js';

export interface GeneralSettings {
  readonly port: number;
  readonly debug: boolean;
  readonly logLevel: LogLevel;
  readonly httpCodeServerError: boolean;
  /** Negative is no limit. */
  readonly restfulRowLimit: number;
  readonly smlAutoCreateDB: boolean;
  readonly dbConfigDir: string;
}

export interface TmqSettings {
  readonly releaseIntervalMultiplierForAutocommit: number;
}

export interface PoolSettings {
  /** Undefined keeps the client's own choice. */
  readonly idleTimeoutMs: number | undefined;
  /** Undefined is chosen by the number of processors. */
  readonly maxConnect: number | undefined;
  readonly maxIdle: number | undefined;
}

/** Where the log goes, and when its files rotate. */
export interface LogSettings {
  readonly path: string;
  readonly rotationCount: number;
  readonly rotationSizeBytes: number;
  readonly rotationTimeMs: number;
  readonly enableRecordHttpSql: boolean;
  readonly sqlRotationCount: number;
  readonly sqlRotationSizeBytes: number;
  readonly sqlRotationTimeMs: number;
}

/** What the service measures of itself, and the memory use at which it pauses. */
export interface MonitorSettings {
  readonly collectDurationMs: number;
  readonly disable: boolean;
  readonly disableCollectClientIP: boolean;
  /** Never empty: the host name and the port when it is not set. */
  readonly identity: string;
  readonly incgroup: boolean;
  readonly pauseAllMemoryPercent: number;
  readonly pauseQueryMemoryPercent: number;
  /** 0 keeps no statement. */
  readonly slowStatementMs: number;
  readonly writeToDB: boolean;
  readonly writeIntervalMs: number;
  readonly user: string;
  readonly password: string;
}

/** A door that is open or not. */
export interface SwitchSettings {
  readonly enable: boolean;
}

/** Limits of what requests, statements and data in hand may take; see `docs/settings.md`. */
export interface LimitSettings {
  readonly sqlBytes: number;
  readonly lineBytes: number;
  readonly messageBytes: number;
  readonly remoteReadBytes: number;
  readonly creditBytes: number;
  readonly bodyBytes: number;
  readonly inflatedBytes: number;
  readonly statements: {
    readonly running: number;
    /** 0 is no limit. */
    readonly runningOfUser: number;
    readonly waiting: number;
    readonly waitMs: number;
  };
  readonly queryBytes: number;
  /** 0 is a third of what there is. */
  readonly statementMemoryBytes: number;
  /** 0 is no limit. */
  readonly queryTimeMs: number;
}

/** The settings of `serviceOptions`, by group. */
export interface ServiceSettings {
  readonly general: GeneralSettings;
  /** Undefined is plain HTTP. */
  readonly tls: TlsSettings | undefined;
  readonly tmq: TmqSettings;
  readonly pool: PoolSettings;
  readonly cors: CorsSettings;
  readonly log: LogSettings;
  readonly monitor: MonitorSettings;
  readonly lineproto: SwitchSettings;
  readonly tsdbwire: SwitchSettings;
  readonly metricsdb: SwitchSettings & { readonly db: string };
  readonly otlp: OtlpSettings;
  readonly limits: LimitSettings;
}

/** Reads the settings of `serviceOptions` and refuses combinations that cannot work. */
export function readServiceSettings(reader: SettingReader): ServiceSettings {
  return {
    general: readGeneral(reader),
    tls: readSslSettings(reader),
    tmq: {
      releaseIntervalMultiplierForAutocommit: reader.number('tmq.releaseIntervalMultiplierForAutocommit'),
    },
    pool: {
      idleTimeoutMs: reader.optionalNumber('pool.idleTimeout'),
      maxConnect: positive(reader.optionalNumber('pool.maxConnect')),
      maxIdle: positive(reader.optionalNumber('pool.maxIdle')),
    },
    cors: readCors(reader),
    log: readLog(reader),
    monitor: readMonitor(reader),
    lineproto: { enable: reader.bool('lineproto.enable') },
    tsdbwire: { enable: reader.bool('tsdbwire.enable') },
    metricsdb: { enable: reader.bool('metricsdb.enable'), db: reader.text('metricsdb.db') },
    otlp: readOtlpSettings(reader),
    limits: {
      sqlBytes: reader.number('limits.sqlBytes'),
      lineBytes: reader.number('limits.lineBytes'),
      messageBytes: reader.number('limits.messageBytes'),
      remoteReadBytes: reader.number('limits.remoteReadBytes'),
      creditBytes: reader.number('limits.creditBytes'),
      inflatedBytes: reader.number('limits.inflatedBytes'),
      bodyBytes: reader.number('limits.bodyBytes'),
      statements: {
        running: reader.number('limits.statements'),
        runningOfUser: reader.number('limits.statementsOfUser'),
        waiting: reader.number('limits.waitingStatements'),
        waitMs: reader.number('limits.statementWait'),
      },
      queryBytes: reader.number('limits.queryBytes'),
      statementMemoryBytes: reader.number('limits.statementMemory'),
      queryTimeMs: reader.number('limits.queryTime'),
    },
  };
}

function positive(value: number | undefined): number | undefined {
  return value === 0 ? undefined : value;
}

function readGeneral(reader: SettingReader): GeneralSettings {
  const level = reader.text('logLevel');
  return {
    port: reader.number('port'),
    debug: reader.bool('debug'),
    logLevel: logLevels.find((known) => known === level) ?? 'info',
    httpCodeServerError: reader.bool('httpCodeServerError'),
    restfulRowLimit: reader.number('restfulRowLimit'),
    smlAutoCreateDB: reader.bool('smlAutoCreateDB'),
    dbConfigDir: reader.text('dbConfigDir'),
  };
}

function readCors(reader: SettingReader): CorsSettings {
  const allowAllOrigins = reader.bool('cors.allowAllOrigins');
  const allowWebSockets = reader.bool('cors.allowWebSockets');
  const listed = reader.texts('cors.allowOrigins');
  const schemes = allowWebSockets ? ['http', 'https', 'ws', 'wss'] : ['http', 'https'];
  if (!allowAllOrigins && !listed.every((origin) => isOriginPattern(origin, schemes))) {
    reader.refuse(
      'cors.allowOrigins',
      `origins that begin with ${schemes.map((scheme) => `${scheme}://`).join(', ')} or hold exactly one *`,
    );
  }
  return {
    allowAllOrigins,
    allowOrigins: listed.length === 0 ? ['http://127.0.0.1'] : listed,
    allowHosts: reader.texts('cors.allowHosts'),
    allowHeaders: reader.texts('cors.allowHeaders'),
    exposeHeaders: reader.texts('cors.exposeHeaders'),
    allowCredentials: reader.bool('cors.allowCredentials'),
    allowWebSockets,
  };
}

function isOriginPattern(origin: string, schemes: readonly string[]): boolean {
  const stars = origin.split('*').length - 1;
  return stars === 1 || (stars === 0 && schemes.some((scheme) => origin.startsWith(`${scheme}://`)));
}

function readLog(reader: SettingReader): LogSettings {
  const path = reader.text('log.path');
  if (path === '' || /^\/+$/.test(path))
    reader.refuse('log.path', 'a directory other than the root of the file system');
  return {
    path,
    rotationCount: reader.number('log.rotationCount'),
    rotationSizeBytes: reader.number('log.rotationSize'),
    rotationTimeMs: reader.number('log.rotationTime'),
    enableRecordHttpSql: reader.bool('log.enableRecordHttpSql'),
    sqlRotationCount: reader.number('log.sqlRotationCount'),
    sqlRotationSizeBytes: reader.number('log.sqlRotationSize'),
    sqlRotationTimeMs: reader.number('log.sqlRotationTime'),
  };
}

function readMonitor(reader: SettingReader): MonitorSettings {
  const pauseAllMemoryPercent = reader.number('monitor.pauseAllMemoryThreshold');
  const pauseQueryMemoryPercent = reader.number('monitor.pauseQueryMemoryThreshold');
  if (pauseQueryMemoryPercent > pauseAllMemoryPercent) {
    reader.refuse(
      'monitor.pauseQueryMemoryThreshold',
      `at most monitor.pauseAllMemoryThreshold, which is ${pauseAllMemoryPercent}`,
    );
  }
  return {
    collectDurationMs: reader.number('monitor.collectDuration'),
    disable: reader.bool('monitor.disable'),
    disableCollectClientIP: reader.bool('monitor.disableCollectClientIP'),
    identity: reader.text('monitor.identity') || defaultIdentity(reader.number('port')),
    incgroup: reader.bool('monitor.incgroup'),
    pauseAllMemoryPercent,
    pauseQueryMemoryPercent,
    slowStatementMs: reader.number('monitor.slowStatement'),
    writeToDB: reader.bool('monitor.writeToDB'),
    writeIntervalMs: reader.number('monitor.writeInterval'),
    user: reader.text('monitor.user'),
    password: reader.text('monitor.password'),
  };
}

/** Host name and port; the name is cut so that both fit the 45 characters of the figures' `endpoint` tag. */
function defaultIdentity(port: number): string {
  return `${hostname().slice(0, 39)}:${port}`;
}
