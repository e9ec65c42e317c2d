import { Codes, type Fault, fault } from '../../model/fault.js';
import { named, refusals } from '../../model/refusals.js';
import type { TopicDef } from '../../model/topic.js';
import type { LogEntry, TableChange, TopicOperation } from './operations.js';

/** The part of the catalogue's fold that is about topics. */
export class Topics {
  readonly #topics = new Map<string, TopicDef>();
  /** Users with the right to consume, by topic. */
  readonly #subscribers = new Map<string, Set<string>>();

  topic(name: string): TopicDef | undefined {
    return this.#topics.get(name);
  }

  all(): readonly TopicDef[] {
    return [...this.#topics.values()];
  }

  isGranted(topic: string, user: string): boolean {
    return this.#subscribers.get(topic)?.has(user) ?? false;
  }

  /** Names of the topics that a user was given the right to consume. */
  grantedTo(user: string): readonly string[] {
    return [...this.#subscribers].flatMap(([topic, users]) => (users.has(user) ? [topic] : []));
  }

  apply(operation: TopicOperation, { position, at }: LogEntry, index: number): Fault | undefined {
    const { name } = operation;
    if (operation.op === 'create-topic') {
      if (this.#topics.has(name)) return fault('database', Codes.topicAlreadyExists, 'Topic already exists');
      const { op: _, ...topic } = operation;
      this.#topics.set(name, { ...topic, id: `t${position}_${index}`, created: at });
      return undefined;
    }
    if (!this.#topics.has(name)) return named(refusals.topicNotExist, name);
    if (operation.op === 'drop-topic') {
      this.#topics.delete(name);
      this.#subscribers.delete(name);
      return undefined;
    }
    const users = this.#subscribers.get(name) ?? new Set();
    if (operation.op === 'grant-topic') this.#subscribers.set(name, users.add(operation.user));
    else users.delete(operation.user);
    return undefined;
  }

  forgetUser(name: string): void {
    for (const users of this.#subscribers.values()) users.delete(name);
  }

  /** Why a database cannot be dropped; undefined when no topic delivers anything of it. */
  keepsDatabase(database: string): Fault | undefined {
    return dropFirst(this.all().filter((topic) => topic.database === database));
  }

  /** Why a super table or normal table cannot be dropped. */
  keepsTable(database: string, table: string): Fault | undefined {
    return dropFirst(this.#over(database, table));
  }

  /** Why a column or tag cannot be dropped or given another name or type. */
  keepsColumn(database: string, table: string, change: TableChange): Fault | undefined {
    const name = changedColumn(change);
    const isUsed = this.#over(database, table).some(
      ({ source }) => source.kind !== 'database' && source.columns.some((column) => column === name),
    );
    return isUsed ? fault('database', Codes.fieldUsedByTopic, 'Field used by topic') : undefined;
  }

  #over(database: string, table: string): readonly TopicDef[] {
    return this.all().filter(
      ({ database: own, source }) => own === database && source.kind !== 'database' && source.parent === table,
    );
  }
}

function changedColumn(change: TableChange): string | undefined {
  switch (change.kind) {
    case 'drop-column':
    case 'drop-tag':
      return change.name;
    case 'rename-column':
    case 'rename-tag':
      return change.from;
    case 'modify-column':
    case 'modify-tag':
      return change.column.name;
    default:
      return undefined;
  }
}

/** The fault that names the topics that stand in the way; undefined when there are none. */
function dropFirst(topics: readonly TopicDef[]): Fault | undefined {
  const [first] = topics;
  if (first === undefined) return undefined;
  const others = topics.length > 1 ? `, and ${topics.length - 1} more in SHOW TOPICS` : '';
  return fault('database', Codes.topicDropFirst, `Topic must be dropped first: ${first.name}${others}`);
}
