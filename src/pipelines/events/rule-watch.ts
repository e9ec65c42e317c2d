import type { EventsStore } from '../../database/store/events-store.js';
import type { Rule } from '../../events/rule.js';
import type { BlockGroup } from '../../model/batch.js';
import type { Component } from '../../model/component.js';
import type { RuleChanges } from '../../model/rule-list.js';
import { type RulesFile, resolveOrphans, ruleKeyOf } from './rules-file.js';
import { ScheduledWatch, type ScheduledWatchContext } from './scheduled-watch.js';
import { ValueWatch, type ValueWatchContext } from './value-watch.js';

/** Context of {@link RuleWatch}. */
interface RuleWatchContext
  extends Omit<ValueWatchContext, 'rules' | 'store'>,
    Omit<ScheduledWatchContext, 'rules' | 'store'> {
  /** The rules at the start. */
  readonly loadRules: () => Promise<readonly Rule[]>;
  readonly store: Pick<EventsStore, 'open' | 'position' | 'entriesAfter'>;
  /** The rules of the last run. */
  readonly rulesFile: Pick<RulesFile, 'read' | 'save'>;
}

interface Watches {
  readonly values: ValueWatch | undefined;
  readonly scheduled: ScheduledWatch | undefined;
}

/** All rules, which can be replaced while the service runs. */
export class RuleWatch implements Component {
  readonly name = 'rules';
  readonly #context: RuleWatchContext;
  #rules: readonly Rule[] = [];
  #watches: Watches = { values: undefined, scheduled: undefined };
  #loadedTime = Date.now();
  #replacing: Promise<unknown> = Promise.resolve();
  #isEnding = false;

  constructor(context: RuleWatchContext) {
    this.#context = context;
  }

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  /** When the rules were read or replaced, in Unix ms. */
  get loadedTime(): number {
    return this.#loadedTime;
  }

  /** Evaluates stored rows. Never throws. */
  observe(group: BlockGroup): void {
    this.#watches.values?.observe(group);
  }

  async start(): Promise<void> {
    const { loadRules, rulesFile } = this.#context;
    const rules = await loadRules();
    this.#watches = this.#make(rules);
    this.#rules = rules;
    await begin(this.#watches);
    await resolveOrphans(this.#context, rulesFile.read(), this.#rules);
  }

  async drain(): Promise<void> {
    this.#isEnding = true;
    await this.#replacing;
    await Promise.all([this.#watches.values?.drain(), this.#watches.scheduled?.drain()]);
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    await end(this.#watches);
  }

  /**
   * Replaces the rules. Events stay open if their rule still exists for the same table, and end otherwise. Rejects when
   * a rule cannot be run, or with a FaultError when the database is away; then the old rules stay.
   */
  replace(rules: readonly Rule[]): Promise<RuleChanges> {
    const done = this.#replacing.then(() => this.#replace(rules));
    this.#replacing = done.catch(() => undefined);
    return done;
  }

  async #replace(rules: readonly Rule[]): Promise<RuleChanges> {
    if (this.#isEnding) throw new Error('The service is stopping.');
    const before = this.#watches;
    const after = this.#make(rules);
    const begun = without(after, before);
    try {
      await begin(begun);
    } catch (error) {
      await end(begun);
      throw error;
    }
    const changes = compare(this.#rules, rules);
    const oldRules = this.#rules.map(ruleKeyOf);
    this.#watches = after;
    this.#rules = rules;
    this.#loadedTime = Date.now();
    const ended = without(before, after);
    await Promise.all([ended.values?.drain(), ended.scheduled?.drain()]);
    await resolveOrphans(this.#context, oldRules, rules);
    return changes;
  }

  /** The watches for other rules. A watch whose rules are the same stays, with the states of its series. */
  #make(rules: readonly Rule[]): Watches {
    const overValues = rules.filter((rule) => rule.kind === 'value');
    const scheduled = rules.filter((rule) => rule.kind !== 'value');
    const context = this.#context;
    const { values, scheduled: before } = this.#watches;
    const old = new Set(this.#rules.map(textOf));
    const isSame = (some: readonly Rule[], isOfKind: (rule: Rule) => boolean): boolean =>
      some.length === this.#rules.filter(isOfKind).length && some.every((rule) => old.has(textOf(rule)));
    const unchanged = new Set(scheduled.filter((rule) => old.has(textOf(rule))).map(({ name }) => name));
    const newValues = () => (overValues.length === 0 ? undefined : new ValueWatch({ ...context, rules: overValues }));
    const newScheduled = () =>
      scheduled.length === 0 ? undefined : new ScheduledWatch({ ...context, rules: scheduled }, before, unchanged);
    return {
      values: isSame(overValues, ({ kind }) => kind === 'value') ? values : newValues(),
      scheduled: isSame(scheduled, ({ kind }) => kind !== 'value') ? before : newScheduled(),
    };
  }
}

/** The watches that are not among the others. */
function without({ values, scheduled }: Watches, others: Watches): Watches {
  return {
    values: values === others.values ? undefined : values,
    scheduled: scheduled === others.scheduled ? undefined : scheduled,
  };
}

async function begin({ values, scheduled }: Watches): Promise<void> {
  // Queries with syntax errors are detected before anything begins.
  await scheduled?.start();
  await values?.start();
}

async function end({ values, scheduled }: Watches): Promise<void> {
  await Promise.all([values?.stop(), scheduled?.stop()]);
}

function compare(before: readonly Rule[], after: readonly Rule[]): RuleChanges {
  const old = new Map(before.map((rule) => [rule.name, textOf(rule)]));
  const names = new Set(after.map(({ name }) => name));
  return {
    rules: after.length,
    added: after.flatMap(({ name }) => (old.has(name) ? [] : [name])),
    changed: after.flatMap((rule) => {
      const text = old.get(rule.name);
      return text === undefined || text === textOf(rule) ? [] : [rule.name];
    }),
    removed: before.flatMap(({ name }) => (names.has(name) ? [] : [name])),
  };
}

function textOf(rule: Rule): string {
  return JSON.stringify(rule, (_key, value: unknown) => (value instanceof Map ? [...value] : value));
}
