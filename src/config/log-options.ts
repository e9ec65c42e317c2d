import { option, optionTable } from '../model/option.js';

/** Where the log goes, and when its files change. */
export const logOptions = optionTable('log', 'Logging', [
  option.text('log.path', 'directory of the log files', { default: '/var/log/sluice' }),
  option.uint('log.rotationCount', 'finished log files that are kept, beside the current one', { default: '30' }),
  option.size('log.rotationSize', 'begin a new log file at this size', { default: '1GB', min: 1 }),
  option.duration('log.rotationTime', 'begin a new log file after this time', { default: '24h0m0s', min: 1000 }),
  option.bool(
    'log.enableRecordHttpSql',
    'record every SQL statement that came over HTTP in a file of its own; with logLevel debug or trace it is recorded in any case',
  ),
  option.uint('log.sqlRotationCount', 'finished SQL record files that are kept, beside the current one', {
    default: '2',
  }),
  option.size('log.sqlRotationSize', 'begin a new SQL record file at this size', { default: '1GB', min: 1 }),
  option.duration('log.sqlRotationTime', 'begin a new SQL record file after this time', {
    default: '24h0m0s',
    min: 1000,
  }),
]);
