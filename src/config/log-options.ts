import { optionTable } from '../model/option.js';

/** Where the log goes, and when its files change. */
export const logOptions = optionTable({
  group: 'log',
  title: 'Logging',
  rows: [
    { flag: 'log.path', type: 'string', default: '/var/log/sluice', help: 'directory of the log files' },
    {
      flag: 'log.rotationCount',
      type: 'uint',
      default: '30',
      help: 'finished log files that are kept, beside the current one',
    },
    { flag: 'log.rotationSize', type: 'size', default: '1GB', help: 'begin a new log file at this size', min: 1 },
    {
      flag: 'log.rotationTime',
      type: 'duration',
      default: '24h0m0s',
      help: 'begin a new log file after this time',
      min: 1000,
    },
    {
      flag: 'log.enableRecordHttpSql',
      type: 'bool',
      help: 'record every SQL statement that came over HTTP in a file of its own; with logLevel debug or trace it is recorded in any case',
    },
    {
      flag: 'log.sqlRotationCount',
      type: 'uint',
      default: '2',
      help: 'finished SQL record files that are kept, beside the current one',
    },
    {
      flag: 'log.sqlRotationSize',
      type: 'size',
      default: '1GB',
      help: 'begin a new SQL record file at this size',
      min: 1,
    },
    {
      flag: 'log.sqlRotationTime',
      type: 'duration',
      default: '24h0m0s',
      help: 'begin a new SQL record file after this time',
      min: 1000,
    },
  ],
});
