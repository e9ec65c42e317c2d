import { databaseOptions, readDatabaseSettings } from '../database/options.js';
import { eventsOptions, readEventsSettings } from '../events/options.js';
import type { OptionTable, SettingReader } from '../model/option.js';
import { notifyOptions, readNotifySettings } from '../notify/options.js';
import { type SettingsOfSources, sourceOptions } from '../sources/options.js';
import { walOptions, writeOptions } from '../wal/options.js';
import { type Resolution, resolveSettings } from './resolve.js';
import { serviceOptions } from './service-options.js';
import { readServiceSettings } from './service-settings.js';
import { version } from './version.js';

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
