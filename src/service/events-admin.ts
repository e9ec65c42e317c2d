import { readRuleText, ruleText } from '../config/rule-text.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { Access, insufficientPrivilege } from '../database/catalogue/rights.js';
import type { Rule } from '../events/rule.js';
import { conditionOf } from '../events/rule-words.js';
import type { EventsAdmin } from '../model/exchange.js';
import { Codes, type Fault, FaultError, fault, reasonOf } from '../model/fault.js';
import type { ShownRule } from '../model/rule-list.js';
import type { Notifier } from '../notify/notifier.js';
import type { EventsPipeline } from '../pipelines/events.js';

/** The present rules of the settings, or the errors in the settings. */
export type ReadRulesAgain = () => readonly Rule[] | { readonly errors: readonly string[] };

/** Actions of administrators on rules and notifications. */
interface EventsAdminContext {
  readonly catalogue: Catalogue;
  readonly events: EventsPipeline;
  readonly notifier: Notifier;
  /** Missing if the settings cannot be read again. */
  readonly readRules: ReadRulesAgain | undefined;
  /** Called with new rules. */
  readonly onReplaced: (rules: readonly Rule[]) => Promise<unknown>;
}

/** Administration of rules and notifications, for administrators only. */
export function eventsAdmin({ catalogue, events, notifier, readRules, onReplaced }: EventsAdminContext): EventsAdmin {
  /** Runs an action of administrators; never rejects. */
  const guarded = async <T>(user: string, act: () => T | Promise<T>): Promise<T | Fault> => {
    if (!new Access(catalogue, user).isAdministrator) return insufficientPrivilege().fault;
    try {
      return await act();
    } catch (error) {
      return error instanceof FaultError ? error.fault : refused(reasonOf(error));
    }
  };
  return {
    rules: (user) =>
      guarded(user, () => ({ loadedTime: events.rules.loadedTime, records: events.rules.rules.map(shownRule) })),
    reload: (user) =>
      guarded(user, async () => {
        const rules = readRules?.() ?? { errors: ['The settings of this service cannot be read again.'] };
        if ('errors' in rules) throw new FaultError(refused(rules.errors.join('\n')));
        const changes = await events.rules.replace(rules);
        await onReplaced(rules);
        return changes;
      }),
    tryRule: (user, text, signal) =>
      guarded(user, () => {
        const rule = readRuleText(text);
        if (!('kind' in rule)) throw new FaultError(refused(rule.join('\n')));
        return events.tryRule(rule, signal);
      }),
    notifications: (user) => guarded(user, () => ({ records: notifier.channels })),
    testNotifications: (user) => guarded(user, async () => ({ records: await notifier.test(user) })),
  };
}

function refused(message: string): Fault {
  return fault('parameter', Codes.free, message);
}

function shownRule(rule: Rule): ShownRule {
  const { name, kind, database, severity } = rule;
  const table = rule.kind === 'query' ? '' : rule.table;
  return { name, kind, database, table, severity, condition: conditionOf(rule), toml: ruleText(rule) };
}
