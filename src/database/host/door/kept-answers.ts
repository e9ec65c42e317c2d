import { detached } from '../../../async/detached.js';
import { insertedTable } from './inserted-table.js';

/** Memory for all answers, and the longest that is kept. */
const [keptBytes, longestBytes] = [8 * 1024 * 1024, 1024 * 1024];
/** Each change looks through so many texts. */
const mostAnswers = 1_000;
/** Between two looks whether changes are still being made. */
const lookAgainMs = 1_000;
/**
 * What gives another result the next time although nothing has changed; of the engine's own tables nobody knows, and `merge` reads tables that the
 * text does not name.
 */
const unsteady = /\b(?:(?:rand|now|generate|sleep)\w*|today|yesterday|uptime|merge)\(/i;
const readsSystem = /\bsystem\./i;
/** Changes that are over with their statement, however that ends. */
const endsAtOnce = /^\s*(?:insert|create)\s/i;
/** How many changes the engine is still making. */
const unfinishedChanges = 'SELECT count() FROM system.mutations WHERE NOT is_done';

interface Answer {
  /** Undefined while the statement runs. */
  bytes: Buffer | undefined;
}

/** A statement that changes something: a table of this name, or undefined for anything. */
interface Change {
  readonly table: string | undefined;
}

/**
 * The last short answers, kept by the texts of their statements until a statement changes a table that the text names. Every statement of an
 * engine goes through its host, so an answer is what the engine would give. See docs/decisions/041-kept-answers.md.
 */
export class KeptAnswers {
  readonly #ask: (statement: string) => Promise<string>;
  /** The one used last stands last. */
  readonly #answers = new Map<string, Answer>();
  #bytes = 0;
  readonly #changes = new Set<Change>();
  /** False while the engine may be making changes whose statements have ended, also those from before its start. */
  #isSettled = false;
  /** How often that began. */
  #unsettled = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `ask` gives the text of a short result of the engine. */
  constructor(ask: (statement: string) => Promise<string>) {
    this.#ask = ask;
  }

  /** The answer to a statement that only reads: one that is kept, or what `run` gives for it, where it is not broken off. Rejects as `run` does. */
  async answer(
    statement: string,
    run: (statement: string) => Promise<Buffer | undefined>,
  ): Promise<Buffer | undefined> {
    const kept = this.#answers.get(statement);
    if (kept?.bytes !== undefined) {
      this.#answers.delete(statement);
      this.#answers.set(statement, kept);
      return kept.bytes;
    }
    if (!this.#mayKeep(statement)) return run(statement);
    const answer: Answer = { bytes: undefined };
    this.#answers.set(statement, answer);
    try {
      const bytes = await run(statement);
      if (bytes !== undefined && this.#answers.get(statement) === answer) this.#keep(answer, bytes, statement);
      return bytes;
    } finally {
      if (answer.bytes === undefined && this.#answers.get(statement) === answer) this.#answers.delete(statement);
    }
  }

  /** Runs a statement that changes something: from its beginning to its end no answer that it may change is kept. */
  async changedBy<T>(statement: string, run: () => Promise<T>): Promise<T> {
    const change: Change = { table: insertedTable(statement)?.table };
    if (!endsAtOnce.test(statement)) this.#unsettle();
    this.#changes.add(change);
    for (const text of this.#answers.keys()) if (mayChange(change, text)) this.#drop(text);
    try {
      return await run();
    } finally {
      this.#changes.delete(change);
    }
  }

  #mayKeep(statement: string): boolean {
    if (!this.#isSettled) detached(this.#look());
    if (!this.#isSettled || unsteady.test(statement) || readsSystem.test(statement)) return false;
    for (const change of this.#changes) if (mayChange(change, statement)) return false;
    return true;
  }

  #keep(answer: Answer, bytes: Buffer, statement: string): void {
    if (bytes.length > longestBytes) return;
    answer.bytes = bytes;
    this.#bytes += sizeOf(statement, bytes);
    for (const text of this.#answers.keys()) {
      if (this.#bytes <= keptBytes && this.#answers.size <= mostAnswers) break;
      this.#drop(text);
    }
  }

  #drop(statement: string): void {
    const bytes = this.#answers.get(statement)?.bytes;
    if (bytes !== undefined) this.#bytes -= sizeOf(statement, bytes);
    this.#answers.delete(statement);
  }

  #unsettle(): void {
    this.#isSettled = false;
    this.#unsettled++;
  }

  /** A change may go on behind its statement, when that was broken off. */
  async #look(): Promise<void> {
    if (performance.now() - this.#lookedAt < lookAgainMs || this.#changes.size > 0) return;
    this.#lookedAt = performance.now();
    const before = this.#unsettled;
    const unfinished = await this.#ask(unfinishedChanges).catch(() => '');
    if (unfinished === '0' && before === this.#unsettled) this.#isSettled = true;
  }
}

function mayChange({ table }: Change, statement: string): boolean {
  return table === undefined || statement.includes(table);
}

function sizeOf(statement: string, answer: Buffer): number {
  return statement.length + answer.length;
}
