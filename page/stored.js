import { request, requestJson, session } from './session.js';

/** Dashboards and saved queries, which the service stores. Every function throws a Trouble when it is refused. */

/** @typedef {'dashboards' | 'saved-queries'} Kind as the path of the interface has it */
/**
 * @typedef {object} Stored a document without its content; times are Unix ms
 * @property {string} id
 * @property {string} name
 * @property {string} owner
 * @property {boolean} shared
 * @property {number} version
 * @property {number} updatedTime
 * @property {string} updatedBy
 * @property {boolean} mayChange
 */
/**
 * @template C
 * @typedef {Stored & { content: C }} Whole
 */
/**
 * @template C
 * @typedef {{ name: string; shared: boolean; content: C }} Sent
 */

/** @typedef {{ language: import('./editor.js').Language; query: string; database: string; range?: string }} SavedQuery */

/**
 * Those that the user may read, by name.
 * @param {Kind} kind
 * @returns {Promise<Stored[]>}
 */
export async function listStored(kind) {
  const { records } = await requestJson(`/api/v1/${kind}`);
  return records.sort((/** @type {Stored} */ a, /** @type {Stored} */ b) => byName.compare(a.name, b.name));
}

const byName = new Intl.Collator(undefined, { numeric: true });

/**
 * @template C
 * @param {Kind} kind
 * @param {string} id
 * @returns {Promise<Whole<C>>}
 */
export function readStored(kind, id) {
  return requestJson(pathOf(kind, id));
}

/**
 * @param {Kind} kind
 * @param {Sent<object>} document
 * @returns {Promise<Stored>}
 */
export function createStored(kind, document) {
  return requestJson(`/api/v1/${kind}`, { method: 'POST', body: JSON.stringify(document) });
}

/**
 * Replaces the version that was read: another one by now is refused.
 * @param {Kind} kind
 * @param {Pick<Stored, 'id' | 'version'>} read
 * @param {Sent<object>} document
 * @returns {Promise<Stored>}
 */
export function replaceStored(kind, { id, version }, { name, shared, content }) {
  const body = JSON.stringify({ name, shared, content, version });
  return requestJson(pathOf(kind, id), { method: 'PUT', body });
}

/**
 * @param {Kind} kind
 * @param {Pick<Stored, 'id' | 'version'>} read
 */
export async function deleteStored(kind, { id, version }) {
  await request(`${pathOf(kind, id)}?version=${version}`, { method: 'DELETE' });
}

/**
 * Who else may see a document, and whose it is, in words.
 * @param {Stored} document
 */
export function sightWords({ owner, shared }) {
  if (owner !== session()?.user) return `by ${owner}`;
  return shared ? 'shared with all users' : 'private';
}

/**
 * @param {Kind} kind
 * @param {string} id
 */
function pathOf(kind, id) {
  return `/api/v1/${kind}/${encodeURIComponent(id)}`;
}
