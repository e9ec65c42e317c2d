import { randomInt } from 'node:crypto';
import type { SubTable } from '../../model/schema.js';
import type { PointTable } from './point-table.js';

/** Series remembered before the dictionary starts anew, and bytes of their keys. */
export const defaultMaxSeries = 1_000_000;
/** Bytes of the keys that are remembered before all are forgotten. */
export const defaultMaxKeyBytes = 256 * 1024 * 1024;
/** Super tables remembered between two calls before they are forgotten. */
const maxTables = 16384;
/** Longest search for a key: bounds what keys that were chosen to collide can cost. Keys beyond it are not remembered. */
const maxProbes = 64;

/** 32-bit words of one series record. */
const recordWords = 8;
const keyStartAt = 0;
const keyLengthAt = 1;
const tableAt = 2;
const idLowAt = 3;
const idHighAt = 4;
const registeredAt = 5;
const blockAt = 6;
const nextAt = 7;

const initialSeries = 64;

/** One step of the hash of a series key: mixes in the next four bytes, first byte lowest. */
export function mixWord(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** Last step of the hash of a series key of `length` bytes. */
export function finishHash(hash: number, length: number): number {
  const mixed = Math.imul(hash ^ length, 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

/** Hash of the series key `bytes[start, end)`, over which `view` is, too: the steps above over its four-byte words, the last one filled up with zeros. */
export function hashKey(bytes: Uint8Array, view: DataView, start: number, end: number, seed: number): number {
  let value = seed;
  let at = start;
  for (; at + 4 <= end; at += 4) value = mixWord(value, view.getInt32(at, true));
  if (at < end) {
    let word = 0;
    for (let shift = 0; at < end; at++, shift += 8) word |= bytes[at]! << shift;
    value = mixWord(value, word);
  }
  return finishHash(value, end - start);
}

/**
 * What one database's line-protocol writes have in common: the series met so far, found by the raw bytes of measurement and tags as
 * they appear in the text, and the super tables they belong to. An open-addressing table over typed arrays, so that a
 * lookup allocates nothing. One per database in a process; parsers share it, one call at a time.
 *
 * It only saves work and may be emptied at any time. It must be emptied ({@link SeriesDictionary.clear}) when a sub-table or super table of
 * the database was dropped, because a sub-table made anew has another id.
 */
export class SeriesDictionary {
  /** Start value of the hash: differs per dictionary. */
  readonly seed = randomInt(0x7fffffff);
  readonly #maxSeries: number;
  readonly #maxKeyBytes: number;
  /** Identity of the database that the content is about. */
  #databaseId = '';
  #count = 0;
  /** Pairs of hash and series index plus one; 0 is an empty place. */
  #places = new Int32Array(initialSeries * 4);
  #placeMask = initialSeries * 2 - 1;
  #records = new Int32Array(initialSeries * recordWords);
  #keys = new Uint8Array(initialSeries * 64);
  #keyView = new DataView(this.#keys.buffer);
  #keyBytes = 0;
  readonly #subTables: SubTable[] = [];
  readonly #tables: PointTable[] = [];
  readonly #tableIndexes = new Map<string, number>();
  #blocks = 0;

  constructor(maxSeries = defaultMaxSeries, maxKeyBytes = defaultMaxKeyBytes) {
    this.#maxSeries = maxSeries;
    this.#maxKeyBytes = maxKeyBytes;
  }

  /** Series remembered. */
  get size(): number {
    return this.#count;
  }

  /** Bytes of the keys remembered. */
  get keyBytes(): number {
    return this.#keyBytes;
  }

  /** Forgets everything. Not to be called from within a parse. */
  clear(): void {
    this.#forgetSeries();
    this.#tables.length = 0;
    this.#tableIndexes.clear();
    this.#blocks = 0;
  }

  /** Called at the start of a parse: forgets what belongs to another database, and tables beyond the limit. */
  prepare(databaseId: string): void {
    // Block numbers are compared in 32-bit records and must not come round again.
    const exhausted = this.#tables.length > maxTables || this.#blocks > 0x70000000;
    if (databaseId !== this.#databaseId || exhausted) this.clear();
    this.#databaseId = databaseId;
  }

  /** Index of the series whose key is `bytes[start, end)` with hash `hash`, or -1. `view` is over the same bytes. */
  find(bytes: Uint8Array, view: DataView, start: number, end: number, hash: number): number {
    const places = this.#places;
    const mask = this.#placeMask;
    let place = hash & mask;
    for (let probe = 0; probe < maxProbes; probe++) {
      const entry = places[2 * place + 1]!;
      if (entry === 0) return -1;
      if (places[2 * place] === hash && this.keyLength(entry - 1) === end - start) {
        if (this.hasPart(entry - 1, 0, bytes, view, start, end - start)) return entry - 1;
      }
      place = (place + 1) & mask;
    }
    return -1;
  }

  /**
   * Remembers a series. Returns its index, or -1 when it cannot be remembered because too many keys collide with it. When
   * a limit is reached, all series are forgotten first.
   */
  add(bytes: Uint8Array, start: number, end: number, hash: number, tableIndex: number, subTable: SubTable): number {
    if (this.#count >= this.#maxSeries || this.#keyBytes + end - start > this.#maxKeyBytes) this.#forgetSeries();
    if ((this.#count + 1) * 2 > this.#placeMask) this.#grow();
    if (!this.#place(hash, this.#count)) return -1;
    const series = this.#count++;
    this.#reserveKey(end - start);
    this.#keys.set(bytes.subarray(start, end), this.#keyBytes);
    const at = series * recordWords;
    const records = this.#records;
    records[at + keyStartAt] = this.#keyBytes;
    records[at + keyLengthAt] = end - start;
    records[at + tableAt] = tableIndex;
    records[at + idLowAt] = Number(BigInt.asIntN(32, subTable.id));
    records[at + idHighAt] = Number(BigInt.asIntN(32, subTable.id >> 32n));
    records[at + registeredAt] = 0;
    records[at + blockAt] = 0;
    records[at + nextAt] = 0;
    this.#keyBytes += end - start;
    this.#subTables.push(subTable);
    return series;
  }

  subTable(series: number): SubTable {
    return this.#subTables[series]!;
  }

  tableOf(series: number): PointTable {
    return this.#tables[this.#records[series * recordWords + tableAt]!]!;
  }

  /** Low and high words of the sub-table's id, as signed 32-bit numbers. */
  idLow(series: number): number {
    return this.#records[series * recordWords + idLowAt]!;
  }

  idHigh(series: number): number {
    return this.#records[series * recordWords + idHighAt]!;
  }

  /** True when the block numbered `block` need not be told about the series: it is registered, or the block carries it. */
  isAnnounced(series: number, block: number): boolean {
    const at = series * recordWords;
    if (this.#records[at + registeredAt] === 1 || this.#records[at + blockAt] === block) return true;
    if (!this.#subTables[series]!.registered) return false;
    this.#records[at + registeredAt] = 1;
    return true;
  }

  /** Notes that the block numbered `block` carries the series. */
  setAnnounced(series: number, block: number): void {
    this.#records[series * recordWords + blockAt] = block;
  }

  /** The series that came behind `series` when that was noted last; -1 when it never was. */
  next(series: number): number {
    return this.#records[series * recordWords + nextAt]! - 1;
  }

  /** Notes that `next` came behind `series`. Senders repeat their series in the same order, so it will probably come again. */
  setNext(series: number, next: number): void {
    this.#records[series * recordWords + nextAt] = next + 1;
  }

  /** Bytes of the key of a series. */
  keyLength(series: number): number {
    return this.#records[series * recordWords + keyLengthAt]!;
  }

  /**
   * True when the key of a series has, from its byte `from` on, the same `length` bytes as `bytes` has from `start` on. Both must
   * have that many; `view` is over the same bytes.
   */
  hasPart(series: number, from: number, bytes: Uint8Array, view: DataView, start: number, length: number): boolean {
    const keyStart = this.#records[series * recordWords + keyStartAt]! + from;
    const keyView = this.#keyView;
    let i = 0;
    for (; i + 4 <= length; i += 4) {
      if (keyView.getInt32(keyStart + i, true) !== view.getInt32(start + i, true)) return false;
    }
    const keys = this.#keys;
    for (; i < length; i++) if (keys[keyStart + i] !== bytes[start + i]) return false;
    return true;
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

  /** Index of a table for {@link SeriesDictionary.add}; remembers the table when it is new. */
  tableIndex(table: PointTable): number {
    const known = this.#tableIndexes.get(table.name);
    if (known !== undefined) return known;
    this.#tableIndexes.set(table.name, this.#tables.length);
    return this.#tables.push(table) - 1;
  }

  /** Puts a series into the first free place for its hash; false when there is none near enough. */
  #place(hash: number, series: number): boolean {
    let place = hash & this.#placeMask;
    for (let probe = 0; probe < maxProbes; probe++) {
      if (this.#places[2 * place + 1] === 0) {
        this.#places[2 * place] = hash;
        this.#places[2 * place + 1] = series + 1;
        return true;
      }
      place = (place + 1) & this.#placeMask;
    }
    return false;
  }

  #grow(): void {
    const old = this.#places;
    this.#places = new Int32Array(old.length * 2);
    this.#placeMask = this.#places.length / 2 - 1;
    // A series that finds no place near enough is never found again; it will be met as new and added once more.
    for (let i = 0; i < old.length; i += 2) if (old[i + 1] !== 0) this.#place(old[i]!, old[i + 1]! - 1);
    const records = new Int32Array((this.#places.length / 4) * recordWords);
    records.set(this.#records.subarray(0, this.#count * recordWords));
    this.#records = records;
  }

  #reserveKey(length: number): void {
    const need = this.#keyBytes + length;
    if (need <= this.#keys.length) return;
    const keys = new Uint8Array(Math.max(need, this.#keys.length * 2));
    keys.set(this.#keys.subarray(0, this.#keyBytes));
    this.#keys = keys;
    this.#keyView = new DataView(keys.buffer);
  }

  #forgetSeries(): void {
    this.#count = 0;
    this.#keyBytes = 0;
    this.#subTables.length = 0;
    this.#places = new Int32Array(initialSeries * 4);
    this.#placeMask = initialSeries * 2 - 1;
    this.#records = new Int32Array(initialSeries * recordWords);
    this.#keys = new Uint8Array(initialSeries * 64);
    this.#keyView = new DataView(this.#keys.buffer);
  }
}
