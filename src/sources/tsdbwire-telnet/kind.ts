import type { SourceKind } from '../kind.js';
import { type TsdbwireTelnetSettings, tsdbwireTelnetSettings } from './options.js';
import { TsdbwireTelnetSource } from './source.js';

/** Telnet-format lines over TCP, a database for each port. It logs losses by itself, because it knows the port. */
export const tsdbwireTelnet: SourceKind<TsdbwireTelnetSettings, { readonly source: TsdbwireTelnetSource }> = {
  name: 'tsdbwire_telnet',
  options: tsdbwireTelnetSettings,
  reportsItself: true,
  create(settings, { gate, log, maxLineBytes, version }) {
    const options = { ...settings, maxLineBytes, version: `sluice ${version}` };
    return { source: new TsdbwireTelnetSource(options, gate, log) };
  },
  metrics: ({ source }) => ({
    adapter_telnet_connections: { help: 'Open connections of telnet writers.', read: () => source.connections },
    adapter_telnet_lines: { isCounter: true, help: 'Lines that telnet writers sent.', read: () => source.counts.lines },
    adapter_telnet_lost_lines: {
      isCounter: true,
      help: 'Lines that could not be stored.',
      read: () => source.counts.lostLines,
    },
    adapter_telnet_refused_connections: {
      isCounter: true,
      help: 'Connections refused because there were too many.',
      read: () => source.counts.refusedConnections,
    },
  }),
};
