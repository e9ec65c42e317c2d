import { option, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { storeRows, ttlRow } from '../support/option-rows.js';

/** The listener for line protocol in datagrams. */
const lineprotoUdpOptions = optionTable('lineproto_udp', 'Line protocol over UDP', [
  option.bool('lineproto_udp.enable', 'listen for line protocol over UDP; clients then need no credentials', {
    default: 'false',
  }),
  option.int('lineproto_udp.port', 'UDP port', { default: '8089', min: 0, max: 65535 }),
  option.text('lineproto_udp.precision', 'unit of the times in the lines', {
    default: 'ns',
    allowed: ['ns', 'us', 'ms', 's'],
  }),
  ...storeRows('lineproto_udp'),
  option.int(
    'lineproto_udp.allowPendingMessages',
    'maximum number of received datagrams in the queue; further ones are dropped and counted',
    {
      default: '50000',
      min: 1,
    },
  ),
  ttlRow('lineproto_udp'),
]);

/** Settings of the input for line protocol in datagrams. */
export type LineprotoUdpSettings = SettingsOf<typeof lineprotoUdpOptions>;

/** The table of the settings, what reads them, and the port that they name. */
export const lineprotoUdpSettings = {
  table: lineprotoUdpOptions,
  read: (reader: SettingReader) => reader.settings(lineprotoUdpOptions),
  ports: ({ port }) => [{ transport: 'UDP', port, setting: '--lineproto_udp.port' }],
} as const satisfies SourceOptions<LineprotoUdpSettings>;
