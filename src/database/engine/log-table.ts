/** The engine table that is the catalogue's log. */
export const logTable = 'sluice.catalogue';

/** Query of its number of entries, which the engine knows without reading any. */
export const countEntries = `SELECT count() FROM ${logTable}`;

/** The error of an INSERT that was made for a log with other entries. */
export const grownText = 'The catalogue has grown';
