import { option, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { storeRows, ttlRow } from '../support/option-rows.js';

/** The direct metric-agent listener, which speaks collectd's binary protocol. */
const agentdOptions = optionTable('agentd', 'Listener for metric agents (collectd)', [
  option.bool('agentd.enable', 'listen for packets of collectd', { default: 'true' }),
  option.int('agentd.port', 'UDP port', { default: '6045', min: 0, max: 65535 }),
  ...storeRows('agentd'),
  option.int('agentd.worker', 'maximum number of concurrent writes', { default: '10', min: 1 }),
  option.int(
    'agentd.allowPendingPackets',
    'maximum number of received packets in the queue; further ones are dropped and counted',
    {
      default: '50000',
      min: 1,
    },
  ),
  option.text('agentd.securityLevel', 'required protection of packets; sign and encrypt need agentd.userFile', {
    default: 'none',
    allowed: ['none', 'sign', 'encrypt'],
  }),
  option.text('agentd.userFile', 'file with one line per user who signs or encrypts: name: password'),
  option.texts(
    'agentd.typesDb',
    'collectd types databases, which name the values of each type; without them values are numbered',
  ),
  ttlRow('agentd'),
]);

/** Settings of the input for packets of metric agents. */
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
