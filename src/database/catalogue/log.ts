import { randomUUID } from 'node:crypto';
import { Codes, type Fault } from '../../model/fault.js';
import { printExpr } from '../../sql/engine/print.js';
import { raiseIf } from '../../sql/engine/raise.js';
import { expr } from '../../sql/engine/template.js';
import type { Engine, TableAccess } from '../engine/engine.js';
import { countEntries, grownText, logTable } from '../engine/log-table.js';
import { insertNumbers, OwnTables } from '../engine/own-tables.js';
import type { LogEntry, Operation } from './operations.js';

const create = [{ table: logTable, definition: `(entry String) ENGINE = MergeTree ORDER BY tuple() ${insertNumbers}` }];

/**
 * Engine SQL: a condition that holds while the log has just these entries, and else ends its statement; see {@link
 * isGrown}.
 */
export function logHas(entries: number): string {
  const check = raiseIf(expr`count() != ${entries}`, Codes.free, grownText);
  return `(SELECT ${printExpr(check)} FROM ${logTable}) = 0`;
}

/** True when a statement did nothing because the log has other entries than its caller expected. */
export function isGrown({ message }: Fault): boolean {
  return message === grownText;
}

/**
 * The catalogue's log in the engine: entries in one order that is the same for every process, whatever their clocks
 * say.
 */
export interface CatalogueLog {
  /**
   * Appends operations as one entry and gives the entry's key; `written` is who and when of an entry that another log
   * has.
   */
  append(operations: readonly Operation[], written?: Pick<LogEntry, 'key' | 'at'>): Promise<string>;
  /**
   * How many entries there are: the cheapest way to see that nothing was appended. Makes the log where it is missing.
   */
  count(): Promise<number>;
  /** Entries after a position, in order; makes the log where it is missing. */
  read(after: number): Promise<readonly LogEntry[]>;
}

/** A key that no other entry has, and the time. */
export function written(): Pick<LogEntry, 'key' | 'at'> {
  return { key: randomUUID(), at: Date.now() };
}

/** An entry as it is written down. */
export function entryText({ key, at, operations }: Omit<LogEntry, 'position'>): string {
  return JSON.stringify({ key, at, operations });
}

/** Reads an entry that {@link entryText} has written. */
export function readEntry(position: number, text: string): LogEntry {
  const entry: Omit<LogEntry, 'position'> = JSON.parse(text);
  return { ...entry, position };
}

/**
 * The log as a table of one engine. Entries are ordered by the number the engine gives to each insert when it commits
 * it, which survives merges.
 */
export class TableLog implements CatalogueLog {
  readonly #engine: TableAccess;
  readonly #tables: OwnTables;

  constructor(engine: Engine) {
    this.#engine = engine.log;
    this.#tables = new OwnTables(engine, create, engine.log);
  }

  async append(operations: readonly Operation[], { key, at } = written()): Promise<string> {
    await this.#tables.insert('catalogue', [{ entry: entryText({ key, at, operations }) }]);
    return key;
  }

  /** The engine knows it without reading any. */
  async count(): Promise<number> {
    await this.#tables.prepare();
    const [row] = await this.#engine.rows(countEntries, [logTable]);
    return Number(row?.[0]);
  }

  async read(after: number): Promise<readonly LogEntry[]> {
    await this.#tables.prepare();
    const rows = await this.#engine.rows(
      `SELECT toString(_block_number), entry FROM ${logTable} WHERE _block_number > ${after} ORDER BY _block_number, _block_offset`,
    );
    return rows.map(([position, text]) => readEntry(Number(position), String(text)));
  }
}
