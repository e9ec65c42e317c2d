import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Codes, FaultError, fault } from '../../model/fault.js';
import type { Engine, TableAccess } from '../engine/engine.js';
import { countEntries, logTable } from '../engine/log-table.js';
import { type CatalogueLog, entryText, readEntry, written } from './log.js';
import type { LogEntry, Operation } from './operations.js';

/** A keeper takes values of up to 1 MB; what is longer than this is compressed, and begins with the letter. */
const plainBytes = 64 * 1024;
const compressed = 'z';
/** Entries in one question. */
const entriesPerQuery = 1_000;
/** How often an append that others overtook is tried again. */
const maxAttempts = 200;

/** The engine gives up soon when its keeper is away, because callers wait for the catalogue meanwhile. */
const keeperSettings = 'keeper_max_retries = 2, keeper_retry_max_backoff_ms = 500';
const appendSettings = `keeper_map_strict_mode = 1, insert_keeper_max_retries = 2, insert_keeper_retry_max_backoff_ms = 500`;

/**
 * The log in a keeper, which all nodes of a cluster share: one key for each position, counted from 1 without gaps. A
 * key that is there is refused, so an append succeeds only on top of all entries that there are; see
 * docs/decisions/026-cluster-layout.md.
 */
export class KeeperLog implements CatalogueLog {
  readonly #engine: TableAccess;

  constructor(engine: Engine) {
    this.#engine = engine.log;
  }

  async append(operations: readonly Operation[], { key, at } = written()): Promise<string> {
    const entry = packed(entryText({ key, at, operations }));
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const position = (await this.count()) + 1;
      try {
        const data = Buffer.from(JSON.stringify({ position, entry }));
        const insert = { table: logTable, settings: appendSettings, format: 'JSONEachRow' };
        await this.#engine.insert(insert, data);
        return key;
      } catch (error) {
        // An append that broke off may have come through, also when the keeper says that the key is there.
        const stored = await this.#at(position);
        if (stored?.key === key) return key;
        if (stored === undefined) throw error;
      }
    }
    throw new FaultError(fault('resource', Codes.free, 'Too many others change the catalogue at this moment'));
  }

  async count(): Promise<number> {
    const [row] = await this.#engine.rows(`${countEntries} SETTINGS ${keeperSettings}`);
    return Number(row?.[0]);
  }

  async read(after: number): Promise<readonly LogEntry[]> {
    const end = await this.count();
    const entries: LogEntry[] = [];
    for (let from = after + 1; from <= end; from += entriesPerQuery) {
      const positions = Array.from({ length: Math.min(entriesPerQuery, end - from + 1) }, (_, i) => from + i);
      entries.push(...(await this.#entries(positions)));
    }
    // A server of the keeper may lag behind the one that counted: what follows a gap is read the next time.
    return entries.filter(({ position }, at) => position === after + 1 + at);
  }

  async #at(position: number): Promise<LogEntry | undefined> {
    return (await this.#entries([position]))[0];
  }

  async #entries(positions: readonly number[]): Promise<readonly LogEntry[]> {
    const rows = await this.#engine.rows(
      `SELECT toString(position), entry FROM ${logTable} WHERE position IN (${positions.join(', ')}) SETTINGS ${keeperSettings}`,
    );
    const entries = rows.map(([position, text]) => readEntry(Number(position), unpacked(String(text))));
    return entries.sort((a, b) => a.position - b.position);
  }
}

function packed(text: string): string {
  return text.length <= plainBytes ? text : compressed + deflateRawSync(text).toString('base64');
}

function unpacked(text: string): string {
  if (!text.startsWith(compressed)) return text;
  return inflateRawSync(Buffer.from(text.slice(compressed.length), 'base64')).toString();
}
