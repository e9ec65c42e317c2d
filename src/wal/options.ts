import { longestTimerMs, type OptionTable, type SettingReader } from '../model/option.js';

/** When a write is answered, and how rows are gathered into inserts. */
export const writeOptions: OptionTable = {
  group: 'write',
  title: 'Writing',
  rows: [
    {
      flag: 'write.ack',
      type: 'string',
      default: 'logged',
      env: 'ADAPTER_WRITE_ACK',
      help: 'when a write is answered: logged, when it is in the write-ahead log; stored, when the database has it',
      allowed: ['logged', 'stored'],
    },
    {
      flag: 'write.batchSize',
      type: 'int',
      default: '100000',
      env: 'ADAPTER_WRITE_BATCH_SIZE',
      help: 'batch size: rows of one storage table are inserted when this many wait',
      min: 1,
      max: 1_000_000,
    },
    {
      flag: 'write.flushInterval',
      type: 'duration',
      default: '1s',
      env: 'ADAPTER_WRITE_FLUSH_INTERVAL',
      help: 'longest time until a logged row is inserted; readers of this service do not wait for it',
      min: 1,
      max: longestTimerMs,
    },
  ],
};

/** The write-ahead log. */
export const walOptions: OptionTable = {
  group: 'wal',
  title: 'Write-ahead log',
  rows: [
    {
      flag: 'wal.path',
      type: 'string',
      default: '',
      env: 'ADAPTER_WAL_PATH',
      help: 'directory of the write-ahead logs; empty is the folder wal in database.path',
    },
    {
      flag: 'wal.sync',
      type: 'string',
      default: 'interval',
      env: 'ADAPTER_WAL_SYNC',
      help: 'when the log is forced to the disk: always, before each answer; interval, once per second; or never',
      allowed: ['always', 'interval', 'never'],
    },
    {
      flag: 'wal.segmentBytes',
      type: 'size',
      default: '64MB',
      env: 'ADAPTER_WAL_SEGMENT_BYTES',
      help: 'size of one file of the log; a file is deleted once all rows in it are stored',
      min: 65_536,
      max: 1_073_741_824,
    },
    {
      flag: 'wal.maxBytes',
      type: 'size',
      default: '0',
      env: 'ADAPTER_WAL_MAX_BYTES',
      help: 'most bytes of the log; 0 is a quarter of the free space at the start, 16 GiB at most',
      min: 0,
    },
  ],
};

/** How writes are answered and gathered. */
export interface WriteSettings {
  readonly ack: 'logged' | 'stored';
  readonly batchSize: number;
  readonly flushIntervalMs: number;
}

/** The settings of the write-ahead log. */
export interface WalSettings {
  /** Empty is the folder `wal` in the directory of the database. */
  readonly path: string;
  readonly sync: 'always' | 'interval' | 'never';
  readonly segmentBytes: number;
  /** 0 is a share of the free space at the start. */
  readonly maxBytes: number;
}

/** Reads the settings of {@link writeOptions}. */
export function readWriteSettings(reader: SettingReader): WriteSettings {
  return {
    ack: reader.text('write.ack') === 'stored' ? 'stored' : 'logged',
    batchSize: reader.number('write.batchSize'),
    flushIntervalMs: reader.number('write.flushInterval'),
  };
}

/** Reads the settings of {@link walOptions}. */
export function readWalSettings(reader: SettingReader): WalSettings {
  const sync = reader.text('wal.sync');
  return {
    path: reader.text('wal.path'),
    sync: sync === 'always' || sync === 'never' ? sync : 'interval',
    segmentBytes: reader.number('wal.segmentBytes'),
    maxBytes: reader.number('wal.maxBytes'),
  };
}
