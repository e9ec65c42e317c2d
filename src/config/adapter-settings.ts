import { databaseOptions, readDatabaseSettings } from '../database/options.js';
import { eventsOptions, readEventsSettings } from '../events/options.js';
import type { OptionTable, SettingReader } from '../model/option.js';
import { notifyOptions, readNotifySettings } from '../notify/options.js';
import { agentdOptions, readAgentdSettings } from '../sources/agentd/options.js';
import { graphiteOptions, readGraphiteSettings } from '../sources/graphite/options.js';
import { hostexporterOptions, readHostexporterSettings } from '../sources/hostexporter/options.js';
import { readStatsgwSettings, statsgwOptions } from '../sources/statsgw/options.js';
import { readTsdbwireTelnetSettings, tsdbwireTelnetOptions } from '../sources/tsdbwire-telnet/options.js';
import { walOptions, writeOptions } from '../wal/options.js';
import { serviceOptions } from './service-options.js';
import { readServiceSettings } from './service-settings.js';

/** Every option table of the service, in the order of the settings page. */
export const adapterOptions: readonly OptionTable[] = [
  ...serviceOptions,
  databaseOptions,
  writeOptions,
  walOptions,
  eventsOptions,
  notifyOptions,
  agentdOptions,
  statsgwOptions,
  tsdbwireTelnetOptions,
  graphiteOptions,
  hostexporterOptions,
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
    agentd: readAgentdSettings(reader),
    statsgw: readStatsgwSettings(reader),
    tsdbwireTelnet: readTsdbwireTelnetSettings(reader),
    graphite: readGraphiteSettings(reader),
    hostexporter: readHostexporterSettings(reader),
  };
}
