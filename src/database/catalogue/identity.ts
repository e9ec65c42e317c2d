import { hash } from 'node:crypto';
import type { TableDef } from '../../model/schema.js';

const digest = Buffer.alloc(16);

/** A 64-bit hash of parts that together name something; parts cannot run into each other. */
function hash64(...parts: readonly string[]): bigint {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  digest.write(hash('md5', text, 'binary'), 'latin1');
  return digest.readBigUInt64LE(0);
}

/**
 * The key of a sub-table: a hash of its database, its name and how often a sub-table of that name was dropped before,
 * so that writers agree on it without talking to each other and rows of a dropped sub-table never come back.
 */
export function subTableKey(databaseId: string, name: string, generation: number): bigint {
  return hash64(databaseId, name, String(generation));
}

/** Bits of an id that are those of its key where the upper ones stand for a metric. */
const keyBits = 48;

/** The upper bits of the ids of a metric's series: never 0, which stands for series without one. */
export function leadOf(metric: string): number {
  return Number(hash64(metric) % 65_535n) + 1;
}

/**
 * The id under which the rows of a sub-table are stored: its key, with the lead of its metric in front, so that the
 * series of a metric lie together; see docs/decisions/037-series-by-metric.md.
 */
export function seriesId(key: bigint, lead: number): bigint {
  return lead === 0 ? key : (BigInt(lead) << BigInt(keyBits)) | commonBits(key);
}

/** The lead in the id of a sub-table; 0 where the id is the key. */
export function leadIn(key: bigint, id: bigint): number {
  return id === key ? 0 : Number(id >> BigInt(keyBits));
}

/** The bits of a key that are in the id as well, whether there is a metric in it or not. */
export function commonBits(key: bigint): bigint {
  return BigInt.asUintN(keyBits, key);
}

/** The id of the one series of a normal table. */
export function normalTableId(databaseId: string, tableId: string): bigint {
  return hash64(databaseId, '', tableId);
}

/** A short name for a list of physical columns: tables of one shape share one engine table. */
export function shapeName(physicalColumns: readonly string[]): string {
  return hash('md5', physicalColumns.join(',')).slice(0, 16);
}

/**
 * An engine table that holds rows of the super tables of a database that arriving data made with columns of this shape;
 * the first one of the shape is numbered 0. See docs/decisions/007-shared-storage.md.
 */
export function sharedStorage(databaseId: string, shape: string, place: number): string {
  return `${databaseId}.s${shape}${place === 0 ? '' : `_${place}`}`;
}

/** Names of such engine tables in their database, as a pattern of the engine. */
export const sharedStoragePattern = '^s[0-9a-f]{16}(_[0-9]+)?$';

/** The engine table that holds the tags of those tables. */
export function sharedTagStorage(databaseId: string): string {
  return `${databaseId}.gs`;
}

/**
 * True when no entry of the log after the one that made a table has changed it, so that no process has ever known it
 * with less: its id begins with the number of that entry.
 */
export function isAsMade({ id, revision }: TableDef): boolean {
  return id.startsWith(`${revision}_`);
}
