import { optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { storeRows, ttlRow } from '../support/option-rows.js';

/** The direct metric-agent listener, which speaks collectd's binary protocol. */
const agentdOptions = optionTable({
  group: 'agentd',
  title: 'Listener for metric agents (collectd)',
  rows: [
    { flag: 'agentd.enable', type: 'bool', default: 'true', help: 'listen for packets of collectd' },
    { flag: 'agentd.port', type: 'int', default: '6045', help: 'UDP port', min: 0, max: 65535 },
    ...storeRows('agentd'),
    { flag: 'agentd.worker', type: 'int', default: '10', help: 'most writes at the same time', min: 1 },
    {
      flag: 'agentd.allowPendingPackets',
      type: 'int',
      default: '50000',
      help: 'most received packets that wait; more are dropped and counted',
      min: 1,
    },
    {
      flag: 'agentd.securityLevel',
      type: 'string',
      default: 'none',
      help: 'required protection of packets; sign and encrypt need agentd.userFile',
      allowed: ['none', 'sign', 'encrypt'],
    },
    {
      flag: 'agentd.userFile',
      type: 'string',
      help: 'file with one line per user who signs or encrypts: name: password',
    },
    {
      flag: 'agentd.typesDb',
      type: 'string-list',
      help: 'collectd types databases, which name the values of each type; without them values are numbered',
    },
    ttlRow('agentd'),
  ],
});

/** Settings of the door for packets of metric agents. */
export type AgentdSettings = SettingsOf<typeof agentdOptions>;

/** Reads the settings of {@link agentdOptions}. */
function readAgentdSettings(reader: SettingReader): AgentdSettings {
  const settings = reader.settings(agentdOptions);
  const { securityLevel, userFile } = settings;
  if (securityLevel !== 'none' && userFile === '') {
    reader.refuse('agentd.userFile', `a path when agentd.securityLevel is ${securityLevel}`);
  }
  return settings;
}

/** The table of the settings, what reads them, and the ports that they name. */
export const agentdSettings = {
  table: agentdOptions,
  read: readAgentdSettings,
  ports: ({ port }) => [{ transport: 'UDP', port, setting: '--agentd.port' }],
} as const satisfies SourceOptions<AgentdSettings>;
