import { readRuleText, ruleText } from '../config/rule-text.js';
import type { Catalogue } from '../database/catalogue/catalogue.js';
import { Access, insufficientPrivilege } from '../database/catalogue/rights.js';
import type { Rule } from '../events/rule.js';
import { conditionOf } from '../events/rule-words.js';
import type { EventsAdmin } from '../model/exchange.js';
import { Codes, type Fault, FaultError, fault, reasonOf } from '../model/fault.js';
import type { ShownRule } from '../model/rule-list.js';
import type { Notifier } from '../notify/notifier.js';
import type { StoredRule } from '../pipelines/events/stored-rules.js';
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
}

/** Administration of rules and notifications, for administrators only. */
export function eventsAdmin({ catalogue, events, notifier, readRules }: EventsAdminContext): EventsAdmin {
  /** Runs an action of administrators; never rejects. */
  const guarded = async <T>(user: string, act: () => T | Promise<T>): Promise<T | Fault> => {
    if (!new Access(catalogue, user).isAdministrator) return insufficientPrivilege().fault;
    try {
      return await act();
    } catch (error) {
      return error instanceof FaultError ? error.fault : refused(reasonOf(error));
    }
  };
  const { rules, stored } = events;
  const shown = (rule: Rule): ShownRule => ({ ...shownRule(rule), silence: stored.silenceOf(rule.name) ?? null });
  const shownStored = ({ document, toml, rule, problem }: StoredRule): ShownRule => {
    const { id, name, version, updated, updatedBy } = document;
    const head = rule === undefined ? unreadable(name) : shown(rule);
    return { ...head, toml, stored: { id, version, updatedTime: updated, updatedBy, problem: problem ?? null } };
  };
  return {
    rules: (user) =>
      guarded(user, () => ({
        loadedTime: rules.loadedTime,
        records: [...stored.settings.map(shown), ...stored.stored.map(shownStored)],
      })),
    reload: (user) =>
      guarded(user, async () => {
        const settings = readRules?.() ?? { errors: ['The settings of this service cannot be read again.'] };
        if ('errors' in settings) throw new FaultError(refused(settings.errors.join('\n')));
        return stored.reload(settings);
      }),
    createRule: (user, toml) => guarded(user, async () => shownStored(await stored.create(user, toml))),
    replaceRule: (user, id, version, toml) =>
      guarded(user, async () => shownStored(await stored.replace(user, id, version, toml))),
    removeRule: (user, id, version) =>
      guarded(user, async () => {
        await stored.remove(id, version);
        return {};
      }),
    silence: (user, silence) => guarded(user, () => stored.silence(user, silence)),
    endSilence: (user, rule) =>
      guarded(user, async () => {
        await stored.endSilence(rule);
        return {};
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
  const state = { stored: null, silence: null };
  return { name, kind, database, table, severity, condition: conditionOf(rule), toml: ruleText(rule), ...state };
}

/** A stored rule whose text this version cannot read. */
function unreadable(name: string): ShownRule {
  const condition = 'cannot be read';
  return {
    name,
    kind: 'query',
    database: '',
    table: '',
    severity: 'warning',
    condition,
    toml: '',
    stored: null,
    silence: null,
  };
}
