import { longestTimerMs, option, optionTable, type SettingReader, type SettingsOf } from '../../model/option.js';
import type { SourceOptions } from '../kind.js';
import { storeRows, tcpRows, ttlRow } from '../support/option-rows.js';

/** The statistics-daemon listener. */
const statsgwOptions = optionTable('statsgw', 'Listener for statistics (StatsD)', [
  option.bool('statsgw.enable', 'listen for messages of StatsD clients', { default: 'true' }),
  option.int('statsgw.port', 'port of the listener', { default: '6044', min: 0, max: 65535 }),
  option.text('statsgw.protocol', 'transport of the listener', { default: 'udp', allowed: ['tcp', 'udp'] }),
  ...storeRows('statsgw'),
  option.int('statsgw.worker', 'maximum number of concurrent writes', { default: '10', min: 1 }),
  option.duration('statsgw.gatherInterval', 'flush interval: how often the aggregated values are written', {
    default: '5s',
    min: 1,
    max: longestTimerMs,
  }),
  ...tcpRows('statsgw', 'maximum number of concurrent connections, with protocol tcp'),
  option.int(
    'statsgw.allowPendingMessages',
    'maximum number of received messages in the queue; further ones are dropped and counted',
    {
      default: '50000',
      min: 1,
    },
  ),
  option.bool('statsgw.deleteCounters', 'delete counters after each flush', { default: 'true' }),
  option.bool(
    'statsgw.deleteGauges',
    'write a gauge only if a new message has arrived; its last value is kept for messages with a sign',
    { default: 'true' },
  ),
  option.bool('statsgw.deleteSets', 'delete sets after each flush', { default: 'true' }),
  option.bool('statsgw.deleteTimings', 'delete timings after each flush', { default: 'true' }),
  option.bool(
    'statsgw.gaugeDeltas',
    'a gauge with a sign changes its last value; if not, it is the value, as clients of DogStatsD mean it',
    {
      default: 'true',
    },
  ),
  option.texts(
    'statsgw.percentiles',
    'percentiles of timings to write as fields, such as [50, 99.9]; above 0, at most 100',
  ),
  option.int(
    'statsgw.maxKeys',
    'maximum number of series in memory; messages of further ones are refused and counted',
    { default: '500000', min: 1 },
  ),
  option.int(
    'statsgw.maxSetValues',
    'maximum number of distinct values of all sets; further ones are refused and counted',
    { default: '1000000', min: 1 },
  ),
  ttlRow('statsgw'),
]);

/** Settings of the input for StatsD messages. */
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
