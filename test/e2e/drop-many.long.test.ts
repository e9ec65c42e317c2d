/** Twenty thousand sub-tables. */
process.env.SLUICE_TEST_DROPPED_TABLES = '20000';
await import('./drop-many.test.js');
