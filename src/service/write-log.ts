import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { detached } from '../async/detached.js';
import type { Settings } from '../config/adapter-settings.js';
import type { ComponentLog } from '../model/component.js';
import { Codes, type Fault, fault } from '../model/fault.js';
import type { WatchedMetrics } from '../model/metric.js';
import type { ServiceSignals } from '../pipelines/events/signals.js';
import type { WriteLog, WritePipeline } from '../pipelines/writes.js';
import { countFreeLogs, logsOfOthers } from '../wal/directory.js';
import { WriteAheadLog } from '../wal/log.js';
import { RejectedRowsFile } from '../wal/rejected-rows.js';

/** Name of the file of rejected rows, beside the logs. */
const rejectedName = 'rejected.jsonl';

/**
 * Opens the write-ahead log of the service, and logs its recovery. `secret` identifies the database, so that the rows
 * of orphaned logs go to the database that they were for. Throws an Error with one clear line.
 */
export function openWriteLog(
  { database, general, wal, write }: Settings,
  secret: Buffer | string,
  log: ComponentLog,
  signals: ServiceSignals,
): WriteLog {
  const root = logFolder({ database, wal });
  const name = nameOf(secret);
  const opened = new WriteAheadLog(root, { ...wal, database: name, port: general.port, log });
  const { texts, tornBytes, damaged, missingFiles } = opened.recovered;
  if (texts > 0) log.info({ texts, bytes: opened.bytes, path: opened.path }, 'The write-ahead log is read back.');
  if (tornBytes > 0) log.warn({ bytes: tornBytes }, 'The end of the write-ahead log was torn off and is left out.');
  if (missingFiles > 0) {
    const text = 'Files are missing in the middle of the write-ahead log: rows in them that were not stored are lost.';
    log.warn({ files: missingFiles, path: opened.path }, text);
  }
  for (const path of logsOfOthers(root, name)) {
    log.warn({ path }, 'A write-ahead log with rows of another database is left alone.');
  }
  const rejected = new RejectedRowsFile(join(root, rejectedName), log, ({ text, table, fault: { message } }) => {
    const { database = 'the write-ahead log' } = text;
    const name = table === undefined ? database : `${database}.${table}`;
    signals.signals$.next({ kind: 'rejected', table: name, problem: `${message} They are in ${rejectedName}.` });
  });
  for (const { path, bytes, isWhole } of damaged) {
    if (bytes === 0)
      log.warn({ path }, 'An empty file of the write-ahead log was removed: rows in it that were not stored are lost.');
    else detached(rejected.add({ text: {}, rows: 0, fault: damageOf(path, bytes, isWhole) }));
  }
  return { wal: opened, rejected, ack: write.ack };
}

function damageOf(path: string, bytes: number, isWhole: boolean): Fault {
  const what = isWhole ? `All ${bytes} bytes of the file` : `The last ${bytes} bytes of the file`;
  return fault('database', Codes.free, `${what} ${path} of the write-ahead log are damaged; the file is kept`);
}

/** The directory of the write-ahead logs and of other state that an adapter keeps between runs. */
export function logFolder({ database, wal }: Pick<Settings, 'database' | 'wal'>): string {
  return resolve(wal.path === '' ? join(database.path, 'wal') : wal.path);
}

/** Number of orphaned logs of a database with rows. */
export function orphanedWriteLogs(settings: Pick<Settings, 'database' | 'wal'>, secret: Buffer | string): number {
  return countFreeLogs(logFolder(settings), nameOf(secret));
}

function nameOf(secret: Buffer | string): string {
  return createHash('sha256').update('write-ahead log').update(secret).digest('hex');
}

/** Metrics of the log and of waiting rows. */
export function writeLogMetrics({ wal, rejected }: WriteLog, writes: () => WritePipeline): WatchedMetrics {
  return {
    adapter_wal_bytes: { help: 'Bytes of the write-ahead log.', read: () => wal.bytes },
    adapter_wal_open_texts: { help: 'Answered texts with rows that are not stored yet.', read: () => wal.open },
    adapter_wal_oldest_seconds: {
      help: 'Age of the oldest answered row that is not stored yet; 0 when all are.',
      read: () => writes().waiting.oldestSeconds,
      together: 'max',
    },
    adapter_wal_behind: {
      help: '1 while answered rows are in the log alone and are read back from it.',
      read: () => Number(writes().waiting.isBehind),
      together: 'max',
    },
    adapter_wal_replayed_texts: {
      isCounter: true,
      help: 'Texts that were read back from the log.',
      read: () => writes().waiting.replayed,
    },
    adapter_wal_rejected_rows: {
      isCounter: true,
      help: 'Answered rows that could not be stored and are in the file of rejected rows.',
      read: () => rejected.counts.rows,
    },
    adapter_wal_rejected_texts: {
      isCounter: true,
      help: 'Entries in the file of rejected rows.',
      read: () => rejected.counts.texts,
    },
    adapter_waiting_rows: { help: 'Rows that wait for their insert.', read: () => writes().waiting.rows },
    adapter_waiting_groups: {
      help: 'Storage tables with rows that wait or are being inserted.',
      read: () => writes().waiting.queues,
    },
    adapter_waiting_bytes: {
      help: 'About the memory that answered rows take while they wait, in bytes.',
      read: () => writes().waiting.waitingBytes,
    },
  };
}
