import { h } from './dom.js';
import { timesStatement } from './explore-sql.js';
import { dateAndTime } from './format.js';
import { quoted } from './names.js';
import { runOwnSql } from './sql.js';

/** @typedef {{ database: string; table: string }} Table */

/**
 * From the first row of a table to its last, in ms.
 * @param {Table} of
 */
export async function wholeSpan({ database, table }) {
  const { data } = await runOwnSql(`SELECT FIRST(_rowts), LAST(_rowts) FROM ${quoted(database)}.${quoted(table)}`);
  const [first, last] = data[0] ?? [];
  return Math.max(1000, Date.parse(String(last)) - Date.parse(String(first)) || 0);
}

/** A table is young, and its picture is cut finer, as long as its first row is not older than this. */
const youngMs = 300_000;

/**
 * The time of the first row of a young table, in Unix ms; undefined for all other tables.
 * @param {Table} of
 */
export async function youth({ database, table }) {
  const { data } = await runOwnSql(`SELECT FIRST(_rowts) FROM ${quoted(database)}.${quoted(table)}`);
  const firstMs = Date.parse(String(data[0]?.[0]));
  return isYoung(firstMs) ? firstMs : undefined;
}

/**
 * The age of a table that was young, in ms, as long as it is.
 * @param {number | undefined} firstMs
 */
export function youngNow(firstMs) {
  return firstMs !== undefined && isYoung(firstMs) ? Math.max(0, Date.now() - firstMs) : undefined;
}

/** Newest values of a series whose distances are looked at. */
const sampledValues = 21;

/**
 * How far the values of a series are from each other, in ms: the median of the newest ones of the series with the newest value.
 * Undefined where it has fewer than two.
 * @param {import('./explore-sql.js').Choice} choice
 * @param {(statement: string) => string} fill puts the time range into a statement
 */
export async function periodOf(choice, fill) {
  const newest = await runOwnSql(fill(timesStatement(choice, 1)));
  const [, table = null] = newest.data[0] ?? [];
  if (table === null) return undefined;
  const { data } = await runOwnSql(fill(timesStatement(choice, sampledValues, String(table))));
  const times = data.map(([time]) => Date.parse(String(time)));
  const distances = times.slice(1).map((time, at) => Number(times[at]) - time);
  return distances.sort((a, b) => a - b)[distances.length >> 1];
}

/** @param {number} firstMs */
function isYoung(firstMs) {
  return Date.now() - firstMs < youngMs;
}

/**
 * What is said of a table without rows in a time range: when its newest row is of, and a way there.
 * @param {Table} of
 * @param {() => void} showAll
 * @returns {Promise<(string | Node)[]>}
 */
export async function newestWords({ database, table }, showAll) {
  const { data } = await runOwnSql(`SELECT LAST(_rowts) FROM ${quoted(database)}.${quoted(table)}`);
  const newest = data[0]?.[0] ?? null;
  if (newest === null) return ['This table has no rows yet.'];
  const words = `The newest row is of ${dateAndTime(Date.parse(String(newest)))}. `;
  return [words, h('button', { type: 'button', class: 'small', onclick: showAll }, 'Show all times')];
}
