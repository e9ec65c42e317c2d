/** Addresses of views with what they are to show. */

/**
 * A statement in the view of queries.
 * @param {{ statement: string; language?: import('./editor.js').Language; database?: string; range?: string }} query the
 *   statement names its databases where `database` is left out
 */
export function queryLink({ statement, language = 'sql', database = '', range = '3600000' }) {
  const parameters = { q: statement, db: database, range, ...(language === 'sql' ? {} : { language }) };
  return `#query?${new URLSearchParams(parameters)}`;
}

/**
 * A table in the view that draws without SQL.
 * @param {string} database
 * @param {string} table
 */
export function exploreLink(database, table) {
  return `#explore?${new URLSearchParams({ state: JSON.stringify({ database, table }) })}`;
}

/**
 * The newest rows of a table, live.
 * @param {string} database
 * @param {string} table
 */
export function tailLink(database, table) {
  return `#tail?${new URLSearchParams({ db: database, table })}`;
}

/** What stands behind the view's name in the address. */
export function linked() {
  return new URLSearchParams(location.hash.split('?').slice(1).join('?'));
}
