import { readFileSync } from 'node:fs';
import { reasonOf } from '../model/fault.js';
import {
  isHttpUrl,
  longestTimerMs,
  option,
  optionTable,
  type SettingReader,
  type SettingsOf,
} from '../model/option.js';
import { isTimeZone } from '../text/time-zones.js';

/** Where the database is and how to reach it. */
export const databaseOptions = optionTable('database', 'Database', [
  option.text('database.mode', 'embedded starts its own database; cluster uses the running one at database.urls', {
    default: 'embedded',
    allowed: ['embedded', 'cluster'],
  }),
  option.text('database.path', 'directory that holds all data of the embedded database', { default: 'data' }),
  option.text('database.host', 'address the embedded database listens on', { default: '127.0.0.1' }),
  option.int('database.port', 'port the embedded database listens on', { default: '6030', min: 0, max: 65535 }),
  option.texts(
    'database.urls',
    'HTTP addresses of the database in cluster mode: one, or with database.cluster those of all its nodes',
  ),
  option.text('database.cluster', 'name of the cluster in the configuration of its nodes; empty is a single database'),
  option.text(
    'database.replication',
    'what copies rows to the replicas of a shard: replicated, replicated tables with a keeper; distributed, the node that receives the rows',
    { default: 'replicated', allowed: ['replicated', 'distributed'] },
  ),
  option.text('database.user', 'database user of the service itself', { default: 'default' }),
  option.secret('database.password', 'password of that user'),
  option.text('database.passwordFile', 'file with that password, instead of database.password; a line end is ignored'),
  option.text(
    'database.caFile',
    'file with the certificates of authorities, in PEM, for https:// addresses; empty is the authorities built into Node',
  ),
  option.duration(
    'database.hangTimeout',
    'timeout after which an embedded database that does not respond is restarted; statements are refused after half of it, 10s at most; 0 is no timeout',
    { default: '30s', min: 0, max: longestTimerMs },
  ),
  option.text(
    'database.compression',
    'compact is smallest, with a codec that the database calls experimental; plain does without it; stored data changes as it is merged',
    { default: 'compact', allowed: ['compact', 'plain'] },
  ),
  option.text(
    'database.timeZone',
    'zone of times without one in statements, if the request has no conn_tz: a name such as Asia/Tokyo',
    { default: 'UTC' },
  ),
]);

/** Settings of the engine and of the way to it; `ca` is certificates of authorities in PEM. */
type DatabaseSettings = Omit<SettingsOf<typeof databaseOptions>, 'passwordFile' | 'caFile'> & {
  readonly ca: string | undefined;
};

/** Reads the settings of {@link databaseOptions}; cluster mode needs the address of a running engine. */
export function readDatabaseSettings(reader: SettingReader): DatabaseSettings {
  const { passwordFile, caFile, ...settings } = reader.settings(databaseOptions);
  if (!isTimeZone(settings.timeZone)) {
    reader.refuse('database.timeZone', 'the name of a time zone, such as UTC or Asia/Tokyo');
  }
  if (settings.cluster !== '' && (settings.mode !== 'cluster' || !/^\w+$/.test(settings.cluster))) {
    reader.refuse('database.cluster', 'a name of letters, digits and _, when database.mode is cluster');
  }
  if (settings.mode === 'cluster') refuseUnreachable(settings, reader);
  else if (settings.path === '') reader.refuse('database.path', 'a directory');
  const password = passwordOf(settings.password, passwordFile, reader);
  return { ...settings, password, ca: fileOf(reader, 'database.caFile', caFile) };
}

function refuseUnreachable(settings: Pick<DatabaseSettings, 'urls' | 'cluster'>, reader: SettingReader): void {
  const { urls, cluster } = settings;
  if (urls.length > 0 && urls.every(isHttpUrl) && (urls.length === 1 || cluster !== '')) return;
  const needed =
    'one http:// or https:// address, when database.mode is cluster, or with database.cluster those of all nodes';
  reader.refuse('database.urls', needed);
}

/** A password in a file stands in no list of processes and in no environment. */
function passwordOf(password: string, file: string, reader: SettingReader): string {
  if (file === '') return password;
  if (password !== '') reader.refuse('database.passwordFile', 'the only one of both, when database.password is set');
  return (fileOf(reader, 'database.passwordFile', file) ?? '').replace(/\r?\n$/, '');
}

/** The text of a file that a setting names; undefined where it names none or none that can be read. */
function fileOf(reader: SettingReader, flag: string, path: string): string | undefined {
  if (path === '') return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    reader.refuse(flag, `a file that can be read (${reasonOf(error)})`);
    return undefined;
  }
}
