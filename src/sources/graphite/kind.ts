import { type SourceKind, targetOf } from '../kind.js';
import { LineListener } from '../support/line-listener.js';
import { type GraphiteSettings, graphiteSettings } from './options.js';

/** Lines of Graphite over TCP and UDP. */
export const graphite: SourceKind<GraphiteSettings, { readonly source: LineListener }> = {
  name: 'graphite',
  options: graphiteSettings,
  create(settings, { gate, log }) {
    const listener = { ...settings, name: 'graphite', format: 'graphite', target: targetOf(settings) } as const;
    return { source: new LineListener(listener, gate, log) };
  },
  metrics: ({ source }) => ({
    adapter_graphite_datagrams: {
      isCounter: true,
      help: 'Datagrams that graphite took.',
      read: () => source.counts.datagrams,
    },
    adapter_graphite_shed_datagrams: {
      isCounter: true,
      help: 'Datagrams that graphite shed.',
      read: () => source.counts.shedDatagrams,
    },
    adapter_graphite_refused_connections: {
      isCounter: true,
      help: 'Connections that graphite refused because there were too many.',
      read: () => source.counts.refusedConnections,
    },
    adapter_graphite_too_long_lines: {
      isCounter: true,
      help: 'Lines that graphite dropped because they were too long.',
      read: () => source.counts.tooLongLines,
    },
  }),
  shed: ({ source }) => source.counts.shedDatagrams,
};
