import { agentdSettings } from './agentd/options.js';
import { graphiteSettings } from './graphite/options.js';
import { hostexporterSettings } from './hostexporter/options.js';
import { lineprotoUdpSettings } from './lineproto-udp/options.js';
import { statsgwSettings } from './statsgw/options.js';
import { tsdbwireTelnetSettings } from './tsdbwire-telnet/options.js';

/** The settings of each source, by its name in the settings of the service, in the order of the settings page. */
export const sourceOptions = {
  agentd: agentdSettings,
  statsgw: statsgwSettings,
  tsdbwireTelnet: tsdbwireTelnetSettings,
  graphite: graphiteSettings,
  lineprotoUdp: lineprotoUdpSettings,
  hostexporter: hostexporterSettings,
} as const;

/** The settings of all sources. */
export type SettingsOfSources = {
  readonly [Name in keyof typeof sourceOptions]: ReturnType<(typeof sourceOptions)[Name]['read']>;
};
