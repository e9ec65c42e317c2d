import type { Insert } from '../../engine/request.js';

/** Text result of a statement. */
type RunQuery = (sql: string) => Promise<string>;

const failedWritesQuery = "SELECT value FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'";
const tornPartsQuery =
  "SELECT database, table, count() FROM system.detached_parts WHERE reason = 'broken-on-start' GROUP BY ALL FORMAT TSV";

/**
 * Detects failed writes to files, as on a full disk. The engine only counts them: an insert or a merge succeeds
 * although its files are torn. The next start of the engine checks the lengths of files, detaches torn parts, and uses
 * the parts that a torn merge has replaced, which stay for `replacedPartsSeconds`. So the process must end before
 * anything uses a torn file. See docs/decisions/046-failed-writes.md.
 */
export class FailedWrites {
  readonly #failed: () => void;
  #before = 0;
  /** Number of torn parts that the engine has detached at its starts, by table. */
  readonly #torn = new Map<string, string>();

  /** `failed` is called as soon as a failed write is detected, and should not return. */
  constructor(failed: () => void) {
    this.#failed = failed;
  }

  /** Call it once the engine has started; the start has handled earlier failures. */
  async begin(query: RunQuery): Promise<void> {
    this.#before = Number(await query(failedWritesQuery));
    for (const line of (await query(tornPartsQuery)).split('\n')) {
      const [database, table, count = ''] = line.split('\t');
      if (table !== undefined) this.#torn.set(`${database}.${table}`, count);
    }
  }

  /** Call it before the response to a change, and regularly for merges. */
  async check(query: RunQuery): Promise<void> {
    if (Number(await query(failedWritesQuery)) > this.#before) this.#failed();
  }

  /**
   * The INSERT to run. The engine may still know a detached part by the deduplication token of its insert, and would
   * drop a retry as a duplicate. So inserts into such a table get other tokens.
   */
  renamed(insert: Insert): Insert {
    const count = this.#torn.get(insert.table);
    return count === undefined || insert.token === undefined
      ? insert
      : { ...insert, token: `${count}-${insert.token}` };
  }
}
