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
