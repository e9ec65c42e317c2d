import { KeyTable } from '../../bytes/key-table.js';
import type { SubTable } from '../../model/schema.js';
import type { PointTable } from './point-table.js';

/** Series remembered before the dictionary starts anew, and bytes of their keys. */
export const defaultMaxSeries = 1_000_000;
/** Bytes of the keys that are remembered before all are forgotten. */
export const defaultMaxKeyBytes = 256 * 1024 * 1024;
/** Super tables remembered between two calls before they are forgotten. */
const maxTables = 16384;
/**
 * Words kept with a series: its table, the words of its id, whether it is registered, the last block that carries it,
 * and the series after it.
 */
const tableAt = 0;
const idLowAt = 1;
const idHighAt = 2;
const registeredAt = 3;
const blockAt = 4;
const nextAt = 5;
const words = 6;

/**
 * State that one database's line-protocol writes share: the series met so far, found by the raw bytes of measurement
 * and tags as they appear in the text, and the super tables they belong to. A lookup allocates nothing. One per
 * database in a process; parsers share it, one call at a time.
 *
 * It only saves work and may be emptied at any time. It must be emptied ({@link SeriesDictionary.clear}) when a
 * sub-table or super table of the database was dropped, because a sub-table made anew has another id.
 */
export class SeriesDictionary {
  readonly #keys = new KeyTable(words);
  readonly #maxSeries: number;
  readonly #maxKeyBytes: number;
  /** Identity of the database that the content is about. */
  #databaseId = '';
  readonly #subTables: SubTable[] = [];
  readonly #tables: PointTable[] = [];
  readonly #tableIndexes = new Map<string, number>();
  #blocks = 0;
  #isExpired = false;

  constructor(maxSeries = defaultMaxSeries, maxKeyBytes = defaultMaxKeyBytes) {
    this.#maxSeries = maxSeries;
    this.#maxKeyBytes = maxKeyBytes;
  }

  /** Start value of the hash of a key: differs per dictionary. */
  get seed(): number {
    return this.#keys.seed;
  }

  /** Series remembered. */
  get size(): number {
    return this.#keys.size;
  }

  /** Bytes of the keys remembered. */
  get keyBytes(): number {
    return this.#keys.keyBytes;
  }

  /** Forgets everything. Not to be called from within a parse. */
  clear(): void {
    this.#forgetSeries();
    this.#tables.length = 0;
    this.#tableIndexes.clear();
    this.#blocks = 0;
    this.#isExpired = false;
  }

  /** Lets everything be forgotten before the next parse. */
  expire(): void {
    this.#isExpired = true;
  }

  /** Called at the start of a parse: forgets what belongs to another database, and tables beyond the limit. */
  prepare(databaseId: string): void {
    // Block numbers are compared in 32-bit records and must not come round again.
    const exhausted = this.#isExpired || this.#tables.length > maxTables || this.#blocks > 0x70000000;
    if (databaseId !== this.#databaseId || exhausted) this.clear();
    this.#databaseId = databaseId;
  }

  /** Index of the series whose key is `bytes[start, end)` with hash `hash`, or -1. `view` is over the same bytes. */
  find(bytes: Uint8Array, view: DataView, start: number, end: number, hash: number): number {
    return this.#keys.find(bytes, view, start, end, hash);
  }

  /**
   * Remembers a series. Returns its index, or -1 when it cannot be remembered because too many keys collide with it.
   * When a limit is reached, all series are forgotten first.
   */
  add(bytes: Uint8Array, start: number, end: number, hash: number, tableIndex: number, subTable: SubTable): number {
    const keys = this.#keys;
    if (keys.size >= this.#maxSeries || keys.keyBytes + end - start > this.#maxKeyBytes) this.#forgetSeries();
    const series = keys.add(bytes, start, end, hash);
    if (series < 0) return -1;
    keys.setWord(series, tableAt, tableIndex);
    this.#setId(series, subTable);
    this.#subTables.push(subTable);
    return series;
  }

  #setId(series: number, { id }: SubTable): void {
    this.#keys.setWord(series, idLowAt, Number(BigInt.asIntN(32, id)));
    this.#keys.setWord(series, idHighAt, Number(BigInt.asIntN(32, id >> 32n)));
  }

  subTable(series: number): SubTable {
    return this.#subTables[series]!;
  }

  tableOf(series: number): PointTable {
    return this.#tables[this.#keys.word(series, tableAt)]!;
  }

  /** Low and high words of the sub-table's id, as signed 32-bit numbers. */
  idLow(series: number): number {
    return this.#keys.word(series, idLowAt);
  }

  idHigh(series: number): number {
    return this.#keys.word(series, idHighAt);
  }

  /** True when the block numbered `block` does not need the series: it is registered, or the block carries it. */
  isAnnounced(series: number, block: number): boolean {
    const keys = this.#keys;
    if (keys.word(series, registeredAt) === 1 || keys.word(series, blockAt) === block) return true;
    const subTable = this.#subTables[series]!;
    if (!subTable.registered) return false;
    if (subTable.madeAs !== undefined) this.#setId(series, subTable);
    keys.setWord(series, registeredAt, 1);
    return true;
  }

  /** Notes that the block numbered `block` carries the series. */
  setAnnounced(series: number, block: number): void {
    this.#keys.setWord(series, blockAt, block);
  }

  /** The series that came behind `series` when that was recorded last; -1 when it never was. */
  next(series: number): number {
    return this.#keys.word(series, nextAt) - 1;
  }

  /**
   * Notes that `next` came behind `series`. Senders repeat their series in the same order, so it will probably come
   * again.
   */
  setNext(series: number, next: number): void {
    this.#keys.setWord(series, nextAt, next + 1);
  }

  /** Bytes of the key of a series. */
  keyLength(series: number): number {
    return this.#keys.keyLength(series);
  }

  /** See {@link KeyTable.hasPart}. */
  hasPart(series: number, from: number, bytes: Uint8Array, view: DataView, start: number, length: number): boolean {
    return this.#keys.hasPart(series, from, bytes, view, start, length);
  }

  /** A number that no block of this dictionary had before. */
  nextBlock(): number {
    this.#blocks++;
    return this.#blocks;
  }

  table(name: string): PointTable | undefined {
    const index = this.#tableIndexes.get(name);
    return index === undefined ? undefined : this.#tables[index];
  }

  /**
   * Index of a table for {@link SeriesDictionary.add}; remembers the table when it is new. Series that were remembered
   * with another one of that name keep theirs.
   */
  tableIndex(table: PointTable): number {
    const known = this.#tableIndexes.get(table.name);
    if (known !== undefined && this.#tables[known] === table) return known;
    this.#tableIndexes.set(table.name, this.#tables.length);
    return this.#tables.push(table) - 1;
  }

  #forgetSeries(): void {
    this.#keys.clear();
    this.#subTables.length = 0;
  }
}
