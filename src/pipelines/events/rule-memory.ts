import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EventsStore } from '../../database/rows/events-store.js';
import type { Rule } from '../../events/rule.js';
import type { ComponentLog } from '../../model/component.js';
import { reasonOf } from '../../model/fault.js';
import type { EventRecorder } from './recorder.js';

/** Open events of rules that are gone, which are closed at once. */
const maxClosed = 10_000;

/** Facts that tell whether events of one rule go on under another. */
interface RulePlace {
  readonly name: string;
  readonly kind: Rule['kind'];
  readonly database: string;
  /** Empty for a rule over a query. */
  readonly table: string;
}

/** The rules that a service had when it ran last, in a file: events of those that are gone since are to end. */
export class RuleMemory {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The rules that were kept last; none where there is no file, or one that cannot be read. */
  read(): readonly RulePlace[] {
    try {
      const places: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      return Array.isArray(places) ? places.filter(isPlace) : [];
    } catch {
      return [];
    }
  }

  /** Keeps the rules of now; without any there is no file. Throws when it cannot be written. */
  keep(rules: readonly Rule[]): void {
    if (rules.length === 0) {
      rmSync(this.#path, { force: true });
      return;
    }
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.new`;
    writeFileSync(draft, `${JSON.stringify(rules.map(placeOf))}\n`, { mode: 0o600 });
    renameSync(draft, this.#path);
  }
}

/** Where a rule looks. */
export function placeOf(rule: Rule): RulePlace {
  const { name, kind, database } = rule;
  return { name, kind, database, table: rule.kind === 'query' ? '' : rule.table };
}

/** Context in which open events of rules that are gone are ended. */
export interface OrphanContext {
  readonly store: Pick<EventsStore, 'open'>;
  readonly recorder: Pick<EventRecorder, 'add'>;
  readonly memory: Pick<RuleMemory, 'keep'>;
  readonly log: ComponentLog;
}

/**
 * Ends the open events of rules that were there `before` and are gone, as nothing would ever find that their condition does not
 * hold any more. Then keeps the rules of now. Never rejects: what could not be ended or kept is left to the next start.
 */
export async function endOrphans(
  { store, recorder, memory, log }: OrphanContext,
  before: readonly RulePlace[],
  rules: readonly Rule[],
): Promise<void> {
  const places = rules.map(placeOf);
  const gone = before.filter((place) => !places.some((other) => isSamePlace(place, other)));
  const at = Date.now();
  try {
    const names = gone.map(({ name }) => name);
    for (const { slot, source } of names.length === 0 ? [] : await store.open(names, maxClosed)) {
      if (source !== 'rule') continue;
      const operation = { op: 'clear', key: randomUUID(), slot, at, time: at } as const;
      recorder.add(async () => [operation]);
    }
    memory.keep(rules);
  } catch (error) {
    log.warn({ error: reasonOf(error) }, 'Events of rules that are gone may stay open; the next start looks again.');
  }
}

/** True when events of one rule go on under the other. */
function isSamePlace(one: RulePlace, other: RulePlace): boolean {
  const { name, kind, database, table } = other;
  return one.name === name && one.kind === kind && one.database === database && one.table === table;
}

function isPlace(value: unknown): value is RulePlace {
  if (typeof value !== 'object' || value === null) return false;
  return ['name', 'kind', 'database', 'table'].every((key) => typeof Reflect.get(value, key) === 'string');
}
