import { agentd } from './agentd/kind.js';
import { graphite } from './graphite/kind.js';
import { hostexporter } from './hostexporter/kind.js';
import type { SourceKind } from './kind.js';
import { lineprotoUdp } from './lineproto-udp/kind.js';
import type { SettingsOfSources } from './options.js';
import { statsgw } from './statsgw/kind.js';
import { tsdbwireTelnet } from './tsdbwire-telnet/kind.js';

/** Every kind of source that has settings of its own. */
export const sourceKinds = {
  agentd,
  statsgw,
  tsdbwireTelnet,
  graphite,
  lineprotoUdp,
  hostexporter,
} as const satisfies {
  readonly [Name in keyof SettingsOfSources]: SourceKind<SettingsOfSources[Name]>;
};
