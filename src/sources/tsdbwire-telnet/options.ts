import { longestTimerMs, option, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { tcpRows, ttlRow, userRows } from '../support/option-rows.js';

const defaultDatabases = ['tsdbwire_telnet', 'agentd_tsdb', 'alertwriter_tsdb', 'tcoll_tsdb'];

/** The telnet-format TCP listeners. */
const tsdbwireTelnetOptions = optionTable('tsdbwire_telnet', 'Listeners for telnet lines (OpenTSDB)', [
  option.bool('tsdbwire_telnet.enable', 'listen for telnet-format lines; clients then need no credentials', {
    default: 'false',
  }),
  option.ints('tsdbwire_telnet.ports', 'TCP ports', { default: '[6046, 6047, 6048, 6049]', min: 0, max: 65535 }),
  option.texts(
    'tsdbwire_telnet.dbs',
    'databases for the rows, one per port; fewer ports use the first of the default ones',
    {
      default: `[${defaultDatabases.join(', ')}]`,
    },
  ),
  ...userRows('tsdbwire_telnet'),
  option.int('tsdbwire_telnet.batchSize', 'batch size in lines; 1 writes at once', { default: '1', min: 1 }),
  option.duration('tsdbwire_telnet.flushInterval', 'write an unfilled batch after this time; 0s or not set is never', {
    unset: 0,
    min: 0,
    max: longestTimerMs,
  }),
  ...tcpRows('tsdbwire_telnet'),
  ttlRow('tsdbwire_telnet'),
]);

/** Settings of the inputs for telnet lines over TCP. */
export type TsdbwireTelnetSettings = SettingsOf<typeof tsdbwireTelnetOptions>;

/**
 * Reads the settings of {@link tsdbwireTelnetOptions}; enabled, every port needs its database, which the first of the
 * default ones are.
 */
function readTsdbwireTelnetSettings(reader: SettingReader): TsdbwireTelnetSettings {
  const read = reader.settings(tsdbwireTelnetOptions);
  const isDefault = read.dbs.join() === defaultDatabases.join();
  const settings = isDefault ? { ...read, dbs: read.dbs.slice(0, Math.max(1, read.ports.length)) } : read;
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
