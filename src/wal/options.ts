import { longestTimerMs, optionTable, type SettingsOf } from '../model/option.js';

/** When a write is answered, and how rows are gathered into inserts. */
export const writeOptions = optionTable({
  group: 'write',
  title: 'Writing',
  rows: [
    {
      flag: 'write.ack',
      type: 'string',
      default: 'logged',
      help: 'when a write is answered: logged, when it is in the write-ahead log; stored, when the database has it',
      allowed: ['logged', 'stored'],
    },
    {
      flag: 'write.batchSize',
      type: 'int',
      default: '100000',
      help: 'batch size: rows of one storage table are inserted when this many wait',
      min: 1,
      max: 1_000_000,
    },
    {
      flag: 'write.flushInterval',
      type: 'duration',
      default: '1s',
      help: 'longest time until a logged row is inserted; readers of this service do not wait for it',
      min: 1,
      max: longestTimerMs,
    },
  ],
});

/** The write-ahead log. */
export const walOptions = optionTable({
  group: 'wal',
  title: 'Write-ahead log',
  rows: [
    {
      flag: 'wal.path',
      type: 'string',
      default: '',
      help: 'directory of the write-ahead logs; empty is the folder wal in database.path',
    },
    {
      flag: 'wal.sync',
      type: 'string',
      default: 'interval',
      help: 'when the log is forced to the disk: always, before each answer; interval, once per second; or never, which leaves stored rows to the system, too',
      allowed: ['always', 'interval', 'never'],
    },
    {
      flag: 'wal.segmentBytes',
      type: 'size',
      default: '64MB',
      help: 'size of one file of the log; a file is deleted once all rows in it are stored',
      min: 65_536,
      max: 1_073_741_824,
    },
    {
      flag: 'wal.maxBytes',
      type: 'size',
      default: '0',
      help: 'most bytes of the log; 0 is a quarter of the free space at the start, 16 GiB at most',
      min: 0,
    },
  ],
});

/** The settings of the write-ahead log. */
export type WalSettings = SettingsOf<typeof walOptions>;
