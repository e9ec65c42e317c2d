import { type SourceKind, targetOf } from '../kind.js';
import { LineListener } from '../support/line-listener.js';
import { mayStandBefore } from './datagram.js';
import { type LineprotoUdpSettings, lineprotoUdpSettings } from './options.js';

/** Line protocol over UDP. */
export const lineprotoUdp: SourceKind<LineprotoUdpSettings, { readonly source: LineListener }> = {
  name: 'lineproto_udp',
  options: lineprotoUdpSettings,
  create(settings, { gate, log }) {
    const target = { ...targetOf(settings), precision: settings.precision };
    const kind = { name: 'lineproto_udp', format: 'lineproto', protocols: ['udp'], mayStandBefore } as const;
    return { source: new LineListener({ ...settings, ...kind, target }, gate, log) };
  },
  metrics: ({ source }) => ({
    adapter_lineproto_udp_datagrams: {
      isCounter: true,
      help: 'Datagrams that lineproto_udp took.',
      read: () => source.counts.datagrams,
    },
    adapter_lineproto_udp_shed_datagrams: {
      isCounter: true,
      help: 'Datagrams that lineproto_udp shed.',
      read: () => source.counts.shedDatagrams,
    },
  }),
  shed: ({ source }) => source.counts.shedDatagrams,
};
