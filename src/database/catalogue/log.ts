import { randomUUID } from 'node:crypto';
import type { Engine } from '../engine.js';
import type { LogEntry, Operation } from './operations.js';

const create = [
  'CREATE DATABASE IF NOT EXISTS sluice',
  `CREATE TABLE IF NOT EXISTS sluice.catalogue (entry String) ENGINE = MergeTree ORDER BY tuple()
   SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1`,
];

/** A query of one number: the position of the last entry. */
export const lastPosition = 'SELECT max(_block_number) FROM sluice.catalogue';

/**
 * The catalogue's log in the engine. Entries are ordered by the number the engine gives to each insert when it commits
 * it, which survives merges: that order is the same for every process, whatever their clocks say.
 */
export class CatalogueLog {
  readonly #engine: Engine;
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Creates the log where it is missing. */
  async prepare(): Promise<void> {
    for (const statement of create) await this.#engine.exec(statement);
  }

  /** Appends operations as one entry and gives the entry's key. */
  async append(operations: readonly Operation[]): Promise<string> {
    const key = randomUUID();
    const entry = JSON.stringify({ key, at: Date.now(), operations });
    const row = `${JSON.stringify({ entry })}\n`;
    await this.#engine.insert('INSERT INTO sluice.catalogue FORMAT JSONEachRow', Buffer.from(row));
    return key;
  }

  /** Entries after a position, in order. */
  async read(after: number): Promise<readonly LogEntry[]> {
    const rows = await this.#engine.rows(
      `SELECT toString(_block_number), entry FROM sluice.catalogue WHERE _block_number > ${after} ORDER BY _block_number, _block_offset`,
    );
    return rows.map(([position, text]) => {
      const entry: Omit<LogEntry, 'position'> = JSON.parse(String(text));
      return { ...entry, position: Number(position) };
    });
  }
}
