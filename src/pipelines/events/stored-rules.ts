import { randomUUID } from 'node:crypto';
import { RepeatedWork } from '../../async/repeated-work.js';
import { readRuleText } from '../../config/rule-text.js';
import { isRecord } from '../../config/values.js';
import type { Catalogue } from '../../database/catalogue/catalogue.js';
import { noDocument } from '../../database/catalogue/documents.js';
import type { DocumentsStore } from '../../database/store/documents-store.js';
import type { EventsStore } from '../../database/store/events-store.js';
import type { Rule } from '../../events/rule.js';
import { isSystemRule } from '../../events/system-rules.js';
import type { Component, ComponentLog } from '../../model/component.js';
import type { DocumentDef } from '../../model/document.js';
import { Codes, type Fault, FaultError, fault, reasonOf } from '../../model/fault.js';
import type { EventChange } from '../../model/notification.js';
import type { RuleChanges, RuleSilence } from '../../model/rule-list.js';
import { checkQuery } from './scheduled-watch.js';
import { shownEvent } from './shown-event.js';

/** How often changes by other services on the database, and ends of silences, are looked for. */
const pollMs = 1_000;
/** Most rules of the settings and of the database together. */
const maxRules = 1_000;
/** Most open events that are notified once a silence ends. */
const maxNotified = 10_000;

/** Context of {@link StoredRules}. */
interface StoredRulesContext {
  /** The rules of the settings. */
  readonly settings: readonly Rule[];
  readonly documents: Pick<DocumentsStore, 'all' | 'contents' | 'create' | 'replace' | 'remove'>;
  readonly catalogue: Pick<Catalogue, 'documents'>;
  readonly store: Pick<EventsStore, 'open'>;
  /** Watches these rules from now on, in all processes of the service. */
  readonly replace: (rules: readonly Rule[]) => Promise<RuleChanges>;
  readonly notify: (change: EventChange) => void;
  readonly log: ComponentLog;
}

/** A stored rule. */
export interface StoredRule {
  readonly document: DocumentDef;
  readonly toml: string;
  /** Undefined if the text cannot be read. */
  readonly rule: Rule | undefined;
  /** Why it is not watched; undefined if it is. */
  readonly problem: string | undefined;
}

interface Silence extends RuleSilence {
  readonly document: DocumentDef;
  /** When notifications stopped: that of the first silence, if this one replaced others. Unix ms. */
  readonly sinceTime: number;
}

/**
 * Rules and silences that people make on the page or over HTTP. They are documents in the database, so that all services
 * on it share them, beside the rules of each service's settings. A rule of the settings hides a stored one of its name.
 */
export class StoredRules implements Component {
  readonly name = 'stored-rules';
  readonly #context: StoredRulesContext;
  readonly #polling: RepeatedWork;
  #settings: readonly Rule[];
  #stored: readonly StoredRule[] = [];
  #silences: readonly Silence[] = [];
  /** Versions of the documents of which the rules are watched. */
  #watchedVersions = '';
  #silenceVersions = '';
  #changing: Promise<unknown> = Promise.resolve();

