import { h } from './dom.js';
import { dateAndTime } from './format.js';
import { quoted } from './names.js';
import { runSql } from './sql.js';

/** @typedef {{ database: string; table: string }} Table */

/**
 * From the first row of a table to its last, in ms.
 * @param {Table} of
 */
export async function wholeSpan({ database, table }) {
  const { data } = await runSql(`SELECT FIRST(_rowts), LAST(_rowts) FROM ${quoted(database)}.${quoted(table)}`, '');
  const [first, last] = data[0] ?? [];
  return Math.max(1000, Date.parse(String(last)) - Date.parse(String(first)) || 0);
}

/** A table is young, and its picture is cut finer, as long as its first row is not older than this. */
const youngMs = 300_000;

/**
 * The time of the first row of a young table, and how often values of a series come; undefined for all other tables.
 * @param {Table} of
 */
export async function youth({ database, table }) {
  const name = `${quoted(database)}.${quoted(table)}`;
  const { data } = await runSql(`SELECT FIRST(_rowts) FROM ${name}`, '');
  const firstMs = Date.parse(String(data[0]?.[0]));
  if (!isYoung(firstMs)) return undefined;
  const { data: series } = await runSql(
    `SELECT COUNT(*), FIRST(_rowts), LAST(_rowts) FROM ${name} PARTITION BY tbname LIMIT 20`,
    '',
  );
  const periods = series.flatMap(([rows, first, last]) =>
    Number(rows) > 1 ? [(Date.parse(String(last)) - Date.parse(String(first))) / (Number(rows) - 1)] : [],
  );
  return periods.length === 0 ? undefined : { firstMs, periodMs: Math.min(...periods) };
}

/**
 * What the windows of a table that was young follow, as long as it is.
 * @param {Awaited<ReturnType<typeof youth>>} known
 */
export function youngNow(known) {
  if (known === undefined || !isYoung(known.firstMs)) return undefined;
  return { ageMs: Math.max(0, Date.now() - known.firstMs), periodMs: known.periodMs };
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
  const { data } = await runSql(`SELECT LAST(_rowts) FROM ${quoted(database)}.${quoted(table)}`, '');
  const newest = data[0]?.[0] ?? null;
  if (newest === null) return ['This table has no rows yet.'];
  const words = `The newest row is of ${dateAndTime(Date.parse(String(newest)))}. `;
  return [words, h('button', { type: 'button', class: 'small', onclick: showAll }, 'Show all times')];
}
