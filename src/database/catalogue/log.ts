import { randomUUID } from 'node:crypto';
import { Codes, type Fault } from '../../model/fault.js';
import { raiseIf } from '../../sql/print/raise.js';
import type { Engine } from '../engine.js';
import { countEntries, grownText, logTable } from '../log-table.js';
import { insertNumbers, OwnTables } from '../own-tables.js';
import type { LogEntry, Operation } from './operations.js';

const create = [
  `CREATE TABLE IF NOT EXISTS ${logTable} (entry String) ENGINE = MergeTree ORDER BY tuple() ${insertNumbers}`,
];

/** A query of one number: the position of the last entry. */
export const lastPosition = `SELECT max(_block_number) FROM ${logTable}`;

/** Engine SQL: a condition that holds while the log has just these entries, and else ends its statement; see {@link isGrown}. */
export function logHas(entries: number): string {
  return `(SELECT ${raiseIf(`count() != ${entries}`, Codes.free, grownText)} FROM ${logTable}) = 0`;
}

/** True when a statement did nothing because the log has other entries than it was said to have. */
export function isGrown({ message }: Fault): boolean {
  return message === grownText;
}

/**
 * The catalogue's log in the engine. Entries are ordered by the number the engine gives to each insert when it commits
 * it, which survives merges: that order is the same for every process, whatever their clocks say.
 */
export class CatalogueLog {
  readonly #engine: Engine;
  readonly #tables: OwnTables;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#tables = new OwnTables(engine, create);
  }

  /** Appends operations as one entry and gives the entry's key. */
  async append(operations: readonly Operation[]): Promise<string> {
    const key = randomUUID();
    const entry = JSON.stringify({ key, at: Date.now(), operations });
    await this.#tables.insert('catalogue', [{ entry }]);
    return key;
  }

  /**
   * How many entries there are, which the engine knows without reading any: the cheapest way to see that nothing was
   * appended. Makes the log where it is missing.
   */
  async count(): Promise<number> {
    await this.#tables.prepare();
    const [row] = await this.#engine.rows(countEntries);
    return Number(row?.[0]);
  }

  /** Entries after a position, in order; makes the log where it is missing. */
  async read(after: number): Promise<readonly LogEntry[]> {
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT toString(_block_number), entry FROM ${logTable} WHERE _block_number > ${after} ORDER BY _block_number, _block_offset`,
    );
    return rows.map(([position, text]) => {
      const entry: Omit<LogEntry, 'position'> = JSON.parse(String(text));
      return { ...entry, position: Number(position) };
    });
  }
}
