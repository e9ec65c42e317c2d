import { ownFigures } from './monitoring.js';
import { agentInputs } from './pipelines/agent-inputs.js';
import { guardedGate } from './pipelines/memory-guard.js';
import { StandingUser } from './pipelines/standing-user.js';
import type { WriteInput } from './pipelines/writes.js';
import type { ServiceParts } from './service-parts.js';
import { TsdbwireTelnetSource } from './sources/tsdbwire-telnet/source.js';

/** Every door beside HTTP that is switched on: listeners, the scraper, the service's own figures. */
export function listeningInputs(parts: ServiceParts): WriteInput[] {
  const { settings, monitoring, credentials, logOf } = parts;
  return [
    ...tsdbwireTelnet(parts),
    ...agentInputs(settings, {
      newGate: () => guardedGate(monitoring.guard, settings.limits.creditBytes),
      logOf,
      authenticate: (given) => credentials.authenticate(given),
      watch: (figures) => monitoring.metrics.watch(figures),
      signals: parts.signals,
    }),
    ...figuresInput(parts),
  ];
}

/** The telnet-format listeners, when they are switched on. */
function tsdbwireTelnet({ settings, version, credentials, monitoring, logOf }: ServiceParts): WriteInput[] {
  const { tsdbwireTelnet: listeners, limits } = settings;
  const { guard, metrics } = monitoring;
  if (!listeners.enable) return [];
  const log = logOf('tsdbwire_telnet');
  const options = {
    ...listeners,
    maxLineBytes: limits.lineBytes,
    version: `sluice ${version}`,
  };
  // What is never answered keeps its credit through an outage; it must not keep HTTP from being answered.
  const gate = guardedGate(guard, limits.creditBytes);
  const { user, password } = listeners;
  const check = () => credentials.authenticate({ scheme: 'password', user, password });
  const source = new TsdbwireTelnetSource(options, gate, log);
  metrics.watch({
    adapter_telnet_connections: { help: 'Open connections of telnet writers.', read: () => source.connections },
    adapter_telnet_lines: { help: 'Lines that telnet writers sent.', read: () => source.counts.lines },
    adapter_telnet_lost_lines: { help: 'Lines that could not be stored.', read: () => source.counts.lostLines },
    adapter_telnet_refused_connections: {
      help: 'Connections refused because there were too many.',
      read: () => source.counts.refusedConnections,
    },
  });
  return [{ source, retry: 'here', user: new StandingUser(user, check, log) }];
}

/** The service's own figures as one more door. */
function figuresInput({ settings, monitoring, credentials, logOf }: ServiceParts): WriteInput[] {
  const { guard, metrics } = monitoring;
  const log = logOf('own-figures');
  const source = ownFigures(settings, metrics, guardedGate(guard, settings.limits.creditBytes), log);
  if (source === undefined) return [];
  const { user, password } = settings.monitor;
  const check = () => credentials.authenticate({ scheme: 'password', user, password });
  return [{ source, retry: 'sender', user: new StandingUser(user, check, log) }];
}
