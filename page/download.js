import { h } from './dom.js';
import { uniqueNames } from './names.js';

/**
 * Rows as CSV as RFC 4180 has it, with a line of names.
 * @param {import('./sql.js').Rows} rows
 */
export function toCsv({ columns, data }) {
  const lines = [columns.map(({ name }) => cell(name)), ...data.map((row) => row.map(cell))];
  return `${lines.map((line) => line.join(',')).join('\r\n')}\r\n`;
}

/**
 * Rows as JSON, an object each. Columns of one name are numbered.
 * @param {import('./sql.js').Rows} rows
 */
export function toJson({ columns, data }) {
  const names = uniqueNames(columns.map(({ name }) => name));
  const objects = data.map((row) => JSON.stringify(Object.fromEntries(row.map((value, at) => [names[at], value]))));
  return `[\n${objects.join(',\n')}\n]\n`;
}

/** @param {unknown} value */
function cell(value) {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Hands a text to the browser as a file.
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
