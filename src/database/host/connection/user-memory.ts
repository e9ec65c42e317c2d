import { detached } from '../../../async/detached.js';
import { EngineException } from './exception.js';

/** Between two looks at what statements hold; one that is over sooner is not looked at. */
const lookMs = 250;

/** A statement of a user, as long as it runs. */
interface Held {
  readonly user: string;
  readonly began: number;
  readonly breakOff: (why: EngineException) => void;
  isBrokenOff: boolean;
}

/**
 * Keeps the statements of each user together within a limit of memory. The engine itself knows one user only. While statements hold
 * more than the limit, the one that holds most of it is broken off.
 */
export class UserMemory {
  readonly #limitBytes: number;
  readonly #ask: (sql: string) => Promise<string>;
  readonly #held = new Map<string, Held>();
  #timer: NodeJS.Timeout | undefined;

  /** `ask` gives the text of a short result of the engine. */
  constructor(limitBytes: number, ask: (sql: string) => Promise<string>) {
    this.#limitBytes = limitBytes;
    this.#ask = ask;
  }

  /** Counts a statement, which begins with this tag, as one of its user until the returned function is called. */
  count(user: string, tag: string, breakOff: Held['breakOff']): () => void {
    const key = tag.trim();
    this.#held.set(key, { user, began: performance.now(), breakOff, isBrokenOff: false });
    this.#lookSoon();
    return () => {
      this.#held.delete(key);
    };
  }

  /** Looks at nothing any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#held.clear();
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => detached(this.#look()), lookMs).unref();
  }

  async #look(): Promise<void> {
    const [oldest] = this.#held.values();
    if (oldest !== undefined && performance.now() - oldest.began >= lookMs) {
      // An engine that does not answer is noticed elsewhere.
      const text = await this.#ask(memoryOfStatements).catch(() => '');
      this.#judge(new Map(text.split('\n').map((line) => pairOf(line))));
    }
    this.#timer = undefined;
    if (this.#held.size > 0) this.#lookSoon();
  }

  #judge(bytes: ReadonlyMap<string, number>): void {
    const users = new Map<string, { sum: number; most: Held; mostBytes: number }>();
    for (const [tag, held] of this.#held) {
      const own = bytes.get(tag);
      if (own === undefined || held.isBrokenOff) continue;
      const known = users.get(held.user);
      const isMost = known === undefined || own > known.mostBytes;
      const { most, mostBytes } = isMost ? { most: held, mostBytes: own } : known;
      users.set(held.user, { sum: own + (known?.sum ?? 0), most, mostBytes });
    }
    for (const { sum, most } of users.values()) {
      if (sum <= this.#limitBytes) continue;
      most.isBrokenOff = true;
      most.breakOff(tooMuch(sum, this.#limitBytes));
    }
  }
}

/** Tags, without blanks around them, and bytes. */
const memoryOfStatements = `SELECT substring(query, 1, position(query, '*/') + 1), memory_usage FROM system.processes WHERE query LIKE '/* sluice:%'`;

function pairOf(line: string): readonly [tag: string, bytes: number] {
  const [tag = '', bytes = ''] = line.split('\t');
  return [tag, Number(bytes)];
}

function tooMuch(sum: number, limit: number): EngineException {
  const text = `User memory limit exceeded: the statements hold ${sum} bytes, maximum: ${limit}`;
  return new EngineException(241, 'MEMORY_LIMIT_EXCEEDED', text);
}
