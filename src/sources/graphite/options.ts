import { option, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { storeRows, tcpRows, ttlRow } from '../support/option-rows.js';

const protocols = ['tcp', 'udp'] as const;

/** The listener for Graphite's plain text. */
const graphiteOptions = optionTable('graphite', 'Graphite listener', [
  option.bool('graphite.enable', 'listen for lines of Graphite; clients then need no credentials', {
    default: 'false',
  }),
  option.int('graphite.port', 'port of the listener', { default: '2003', min: 0, max: 65535 }),
  option.texts('graphite.protocols', 'transports of the listener: tcp, udp or both', { default: '[tcp, udp]' }),
  ...storeRows('graphite'),
  ...tcpRows('graphite'),
  option.int(
    'graphite.allowPendingMessages',
    'maximum number of received datagrams in the queue; further ones are dropped and counted',
    {
      default: '50000',
      min: 1,
    },
  ),
  ttlRow('graphite'),
]);

/** Settings of the input for Graphite's plain text. */
export type GraphiteSettings = Omit<SettingsOf<typeof graphiteOptions>, 'protocols'> & {
  readonly protocols: readonly ('tcp' | 'udp')[];
};

/** Reads the settings of {@link graphiteOptions}. */
function readGraphiteSettings(reader: SettingReader): GraphiteSettings {
  const settings = reader.settings(graphiteOptions);
  const known = protocols.filter((protocol) => settings.protocols.includes(protocol));
  if (known.length === 0 || settings.protocols.some((word) => !protocols.some((protocol) => protocol === word))) {
    reader.refuse('graphite.protocols', 'tcp, udp or both');
  }
  return { ...settings, protocols: known };
}

/** The table of the settings, what reads them, and the ports that they name. */
export const graphiteSettings = {
  table: graphiteOptions,
  read: readGraphiteSettings,
  ports: ({ port, protocols: known }) =>
    known.map((protocol) => ({ transport: protocol === 'tcp' ? 'TCP' : 'UDP', port, setting: '--graphite.port' })),
} as const satisfies SourceOptions<GraphiteSettings>;
