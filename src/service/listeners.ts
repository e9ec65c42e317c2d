import { type InputContext, inputsOf, standingUser } from '../pipelines/inputs.js';
import { guardedGate } from '../pipelines/memory-guard.js';
import type { WriteInput } from '../pipelines/writes.js';
import { sourceKinds } from '../sources/kinds.js';
import { ownFigures } from './monitoring.js';
import type { ServiceParts } from './parts.js';

/** Every door beside HTTP that is switched on: the sources with settings of their own, and the service's own figures. */
export function listeningInputs(parts: ServiceParts): WriteInput[] {
  const { settings, version, monitoring, credentials, signals, logOf } = parts;
  const context: InputContext = {
    // A batch that is never answered keeps its credit through an outage; it must not keep HTTP from being answered.
    newGate: () => guardedGate(monitoring.guard, settings.limits.creditBytes),
    logOf,
    authenticate: (proof) => credentials.authenticate(proof),
    watch: (figures) => monitoring.metrics.watch(figures),
    signals,
    maxLineBytes: settings.limits.lineBytes,
    version,
  };
  return [...inputsOf(sourceKinds, settings.sources, context), ...figuresInput(parts, context)];
}

/** The service's own figures as one more door; what is not stored comes with the next ones. */
function figuresInput({ settings, monitoring }: ServiceParts, context: InputContext): WriteInput[] {
  const source = ownFigures(settings, monitoring.metrics, context.newGate(), context.logOf('own-figures'));
  if (source === undefined) return [];
  return [{ source, retry: 'sender', user: standingUser(settings.monitor, source.name, context) }];
}
