import { insertedTable } from './inserted-table.js';

/** Text result of a statement. */
type Ask = (sql: string) => Promise<string>;

const failed = "SELECT value FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'";
const torn =
  "SELECT database, table, count() FROM system.detached_parts WHERE reason = 'broken-on-start' GROUP BY ALL FORMAT TSV";
const tokenName = "insert_deduplication_token = '";

/**
 * Watches for writes to files that failed, as on a full disk. The engine counts them and says nothing: it takes the file for whole, and an insert or a
 * merge ends well that has left torn files. Only its next start compares files with their lengths, leaves torn parts out, and takes the parts that
 * a torn merge has replaced, which it keeps for a while (`replacedPartsSeconds`). So the process must end before anything relies on such a file.
 */
export class FailedWrites {
  readonly #failed: () => void;
  #before = 0;
  /** Torn parts that the engine has left out at its starts, by table. */
  readonly #torn = new Map<string, string>();

  /** `failed` is called as soon as a failed write is noticed, and should not return. */
  constructor(failed: () => void) {
    this.#failed = failed;
  }

  /** To be called once the engine has started: what failed before has been found by the start. */
  async begin(ask: Ask): Promise<void> {
    this.#before = Number(await ask(failed));
    for (const line of (await ask(torn)).split('\n')) {
      const [database, table, count = ''] = line.split('\t');
      if (table !== undefined) this.#torn.set(`${database}.${table}`, count);
    }
  }

  /** To be called before a change is answered, and now and then for merges. */
  async look(ask: Ask): Promise<void> {
    if (Number(await ask(failed)) > this.#before) this.#failed();
  }

  /**
   * An INSERT as it is to be run. A part that was left out may be known to the engine by the name of its insert, and what is sent again
   * under that name would be taken for a copy: so inserts into its table get other names.
   */
  renamed(insert: string): string {
    if (this.#torn.size === 0) return insert;
    const { database, table } = insertedTable(insert) ?? {};
    const count = this.#torn.get(`${database}.${table}`);
    return count === undefined ? insert : insert.replace(tokenName, `${tokenName}${count}-`);
  }
}
