import type { EventSeverity } from '../model/event.js';

/** Rules about the service itself. */
export const systemRules = {
  'memory-queries': { severity: 'warning', title: 'Queries are paused: memory is short' },
  'memory-all': { severity: 'critical', title: 'Everything is paused: memory is short' },
  'engine-down': { severity: 'critical', title: 'The database is down' },
  'target-unreachable': { severity: 'warning', title: 'A target cannot be scraped' },
  'rows-rejected': { severity: 'critical', title: 'Answered rows could not be stored' },
  'writes-failing': { severity: 'critical', title: 'Writes are refused or shed' },
} as const satisfies Readonly<Record<string, { readonly severity: EventSeverity; readonly title: string }>>;
/** Name of a rule that the service has about itself. */
export type SystemRule = keyof typeof systemRules;

/** Names that no rule of the settings may have. */
export const systemRuleNames: readonly string[] = Object.keys(systemRules);

/** True for the name of such a rule. */
export function isSystemRule(name: string): name is SystemRule {
  return Object.hasOwn(systemRules, name);
}
