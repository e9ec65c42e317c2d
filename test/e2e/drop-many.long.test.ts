/** A hundred thousand sub-tables. */
process.env.SLUICE_TEST_DROPPED_TABLES = '100000';
await import('./drop-many.test.js');
