import { type DatabaseSettings, databaseOptions, readDatabaseSettings } from '../database/options.js';
import { type EventsSettings, eventsOptions, readEventsSettings } from '../events/options.js';
import type { OptionTable, SettingReader } from '../model/option.js';
import { type NotifySettings, notifyOptions, readNotifySettings } from '../notify/options.js';
import { type AgentdSettings, agentdOptions, readAgentdSettings } from '../sources/agentd/options.js';
import { type GraphiteSettings, graphiteOptions, readGraphiteSettings } from '../sources/graphite/options.js';
import {
  type HostexporterSettings,
  hostexporterOptions,
  readHostexporterSettings,
} from '../sources/hostexporter/options.js';
import { readStatsgwSettings, type StatsgwSettings, statsgwOptions } from '../sources/statsgw/options.js';
import {
  readTsdbwireTelnetSettings,
  type TsdbwireTelnetSettings,
  tsdbwireTelnetOptions,
} from '../sources/tsdbwire-telnet/options.js';
import {
  readWalSettings,
  readWriteSettings,
  type WalSettings,
  type WriteSettings,
  walOptions,
  writeOptions,
} from '../wal/options.js';
import { serviceOptions } from './service-options.js';
import { readServiceSettings, type ServiceSettings } from './service-settings.js';

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
export interface Settings extends ServiceSettings {
  readonly database: DatabaseSettings;
  readonly write: WriteSettings;
  readonly wal: WalSettings;
  readonly events: EventsSettings;
  readonly notify: NotifySettings;
  readonly agentd: AgentdSettings;
  readonly statsgw: StatsgwSettings;
  readonly tsdbwireTelnet: TsdbwireTelnetSettings;
  readonly graphite: GraphiteSettings;
  readonly hostexporter: HostexporterSettings;
}

/** Reads the settings of {@link adapterOptions}. */
export function readAdapterSettings(reader: SettingReader): Settings {
  return {
    ...readServiceSettings(reader),
    database: readDatabaseSettings(reader),
    write: readWriteSettings(reader),
    wal: readWalSettings(reader),
    events: readEventsSettings(reader),
    notify: readNotifySettings(reader),
    agentd: readAgentdSettings(reader),
    statsgw: readStatsgwSettings(reader),
    tsdbwireTelnet: readTsdbwireTelnetSettings(reader),
    graphite: readGraphiteSettings(reader),
    hostexporter: readHostexporterSettings(reader),
  };
}
