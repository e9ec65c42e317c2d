import { longestTimerMs, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { tcpRows, ttlRow, userRows } from '../support/option-rows.js';

/** The telnet-format TCP listeners. */
const tsdbwireTelnetOptions = optionTable({
  group: 'tsdbwire_telnet',
  title: 'Listeners for telnet lines (OpenTSDB)',
  rows: [
    {
      flag: 'tsdbwire_telnet.enable',
      type: 'bool',
      default: 'false',
      help: 'listen for telnet-format lines; clients then need no credentials',
    },
    {
      flag: 'tsdbwire_telnet.ports',
      type: 'int-list',
      default: '[6046, 6047, 6048, 6049]',
      help: 'TCP ports',
      min: 0,
      max: 65535,
    },
    {
      flag: 'tsdbwire_telnet.dbs',
      type: 'string-list',
      default: '[tsdbwire_telnet, agentd_tsdb, alertwriter_tsdb, tcoll_tsdb]',
      help: 'databases that are written to, one per port',
    },
    ...userRows('tsdbwire_telnet'),
    {
      flag: 'tsdbwire_telnet.batchSize',
      type: 'int',
      default: '1',
      help: 'batch size in lines; 1 writes at once',
      min: 1,
    },
    {
      flag: 'tsdbwire_telnet.flushInterval',
      type: 'duration',
      help: 'write an unfilled batch after this time; 0s or not set is never',
      unset: 0,
      min: 0,
      max: longestTimerMs,
    },
    ...tcpRows('tsdbwire_telnet'),
    ttlRow('tsdbwire_telnet'),
  ],
});

/** Settings of the doors for telnet lines over TCP. */
export type TsdbwireTelnetSettings = SettingsOf<typeof tsdbwireTelnetOptions>;

/** Reads the settings of {@link tsdbwireTelnetOptions}; enabled, every port needs its database. */
function readTsdbwireTelnetSettings(reader: SettingReader): TsdbwireTelnetSettings {
  const settings = reader.settings(tsdbwireTelnetOptions);
  if (settings.enable) refuseUnpaired(settings, reader);
  return settings;
}

function refuseUnpaired(settings: TsdbwireTelnetSettings, reader: SettingReader): void {
  const { ports, dbs } = settings;
  if (ports.length === 0) reader.refuse('tsdbwire_telnet.ports', 'at least one port when tsdbwire_telnet.enable is on');
  if (ports.length !== dbs.length) {
    reader.refuse(
      'tsdbwire_telnet.dbs',
      `one database for each of the ${ports.length} ports of tsdbwire_telnet.ports, found ${dbs.length}`,
    );
  }
}

/** The table of the settings, what reads them, and the ports that they name. */
export const tsdbwireTelnetSettings = {
  table: tsdbwireTelnetOptions,
  read: readTsdbwireTelnetSettings,
  ports: ({ ports }) => ports.map((port) => ({ transport: 'TCP', port, setting: '--tsdbwire_telnet.ports' })),
} as const satisfies SourceOptions<TsdbwireTelnetSettings>;
