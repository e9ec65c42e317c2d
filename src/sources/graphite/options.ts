import { optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { storeRows, tcpRows, ttlRow } from '../support/option-rows.js';

const protocols = ['tcp', 'udp'] as const;

/** The listener for Graphite's plain text. */
const graphiteOptions = optionTable({
  group: 'graphite',
  title: 'Graphite listener',
  rows: [
    {
      flag: 'graphite.enable',
      type: 'bool',
      default: 'false',
      help: 'listen for lines of Graphite; clients then need no credentials',
    },
    { flag: 'graphite.port', type: 'int', default: '2003', help: 'port of the listener', min: 0, max: 65535 },
    {
      flag: 'graphite.protocols',
      type: 'string-list',
      default: '[tcp, udp]',
      help: 'transports of the listener: tcp, udp or both',
    },
    ...storeRows('graphite'),
    ...tcpRows('graphite'),
    {
      flag: 'graphite.allowPendingMessages',
      type: 'int',
      default: '50000',
      help: 'most received datagrams that wait; more are dropped and counted',
      min: 1,
    },
    ttlRow('graphite'),
  ],
});

/** Settings of the door for Graphite's plain text. */
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
