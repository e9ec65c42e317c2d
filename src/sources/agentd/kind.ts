import { readSettingFile } from '../../async/setting-file.js';
import { openPackets, type PacketRefusals, parseUserFile } from '../../transforms/open-packets.js';
import { type OpenSource, type SourceKind, targetOf } from '../kind.js';
import { through } from '../support/through.js';
import { type AgentdSettings, agentdSettings } from './options.js';
import { AgentdSource } from './source.js';

interface OpenAgentd extends OpenSource {
  readonly listener: AgentdSource;
  readonly refusals: PacketRefusals;
}

/** Packets of metric agents over UDP, signed, encrypted or plain. */
export const agentd: SourceKind<AgentdSettings, OpenAgentd> = {
  name: 'agentd',
  options: agentdSettings,
  create(settings, { gate, log, losses }) {
    const { userFile, securityLevel: level } = settings;
    const listener = new AgentdSource({ ...settings, target: targetOf(settings) }, gate, log);
    const users = userFile === '' ? undefined : parseUserFile(readSettingFile('agentd.userFile', userFile).toString());
    const refusals: PacketRefusals = { forged: 0, unprotected: 0 };
    const refused = (why: keyof PacketRefusals): void => losses.add('warn', 'Packets were refused.', 1, why);
    return { source: through(listener, openPackets({ level, users }, refusals, refused)), listener, refusals };
  },
  metrics: ({ listener, refusals }) => ({
    adapter_agentd_datagrams: {
      isCounter: true,
      help: 'Packets that agentd took.',
      read: () => listener.counts.datagrams,
    },
    adapter_agentd_shed_datagrams: {
      isCounter: true,
      help: 'Packets that agentd shed.',
      read: () => listener.counts.shedDatagrams,
    },
    adapter_agentd_forged_packets: {
      isCounter: true,
      help: 'Packets refused because their signature or checksum is wrong, or their user is not known.',
      read: () => refusals.forged,
    },
    adapter_agentd_unprotected_packets: {
      isCounter: true,
      help: 'Packets refused because they are less secure than agentd.securityLevel.',
      read: () => refusals.unprotected,
    },
  }),
  shed: ({ listener }) => listener.counts.shedDatagrams,
};
