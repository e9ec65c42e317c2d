/** A thousand readers at once. */
process.env.SLUICE_TEST_STUCK_READERS = '1000';
await import('./stuck-readers.test.js');
