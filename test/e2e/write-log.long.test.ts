/** Two hundred kills. */
process.env.WRITE_LOG_KILLS ??= '200';
await import('./write-log.test.js');
