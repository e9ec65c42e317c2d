/** Changes of dashboards that are not saved; this tab keeps them while other views are open. */

/** @typedef {import('./dashboard.js').Dashboard} Dashboard */

const keyOf = (/** @type {string} */ id) => `sluice.dashboard.${id}`;

/**
 * A dashboard with the changes that this tab has not saved; undefined if there are none.
 * @param {Dashboard} read
 * @returns {Dashboard | undefined}
 */
export function draftOf(read) {
  const text = sessionStorage.getItem(keyOf(read.id));
  return text === null ? undefined : { ...read, ...JSON.parse(text) };
}

/**
 * Whether this tab has changes of a dashboard that are not saved.
 * @param {string} id
 */
export function hasDraft(id) {
  return sessionStorage.getItem(keyOf(id)) !== null;
}

/** @param {Dashboard} shown */
export function keepDraft({ id, name, shared, version, content }) {
  sessionStorage.setItem(keyOf(id), JSON.stringify({ name, shared, version, content }));
}

/** @param {string} id */
export function forgetDraft(id) {
  sessionStorage.removeItem(keyOf(id));
}
