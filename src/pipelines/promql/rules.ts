import type { QueryRule } from '../../events/rule.js';
import type { StoredEvent } from '../../model/event-log.js';
import type { PromqlAnswer } from '../../model/exchange.js';
import { numberText } from './json-pieces.js';
import type { EndpointScope } from './scope.js';

/** An alert in the form of Prometheus. */
interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'firing';
  readonly activeAt: string;
  readonly value: string;
}

/** The time of what has not been noted. */
const never = '0001-01-01T00:00:00Z';

/** `rules`: the rules as groups, one for each interval. */
export async function rules(scope: EndpointScope): Promise<PromqlAnswer> {
  const all = visibleRules(scope);
  const alerts = await alertsOf(all, scope);
  const groups = new Map<number, object[]>();
  for (const rule of all) {
    const own = alerts.get(rule.name) ?? [];
    const shown = {
      state: own.length > 0 ? 'firing' : 'inactive',
      name: rule.name,
      query: rule.query,
      duration: rule.forMs / 1000,
      keepFiringFor: 0,
      labels: { severity: rule.severity },
      annotations: annotationsOf(rule),
      alerts: own,
      health: 'ok',
      evaluationTime: 0,
      lastEvaluation: never,
      type: 'alerting',
    };
    const group = groups.get(rule.intervalMs);
    if (group === undefined) groups.set(rule.intervalMs, [shown]);
    else group.push(shown);
  }
  const shown = [...groups].map(([intervalMs, inGroup]) => ({
    name: `events.rules every ${intervalMs / 1000}s`,
    file: 'events.rules',
    rules: inGroup,
    interval: intervalMs / 1000,
    limit: 0,
    evaluationTime: 0,
    lastEvaluation: never,
  }));
  return dataOf({ groups: shown });
}

/** `alerts`: the open events of the rules. */
export async function alerts(scope: EndpointScope): Promise<PromqlAnswer> {
  const byRule = await alertsOf(visibleRules(scope), scope);
  return dataOf({ alerts: [...byRule.values()].flat() });
}

/** Rules read everything, so that only users who may do so, too, see them. */
function visibleRules({ request: { database }, readsAll, alerting }: EndpointScope): readonly QueryRule[] {
  return readsAll ? alerting.rules(database) : [];
}

async function alertsOf(
  all: readonly QueryRule[],
  { alerting }: EndpointScope,
): Promise<ReadonlyMap<string, readonly Alert[]>> {
  const byRule = new Map<string, Alert[]>();
  if (all.length === 0) return byRule;
  for (const event of await alerting.open(all.map(({ name }) => name))) {
    const { database: _, ...labels } = event.attributes;
    const alert: Alert = {
      labels: { ...labels, alertname: event.rule, severity: event.severity },
      annotations: annotationsOf(event),
      state: 'firing',
      activeAt: new Date(event.startTime).toISOString(),
      value: numberText(event.value ?? Number.NaN),
    };
    const own = byRule.get(event.rule);
    if (own === undefined) byRule.set(event.rule, [alert]);
    else own.push(alert);
  }
  return byRule;
}

function annotationsOf({ title, description }: Pick<StoredEvent, 'title' | 'description'>) {
  return { summary: title, ...(description === '' ? {} : { description }) };
}

function dataOf(data: object): PromqlAnswer {
  return { kind: 'data', data: [Buffer.from(JSON.stringify(data))], warnings: [], infos: [] };
}