  constructor(context: StoredRulesContext) {
    this.#context = context;
    this.#settings = context.settings;
    this.#polling = new RepeatedWork(this.name, pollMs, async () => {
      await this.#poll();
      return pollMs;
    });
  }

  start(): Promise<void> {
    return this.#polling.start();
  }

  async drain(): Promise<void> {
    await this.#polling.drain();
    await this.#changing;
  }

  stop(): Promise<void> {
    return this.#polling.stop();
  }

  get settings(): readonly Rule[] {
    return this.#settings;
  }

  /** All stored rules, in the order of their making. */
  get stored(): readonly StoredRule[] {
    return this.#stored;
  }

  /** The silence of a rule; undefined if its events send notifications. */
  silenceOf(rule: string, at = Date.now()): RuleSilence | undefined {
    const silence = this.#silence(rule, at);
    if (silence === undefined) return undefined;
    const { untilTime, reason, user } = silence;
    return { rule, untilTime, reason, user };
  }

  /** Reads the stored rules. Gives all rules that are to be watched. Rejects with a FaultError. */
  async load(): Promise<readonly Rule[]> {
    this.#watchedVersions = await this.#read();
    return this.#rules;
  }

  /** Takes other rules of the settings. Rejects as the watch does; then the old ones stay. */
  reload(settings: readonly Rule[]): Promise<RuleChanges> {
    return this.#inTurn(async () => {
      const before = this.#settings;
      this.#settings = settings;
      try {
        return await this.#apply();
      } catch (error) {
        this.#settings = before;
        throw error;
      }
    });
  }

  /** Stores a rule in TOML and watches it. Rejects with a FaultError, as all changes do. */
  create(user: string, toml: string): Promise<StoredRule> {
    return this.#change(async () => {
      const { name } = this.#checked(toml);
      if (this.#settings.length + this.#stored.length >= maxRules) throw refusal(`There are ${maxRules} rules already`);
      const document = { kind: 'rule', id: randomUUID(), name, isShared: true, user } as const;
      return (await this.#context.documents.create(document, { toml })).id;
    });
  }

  /** Replaces a version of a stored rule. */
  replace(user: string, id: string, version: number, toml: string): Promise<StoredRule> {
    return this.#change(async () => {
      const { name } = this.#checked(toml, id);
      await this.#context.documents.replace({ kind: 'rule', id, version, name, isShared: true, user }, { toml });
      return id;
    });
  }

  /** Deletes a version of a stored rule; its open events are resolved. */
  remove(id: string, version: number): Promise<void> {
    return this.#inTurn(async () => {
      await this.#context.documents.remove({ kind: 'rule', id, version });
      await this.#watch();
    });
  }

  /** Sends no notifications of a rule until a time. */
  silence(user: string, { rule, untilTime, reason }: Omit<RuleSilence, 'user'>): Promise<RuleSilence> {
    return this.#inTurn(async () => {
      await this.#read();
      const isKnown = isSystemRule(rule) || this.#rules.some(({ name }) => name === rule);
      if (!isKnown) throw refusal(`There is no rule ${JSON.stringify(rule.slice(0, 200))}`);
      const replaced = this.#silences.filter((silence) => silence.rule === rule);
      const sinceTime = Math.min(Date.now(), ...replaced.map((silence) => silence.sinceTime));
      const document = { kind: 'silence', id: randomUUID(), name: rule, isShared: true, user } as const;
      await this.#context.documents.create(document, { untilTime, reason, sinceTime });
      for (const silence of replaced) await this.#removed(silence);
      await this.#read();
      return { rule, untilTime, reason, user };
    });
  }

  /** Ends the silence of a rule, and sends the notifications of its open events. */
  endSilence(rule: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#read();
      const silences = this.#silences.filter((silence) => silence.rule === rule);
      if (silences.length === 0) throw refusal(`The rule ${JSON.stringify(rule.slice(0, 200))} is not silenced`);
      await this.#end(silences);
    });
  }

  /** True for a change that sends no notification: the opening of a silenced event, and the end of one that opened so. */
  isSilenced({ change, event }: EventChange): boolean {
    const silence = this.#silence(event.rule, Date.now());
    return silence !== undefined && (change === 'opened' || event.startTime >= silence.sinceTime);
  }

  #silence(rule: string, at: number): Silence | undefined {
    const silences = this.#silences.filter((silence) => silence.rule === rule && silence.untilTime > at);
    return silences.toSorted((one, other) => other.untilTime - one.untilTime)[0];
  }

  get #rules(): readonly Rule[] {
    const watched = this.#stored.filter(({ problem }) => problem === undefined);
    return [...this.#settings, ...watched.flatMap(({ rule }) => rule ?? [])];
  }

  /** Changes a stored rule and watches it; `change` gives its id. */
  #change(change: () => Promise<string>): Promise<StoredRule> {
    return this.#inTurn(async () => {
      await this.#read();
      const id = await change();
      await this.#watch();
      const stored = this.#stored.find(({ document }) => document.id === id);
      if (stored === undefined) throw new FaultError(noDocument('rule', id));
      return stored;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work);
    this.#changing = done.catch(() => undefined);
    return done;
  }

  async #poll(): Promise<void> {
    const { documents } = this.#context.catalogue;
    const now = Date.now();
    if (versionsOf(documents.all('rule')) !== this.#watchedVersions) await this.#inTurn(() => this.#watch());
    else if (versionsOf(documents.all('silence')) !== this.#silenceVersions) await this.#inTurn(() => this.#retried());
    const ended = this.#silences.filter(({ untilTime }) => untilTime <= now);
    if (ended.length > 0) await this.#inTurn(() => this.#retried(() => this.#end(ended)));
  }

  /** Watches the stored rules as they are now. A failure is logged, and the next poll retries. */
  #watch(): Promise<void> {
    return this.#retried(async () => {
      await this.#apply();
    });
  }

  async #retried(work: () => Promise<unknown> = () => this.#read()): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#context.log.warn(
        { error: reasonOf(error) },
        'The stored rules could not be read or watched; Sluice retries.',
      );
    }
  }

  async #apply(): Promise<RuleChanges> {
    const versions = await this.#read();
    const changes = await this.#context.replace(this.#rules);
    this.#watchedVersions = versions;
    return changes;
  }

  /** Reads rules and silences; gives the versions of the rules. */
  async #read(): Promise<string> {
    const { documents } = this.#context;
    const [rules, silences] = [await documents.all('rule'), await documents.all('silence')];
    const contents = await documents.contents([...rules, ...silences]);
    const names = new Set(this.#settings.map(({ name }) => name));
    this.#stored = rules.map((document) => storedRule(document, contents.get(document.id), names));
    this.#silences = silences.map((document) => silenceIn(document, contents.get(document.id)));
    this.#silenceVersions = versionsOf(silences);
    return versionsOf(rules);
  }

  /** The rule in a text that is to be stored, under an id that has its name already if it replaces one. */
  #checked(toml: string, id?: string): Rule {
    const rule = readRuleText(toml);
    if (!('kind' in rule)) throw refusal(rule.join('\n'));
    try {
      if (rule.kind === 'query') checkQuery(rule);
    } catch (error) {
      throw refusal(reasonOf(error));
    }
    const isTaken =
      this.#settings.some(({ name }) => name === rule.name) ||
      this.#stored.some(({ document }) => document.name === rule.name && document.id !== id);
    if (isTaken) throw refusal(`There is a rule ${JSON.stringify(rule.name)} already`);
    return rule;
  }

  /** Ends silences, of which each is ended by one service alone, and sends the notifications of what is still open. */
  async #end(silences: readonly Silence[]): Promise<void> {
    for (const silence of silences) {
      if (!(await this.#removed(silence))) continue;
      const { rule, sinceTime } = silence;
      this.#silences = this.#silences.filter((other) => other !== silence);
      for (const event of await this.#context.store.open([rule], maxNotified)) {
        const shown = shownEvent(event);
        const change = { change: 'opened', event: shown } as const;
        const isDue = shown.status === 'active' && shown.startTime >= sinceTime;
        if (isDue && !this.isSilenced(change)) this.#context.notify(change);
      }
    }
    await this.#read();
  }

  /** Removes a silence; false if it is gone already. */
  async #removed({ document: { id, version } }: Silence): Promise<boolean> {
    try {
      await this.#context.documents.remove({ kind: 'silence', id, version });
      return true;
    } catch (error) {
      if (error instanceof FaultError && error.fault.code === Codes.documentNotExist) return false;
      throw error;
    }
  }
}

/** `names` are those of rules that are watched already; of two rules of one name the first is watched. */
function storedRule(document: DocumentDef, content: unknown, names: Set<string>): StoredRule {
  const toml = isRecord(content) && typeof content.toml === 'string' ? content.toml : '';
  const rule = readRuleText(toml);
  if (!('kind' in rule)) return { document, toml, rule: undefined, problem: rule.join('\n') };
  const problem = names.has(rule.name) ? 'The settings file, or a rule that is older, has this name.' : undefined;
  names.add(rule.name);
  return { document, toml, rule, problem };
}

function silenceIn(document: DocumentDef, content: unknown): Silence {
  const { untilTime = 0, reason = '', sinceTime = document.created } = isRecord(content) ? content : {};
  return {
    document,
    rule: document.name,
    untilTime: Number(untilTime),
    reason: String(reason),
    user: document.updatedBy,
    sinceTime: Number(sinceTime),
  };
}

function versionsOf(documents: readonly DocumentDef[]): string {
  return documents.map(({ id, version }) => `${id} ${version}`).join('\n');
}

function refusal(message: string): FaultError {
  const refused: Fault = fault('parameter', Codes.free, message);
  return new FaultError(refused);
}
