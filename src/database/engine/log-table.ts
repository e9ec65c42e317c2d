/** The engine table that is the catalogue's log. */
export const logTable = 'sluice.catalogue';

/** A query of one number: how many entries it has, which the engine knows without reading any. */
export const countEntries = `SELECT count() FROM ${logTable}`;

/** The answer to an INSERT that was made for a log with other entries. */
export const grownText = 'The catalogue has grown';

/** Header of an INSERT to a host of our own: it inserts nothing unless the log has so many entries. */
export const logEntriesHeader = 'x-sluice-log-entries';
