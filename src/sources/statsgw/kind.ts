import { type OpenSource, type SourceKind, targetOf } from '../kind.js';
import { LineListener } from '../support/line-listener.js';
import { type StatsgwSettings, statsgwSettings } from './options.js';
import { StatisticsSource } from './source.js';

interface OpenStatsgw extends OpenSource {
  readonly source: StatisticsSource;
  readonly listener: LineListener;
}

/** StatsD messages over UDP or TCP, aggregated. */
export const statsgw: SourceKind<StatsgwSettings, OpenStatsgw> = {
  name: 'statsgw',
  options: statsgwSettings,
  create(settings, { gate, log, reported, nowMicros }) {
    const target = targetOf(settings);
    const { protocol } = settings;
    const options = { ...settings, name: 'statsgw', format: 'statsd', protocols: [protocol], target } as const;
    const listener = new LineListener(options, gate, log);
    return { source: new StatisticsSource(listener, settings, { target, nowMicros }, reported), listener };
  },
  metrics: ({ source, listener }) => ({
    adapter_statsgw_messages: {
      isCounter: true,
      help: 'Messages that statsgw read.',
      read: () => source.counts.messages,
    },
    adapter_statsgw_rejected_lines: {
      isCounter: true,
      help: 'Bad lines of statsgw.',
      read: () => source.counts.rejectedLines,
    },
    adapter_statsgw_skipped_gathers: {
      isCounter: true,
      help: 'Gathers left out because earlier ones were not written yet.',
      read: () => source.counts.skippedTicks,
    },
    adapter_statsgw_datagrams: {
      isCounter: true,
      help: 'Datagrams that statsgw took.',
      read: () => listener.counts.datagrams,
    },
    adapter_statsgw_shed_datagrams: {
      isCounter: true,
      help: 'Datagrams that statsgw shed.',
      read: () => listener.counts.shedDatagrams,
    },
    adapter_statsgw_refused_connections: {
      isCounter: true,
      help: 'Connections that statsgw refused because there were too many.',
      read: () => listener.counts.refusedConnections,
    },
  }),
  shed: ({ listener }) => listener.counts.shedDatagrams,
};
