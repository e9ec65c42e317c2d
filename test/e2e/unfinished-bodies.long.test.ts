/** Two thousand unfinished bodies at once. */
process.env.SLUICE_TEST_UNFINISHED_BODIES = '2000';
await import('./unfinished-bodies.test.js');
