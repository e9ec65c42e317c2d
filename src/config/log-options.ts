import { option, optionTable } from '../model/option.js';

/** Where the log goes, and when its files change. */
export const logOptions = optionTable('log', 'Logging', [
  option.text('log.path', 'directory of the log files', { default: '/var/log/sluice' }),
  option.uint('log.rotationCount', 'rotated log files to keep, in addition to the current one', { default: '30' }),
  option.size('log.rotationSize', 'rotate the log file at this size', { default: '1GB', min: 1 }),
  option.duration('log.rotationTime', 'rotate the log file after this time', { default: '24h0m0s', min: 1000 }),
  option.bool(
    'log.enableRecordHttpSql',
    'record every SQL statement of HTTP requests in a separate file; with logLevel debug or trace this is always on',
  ),
  option.uint('log.sqlRotationCount', 'rotated SQL record files to keep, in addition to the current one', {
    default: '2',
  }),
  option.size('log.sqlRotationSize', 'rotate the SQL record file at this size', { default: '1GB', min: 1 }),
  option.duration('log.sqlRotationTime', 'rotate the SQL record file after this time', {
    default: '24h0m0s',
    min: 1000,
  }),
]);
