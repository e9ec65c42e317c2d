import { longestTimerMs, option, optionTable, type SettingsOf } from '../model/option.js';

/** When a write is answered, and how rows are batched into inserts. */
export const writeOptions = optionTable('write', 'Writing', [
  option.text(
    'write.ack',
    'when a write is acknowledged: logged, once it is in the write-ahead log; stored, once the database has stored it',
    { default: 'logged', allowed: ['logged', 'stored'] },
  ),
  option.int('write.batchSize', 'batch size: rows of one storage table are inserted once this many are queued', {
    default: '100000',
    min: 1,
    max: 1_000_000,
  }),
  option.duration(
    'write.flushInterval',
    'maximum time until a logged row is inserted; readers of this service do not wait for it',
    { default: '1s', min: 1, max: longestTimerMs },
  ),
]);

/** The write-ahead log. */
export const walOptions = optionTable('wal', 'Write-ahead log', [
  option.text('wal.path', 'directory of the write-ahead logs; empty is the folder wal in database.path', {
    default: '',
  }),
  option.text(
    'wal.sync',
    'when the log is synced to disk (fsync): always, before each acknowledgement; interval, once per second; or never, which leaves stored rows to the system, too',
    { default: 'interval', allowed: ['always', 'interval', 'never'] },
  ),
  option.size(
    'wal.segmentBytes',
    'size of one segment file of the log; a file is deleted once all its rows are stored',
    {
      default: '64MB',
      min: 65_536,
      max: 1_073_741_824,
    },
  ),
  option.size(
    'wal.maxBytes',
    'maximum size of the log; 0 is a quarter of the free space of its disk at any time, 16 GiB at most',
    {
      default: '0',
      min: 0,
    },
  ),
]);

/** The settings of the write-ahead log. */
export type WalSettings = SettingsOf<typeof walOptions>;
