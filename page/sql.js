import { zone } from './format.js';
import { request, Trouble } from './session.js';

/** Longest answer that is taken, in bytes. */
const maxBytes = 64 * 1024 * 1024;

/** Types whose values are numbers. */
export const numberTypes = /^(?:TINYINT|SMALLINT|INT|BIGINT|FLOAT|DOUBLE|DECIMAL)/;

/** @typedef {{ name: string; type: string; isNumber: boolean }} Column */
/** @typedef {{ columns: Column[]; data: unknown[][] }} Rows */

/**
 * Runs a statement in {@link zone}: times without a zone in it, its days and the times of its result. Throws a {@link Trouble} with the reason.
 * @param {string} statement
 * @param {string} database may be empty
 * @param {AbortSignal} [signal]
 * @returns {Promise<Rows>}
 */
export async function runSql(statement, database, signal) {
  const zones = new URLSearchParams({ tz: zone, conn_tz: zone });
  const path = `/rest/sql${database === '' ? '' : `/${encodeURIComponent(database)}`}?${zones}`;
  const response = await request(path, {
    method: 'POST',
    body: statement,
    ...(signal === undefined ? {} : { signal }),
  });
  const answer = parseExactly(await textOf(response, signal));
  if (answer.code === 0x000b) throw new Trouble('database', 'The database is not answering.');
  if (answer.code !== 0) {
    throw new Trouble('refused', `${answer.desc} (0x${Number(answer.code).toString(16).padStart(4, '0')})`);
  }
  const columns = answer.column_meta.map((/** @type {[string, string]} */ [name, type]) => ({
    name,
    type,
    isNumber: numberTypes.test(type),
  }));
  return { columns, data: answer.data };
}

/** What the page's own queries begin with, so that the view of slow statements can leave them out. */
export const ownMark = '/* page */ ';

/**
 * Runs a query that the page needs for itself, and that nobody has written. It names its database.
 * @param {string} statement
 * @returns {Promise<Rows>}
 */
export function runOwnSql(statement) {
  return runSql(ownMark + statement, '');
}

/**
 * The text of an answer, as long as it is not too long for a page.
 * @param {Response} response
 * @param {AbortSignal} [signal]
 */
async function textOf(response, signal) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const step = await reader?.read();
      if (step === undefined || step.done) return text + decoder.decode();
      bytes += step.value.length;
      if (bytes > maxBytes) {
        await reader?.cancel();
        throw new Trouble(
          'refused',
          `The answer is longer than ${maxBytes / 1024 / 1024} MB: request fewer rows, say with LIMIT.`,
        );
      }
      text += decoder.decode(step.value, { stream: true });
    }
  } catch (error) {
    if (error instanceof Trouble) throw error;
    if (signal?.aborted) throw new Trouble('aborted', 'Cancelled.');
    throw new Trouble('database', 'The answer broke off: the database has gone away.');
  }
}

/**
 * JSON in which whole numbers too large for a number become texts of their digits, where the browser can tell.
 * @param {string} text
 */
function parseExactly(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const exact = (_key, value, context) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? (context?.source ?? value)
      : value;
  return JSON.parse(text, exact);
}
