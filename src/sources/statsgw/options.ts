import { longestTimerMs, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { storeRows, tcpRows, ttlRow } from '../support/option-rows.js';

/** The statistics-daemon listener. */
const statsgwOptions = optionTable({
  group: 'statsgw',
  title: 'Listener for statistics (StatsD)',
  rows: [
    { flag: 'statsgw.enable', type: 'bool', default: 'true', help: 'listen for messages of StatsD clients' },
    { flag: 'statsgw.port', type: 'int', default: '6044', help: 'port of the listener', min: 0, max: 65535 },
    {
      flag: 'statsgw.protocol',
      type: 'string',
      default: 'udp',
      help: 'transport of the listener',
      allowed: ['tcp', 'udp'],
    },
    ...storeRows('statsgw'),
    { flag: 'statsgw.worker', type: 'int', default: '10', help: 'most writes at the same time', min: 1 },
    {
      flag: 'statsgw.gatherInterval',
      type: 'duration',
      default: '5s',
      help: 'interval at which the collected statistics are written',
      min: 1,
      max: longestTimerMs,
    },
    ...tcpRows('statsgw', 'most connections at the same time, with protocol tcp'),
    {
      flag: 'statsgw.allowPendingMessages',
      type: 'int',
      default: '50000',
      help: 'most received messages that wait; more are dropped and counted',
      min: 1,
    },
    { flag: 'statsgw.deleteCounters', type: 'bool', default: 'true', help: 'forget counters after they were written' },
    { flag: 'statsgw.deleteGauges', type: 'bool', default: 'true', help: 'forget gauges after they were written' },
    { flag: 'statsgw.deleteSets', type: 'bool', default: 'true', help: 'forget sets after they were written' },
    { flag: 'statsgw.deleteTimings', type: 'bool', default: 'true', help: 'forget timings after they were written' },
    {
      flag: 'statsgw.percentiles',
      type: 'string-list',
      help: 'percentiles of timings to write as fields, such as [50, 99.9]; above 0, at most 100',
    },
    {
      flag: 'statsgw.maxKeys',
      type: 'int',
      default: '500000',
      help: 'most series collected at the same time; messages of further ones are refused and counted',
      min: 1,
    },
    {
      flag: 'statsgw.maxSetValues',
      type: 'int',
      default: '1000000',
      help: 'most different values of all sets together; further ones are refused and counted',
      min: 1,
    },
    ttlRow('statsgw'),
  ],
});

/** Settings of the door for StatsD messages. */
export type StatsgwSettings = Omit<SettingsOf<typeof statsgwOptions>, 'percentiles'> & {
  readonly percentiles: readonly number[];
};

/** Reads the settings of {@link statsgwOptions}. */
function readStatsgwSettings(reader: SettingReader): StatsgwSettings {
  const settings = reader.settings(statsgwOptions);
  const percentiles = settings.percentiles.map(Number);
  if (!percentiles.every((percentile) => percentile > 0 && percentile <= 100)) {
    reader.refuse('statsgw.percentiles', 'numbers above 0 and at most 100');
  }
  return { ...settings, percentiles: [...new Set(percentiles)] };
}

/** The table of the settings, what reads them, and the ports that they name. */
export const statsgwSettings = {
  table: statsgwOptions,
  read: readStatsgwSettings,
  ports: ({ port, protocol }) => [{ transport: protocol === 'tcp' ? 'TCP' : 'UDP', port, setting: '--statsgw.port' }],
} as const satisfies SourceOptions<StatsgwSettings>;
