import { hostname } from 'node:os';
import { databaseOptions, readDatabaseSettings } from '../database/options.js';
import { eventsOptions, readEventsSettings } from '../events/options.js';
import type { CorsSettings } from '../model/cors-settings.js';
import type { OptionTable, SettingReader, SettingsOf } from '../model/option.js';
import { version } from '../model/version.js';
import { notifyOptions, readNotifySettings } from '../notify/options.js';
import { type SettingsOfSources, sourceOptions } from '../sources/options.js';
import { walOptions, writeOptions } from '../wal/options.js';
import { limitsOptions } from './limit-options.js';
import { logOptions } from './log-options.js';
import { monitorOptions } from './monitor-options.js';
import { otlpOptions } from './otlp-options.js';
import { promqlOptions } from './promql-options.js';
import { type Resolution, resolveSettings } from './resolve.js';
import {
  corsOptions,
  generalOptions,
  lineprotoOptions,
  metricsdbOptions,
  poolOptions,
  serviceOptions,
  tmqOptions,
  tsdbwireOptions,
} from './service-options.js';
import { readSslSettings } from './ssl-options.js';

/**
 * Reads the settings of `serviceOptions` and refuses combinations that cannot work. `tls` is undefined where TLS is
 * off.
 */
function readServiceSettings(reader: SettingReader) {
  const general = reader.settings(generalOptions);
  return {
    general,
    tls: readSslSettings(reader),
    tmq: reader.settings(tmqOptions),
    pool: readPool(reader),
    cors: readCors(reader),
    log: readLog(reader),
    monitor: readMonitor(reader, general.port),
    lineproto: reader.settings(lineprotoOptions),
    tsdbwire: reader.settings(tsdbwireOptions),
    metricsdb: reader.settings(metricsdbOptions),
    otlp: reader.settings(otlpOptions),
    promql: reader.settings(promqlOptions),
    limits: readLimits(reader),
  };
}

/** Numbers that are undefined are chosen by the client. */
function readPool(reader: SettingReader) {
  const { maxConnect, maxIdle, idleTimeoutMs } = reader.settings(poolOptions);
  return { idleTimeoutMs, maxConnect: positive(maxConnect), maxIdle: positive(maxIdle) };
}

function positive(value: number | undefined): number | undefined {
  return value === 0 ? undefined : value;
}

/** The limits, those of how many statements run and wait together as `slots`. */
function readLimits(reader: SettingReader) {
  const limits = reader.settings(limitsOptions);
  const { statements, statementsOfUser, waitingStatements, statementWaitMs } = limits;
  const slots = {
    running: statements,
    runningOfUser: statementsOfUser,
    waiting: waitingStatements,
    waitMs: statementWaitMs,
  };
  return { ...limits, slots };
}

function readCors(reader: SettingReader): CorsSettings {
  const settings = reader.settings(corsOptions);
  const { allowWebSockets, allowOrigins: listed } = settings;
  const schemes = allowWebSockets ? ['http', 'https', 'ws', 'wss'] : ['http', 'https'];
  if (!listed.every((origin) => isOriginPattern(origin, schemes))) {
    reader.refuse(
      'cors.allowOrigins',
      `origins that begin with ${schemes.map((scheme) => `${scheme}://`).join(', ')} or hold exactly one *`,
    );
  }
  return { ...settings, allowOrigins: listed.length === 0 ? ['http://127.0.0.1'] : listed };
}

function isOriginPattern(origin: string, schemes: readonly string[]): boolean {
  const stars = origin.split('*').length - 1;
  return stars === 1 || (stars === 0 && schemes.some((scheme) => origin.startsWith(`${scheme}://`)));
}

function readLog(reader: SettingReader): SettingsOf<typeof logOptions> {
  const settings = reader.settings(logOptions);
  if (/^\/*$/.test(settings.path)) reader.refuse('log.path', 'a directory other than the root of the file system');
  return settings;
}

/** Settings of the service's own metrics; its identity is never empty. */
/** `statsd` is undefined where no metrics are sent as StatsD. */
function readMonitor(reader: SettingReader, port: number) {
  const { statsd, ...settings } = reader.settings(monitorOptions);
  const { pauseAllMemoryPercent, pauseQueryMemoryPercent, identity } = settings;
  if (pauseQueryMemoryPercent > pauseAllMemoryPercent) {
    reader.refuse(
      'monitor.pauseQueryMemoryThreshold',
      `at most monitor.pauseAllMemoryThreshold, which is ${pauseAllMemoryPercent}`,
    );
  }
  return { ...settings, identity: identity || defaultIdentity(port), statsd: readReceiver(reader, statsd) };
}

/** A receiver as `host:port`; an address of IPv6 is in square brackets. */
function readReceiver(reader: SettingReader, text: string): { host: string; port: number } | undefined {
  if (text === '') return undefined;
  const [, bracketed, plain = '', port] = /^(?:\[([^\]]+)\]|([^:[\]\s/]+)):(\d{1,5})$/.exec(text) ?? [];
  if (port !== undefined && Number(port) >= 1 && Number(port) <= 65_535) {
    return { host: bracketed ?? plain, port: Number(port) };
  }
  reader.refuse('monitor.statsd', 'host:port, such as localhost:8125');
  return undefined;
}

/** Host name and port; the name is cut so that both fit the 45 characters of the metrics' `endpoint` tag. */
function defaultIdentity(port: number): string {
  return `${hostname().slice(0, 39)}:${port}`;
}

/** Every option table of the service, in the order of the settings page. */
export const adapterOptions: readonly OptionTable[] = [
  ...serviceOptions,
  databaseOptions,
  writeOptions,
  walOptions,
  eventsOptions,
  notifyOptions,
  ...Object.values(sourceOptions).map(({ table }) => table),
];

/** The settings of the service, by group. */
export type Settings = Readonly<ReturnType<typeof readAdapterSettings>>;

/** Reads the settings of {@link adapterOptions}. */
export function readAdapterSettings(reader: SettingReader) {
  return {
    ...readServiceSettings(reader),
    database: readDatabaseSettings(reader),
    write: reader.settings(writeOptions),
    wal: reader.settings(walOptions),
    events: readEventsSettings(reader),
    notify: readNotifySettings(reader),
    sources: readSources(reader),
  };
}

/** The settings of the service from a command line without interpreter and script, the environment and the file. */
export function resolveAdapterSettings(
  program: string,
  argv: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): Resolution<Settings> {
  return resolveSettings({ program, version, argv, env, tables: adapterOptions, read: readAdapterSettings });
}

function readSources(reader: SettingReader): SettingsOfSources {
  const settings = Object.entries(sourceOptions).map(([name, { read }]) => [name, read(reader)]);
  return Object.fromEntries(settings);
}
