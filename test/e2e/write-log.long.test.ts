/** Thirty kills; `WRITE_LOG_KILLS=200` makes more of them. */
process.env.WRITE_LOG_KILLS ??= '30';
await import('./write-log.test.js');
