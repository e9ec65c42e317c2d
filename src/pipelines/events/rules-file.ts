import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EventsStore } from '../../database/store/events-store.js';
import type { Rule } from '../../events/rule.js';
import type { ComponentLog } from '../../model/component.js';
import { reasonOf } from '../../model/fault.js';
import type { EventQueue } from './event-queue.js';

/** Limit of open events of removed rules that are resolved at once. */
const maxResolved = 10_000;

/** Fields that decide whether events of one rule continue under another. */
interface RuleKey {
  readonly name: string;
  readonly kind: Rule['kind'];
  readonly database: string;
  /** Empty for a rule over a query. */
  readonly table: string;
}

/** A file with the rules of the service's last run: events of rules that were removed since must end. */
export class RulesFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The saved rules; none if there is no file or it cannot be read. */
  read(): readonly RuleKey[] {
    try {
      const keys: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return Array.isArray(keys) ? keys.filter(isRuleKey) : [];
    } catch {
      return [];
    }
  }

  /** Saves the present rules; without any the file is removed. Throws when it cannot be written. */
  save(rules: readonly Rule[]): void {
    if (rules.length === 0) {
      rmSync(this.#path, { force: true });
      return;
    }
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.new`;
    writeFileSync(draft, `${JSON.stringify(rules.map(ruleKeyOf))}\n`, { mode: 0o600 });
    renameSync(draft, this.#path);
  }
}

/** The key of a rule. */
export function ruleKeyOf(rule: Rule): RuleKey {
  const { name, kind, database } = rule;
  return { name, kind, database, table: rule.kind === 'query' ? '' : rule.table };
}

/** Context of {@link resolveOrphans}. */
export interface OrphanContext {
  readonly store: Pick<EventsStore, 'open'>;
  readonly queue: Pick<EventQueue, 'add'>;
  readonly rulesFile: Pick<RulesFile, 'save'>;
  readonly log: ComponentLog;
}

/**
 * Ends the open events of rules that existed `before` and were removed, because nothing else would end them. Then saves
 * the present rules. Never rejects: the next start retries what failed.
 */
export async function resolveOrphans(
  { store, queue, rulesFile, log }: OrphanContext,
  before: readonly RuleKey[],
  rules: readonly Rule[],
): Promise<void> {
  const keys = rules.map(ruleKeyOf);
  const gone = before.filter((key) => !keys.some((other) => isSameRule(key, other)));
  const at = Date.now();
  try {
    const names = gone.map(({ name }) => name);
    for (const { slot, source } of names.length === 0 ? [] : await store.open(names, maxResolved)) {
      if (source !== 'rule') continue;
      const operation = { op: 'clear', key: randomUUID(), slot, at, time: at } as const;
      queue.add(async () => [operation]);
    }
    rulesFile.save(rules);
  } catch (error) {
    log.warn({ error: reasonOf(error) }, 'Events of removed rules may stay open; the next start retries.');
  }
}

/** True when events of one rule continue under the other. */
function isSameRule(one: RuleKey, other: RuleKey): boolean {
  const { name, kind, database, table } = other;
  return one.name === name && one.kind === kind && one.database === database && one.table === table;
}

function isRuleKey(value: unknown): value is RuleKey {
  if (typeof value !== 'object' || value === null) return false;
  return ['name', 'kind', 'database', 'table'].every((key) => typeof Reflect.get(value, key) === 'string');
}
