import type { Settings } from '../config/adapter-settings.js';
import { makePrivate } from '../database/host/make-missing.js';
import type { RecordSql } from '../http/request/call.js';
import { reasonOf } from '../model/fault.js';
import { RotatingFile } from '../telemetry/rotating-file.js';
import { recordLine } from '../telemetry/sql-record.js';

/** The log files of a service; without them it logs to standard output alone. */
export interface LogFiles {
  readonly main: RotatingFile | undefined;
  readonly recordSql: RecordSql | undefined;
  /** Lines to log about them. */
  readonly notes: readonly string[];
  close(): void;
}

/**
 * Opens the log file and, with `log.enableRecordHttpSql` or a log level of `debug` or `trace`, the SQL record in
 * `log.path`. The default directory may be out of reach for a user without rights: then a log line says that there are
 * no files.
 * @throws Error with one clear line when a configured directory, or the SQL record, cannot be used.
 */
export function openLogFiles({ log, general }: Settings, pathIsGiven: boolean): LogFiles {
  const records = log.enableRecordHttpSql || general.logLevel === 'debug' || general.logLevel === 'trace';
  const files: RotatingFile[] = [];
  const open = (name: string, maxBytes: number, intervalMs: number, count: number, sync: boolean): RotatingFile => {
    const file = new RotatingFile({ directory: log.path, name, maxBytes, intervalMs, count, sync });
    files.push(file);
    return file;
  };
  const close = (): void => {
    for (const file of files) file.close();
  };
  try {
    makePrivate(log.path);
    const main = open(`adapter_${general.port}`, log.rotationSizeBytes, log.rotationTimeMs, log.rotationCount, true);
    if (!records) return { main, recordSql: undefined, notes: [], close };
    const record = open(
      `httpsql_${general.port}`,
      log.sqlRotationSizeBytes,
      log.sqlRotationTimeMs,
      log.sqlRotationCount,
      false,
    );
    return { main, recordSql: (entry) => record.write(recordLine(entry)), notes: [], close };
  } catch (error) {
    close();
    const reason = reasonOf(error);
    if (pathIsGiven || log.enableRecordHttpSql)
      throw new Error(`log.path ${log.path} cannot be used: ${reason}`, { cause: error });
    const notes = [`There are no log files: ${log.path} cannot be used (${reason}).`];
    return { main: undefined, recordSql: undefined, notes, close };
  }
}
