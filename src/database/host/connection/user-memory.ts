import { detached } from '../../../async/detached.js';
import { EngineException } from './exception.js';

/** Time between two checks of memory; a statement that ends sooner is not checked. */
const checkIntervalMs = 250;

/** A running statement of a user. */
interface RunningStatement {
  readonly user: string;
  readonly began: number;
  readonly cancel: (why: EngineException) => void;
  isCancelled: boolean;
}

/**
 * Limits the memory of all statements of each user. The engine itself knows one user only. While the statements of a
 * user exceed the limit, the largest one is cancelled.
 */
export class UserMemory {
  readonly #limitBytes: number;
  readonly #query: (sql: string) => Promise<string>;
  readonly #running = new Map<string, RunningStatement>();
  #timer: NodeJS.Timeout | undefined;

  /** `query` returns the text of a short result of the engine. */
  constructor(limitBytes: number, query: (sql: string) => Promise<string>) {
    this.#limitBytes = limitBytes;
    this.#query = query;
  }

  /** Counts a statement, which begins with this tag, as one of its user until the returned function is called. */
  count(user: string, tag: string, breakOff: RunningStatement['cancel']): () => void {
    const key = tag.trim();
    this.#running.set(key, { user, began: performance.now(), cancel: breakOff, isCancelled: false });
    this.#scheduleCheck();
    return () => {
      this.#running.delete(key);
    };
  }

  /** Checks nothing from now on. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#running.clear();
  }

  #scheduleCheck(): void {
    this.#timer ??= setTimeout(() => detached(this.#check()), checkIntervalMs).unref();
  }

  async #check(): Promise<void> {
    const [oldest] = this.#running.values();
    if (oldest !== undefined && performance.now() - oldest.began >= checkIntervalMs) {
      // The heartbeat detects an engine that does not answer.
      const text = await this.#query(memoryOfStatements).catch(() => '');
      this.#cancelLargest(new Map(text.split('\n').map((line) => tagAndBytes(line))));
    }
    this.#timer = undefined;
    if (this.#running.size > 0) this.#scheduleCheck();
  }

  #cancelLargest(bytes: ReadonlyMap<string, number>): void {
    const users = new Map<string, { sum: number; most: RunningStatement; mostBytes: number }>();
    for (const [tag, statement] of this.#running) {
      const own = bytes.get(tag);
      if (own === undefined || statement.isCancelled) continue;
      const known = users.get(statement.user);
      const isMost = known === undefined || own > known.mostBytes;
      const { most, mostBytes } = isMost ? { most: statement, mostBytes: own } : known;
      users.set(statement.user, { sum: own + (known?.sum ?? 0), most, mostBytes });
    }
    for (const { sum, most } of users.values()) {
      if (sum <= this.#limitBytes) continue;
      most.isCancelled = true;
      most.cancel(limitExceeded(sum, this.#limitBytes));
    }
  }
}

/** Tags, without blanks around them, and bytes. */
const memoryOfStatements = `SELECT substring(query, 1, position(query, '*/') + 1), memory_usage FROM system.processes WHERE query LIKE '/* sluice:%'`;

function tagAndBytes(line: string): readonly [tag: string, bytes: number] {
  const [tag = '', bytes = ''] = line.split('\t');
  return [tag, Number(bytes)];
}

function limitExceeded(sum: number, limit: number): EngineException {
  const text = `User memory limit exceeded: the statements hold ${sum} bytes, maximum: ${limit}`;
  return new EngineException(241, 'MEMORY_LIMIT_EXCEEDED', text);
}
