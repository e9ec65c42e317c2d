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

/**
 * A dashboard, with its time range, the seconds between refreshes and the values of variables, where these are chosen.
 * @param {{ id: string; range?: string; refresh?: number; values?: import('./variables.js').Values; edit?: boolean }} what
 */
export function dashboardLink({ id, range, refresh, values = new Map(), edit = false }) {
  const parameters = new URLSearchParams({ id });
  if (range !== undefined) parameters.set('range', range);
  if (refresh !== undefined) parameters.set('refresh', String(refresh));
  for (const [name, value] of values) parameters.set(`${variablePrefix}${name}`, value);
  if (edit) parameters.set('edit', '1');
  return `#dashboards?${parameters}`;
}

const variablePrefix = 'var-';

/**
 * The values of variables in the address.
 * @returns {import('./variables.js').Values}
 */
export function linkedValues() {
  return new Map(
    [...linked()].flatMap(([name, value]) =>
      name.startsWith(variablePrefix) ? [[name.slice(variablePrefix.length), value]] : [],
    ),
  );
}

/** What stands behind the view's name in the address. */
export function linked() {
  return new URLSearchParams(location.hash.split('?').slice(1).join('?'));
}
