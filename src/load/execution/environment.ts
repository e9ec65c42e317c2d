import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { FaultError } from '../../model/fault.js';
import type { RunSql } from '../model/ports.js';
import { type LoadSetting, settingList } from '../model/report.js';
import { firstColumn } from './statements.js';

const bytesPerGigabyte = 2 ** 30;

/** Versions and machine of a run, for its report: figures of two runs compare only where these are alike. */
export async function environmentOf(version: string, run: RunSql): Promise<LoadSetting[]> {
  // A run does not fail for the version of the dialect.
  const dialect = await firstColumn(run, 'SELECT SERVER_VERSION()').catch((error: unknown) => {
    if (error instanceof FaultError) return ['unknown'];
    throw error;
  });
  return settingList({
    tool: version,
    'SQL dialect': dialect[0] ?? 'unknown',
    'Node.js': process.versions.node,
    system: `${type()} ${release()}, ${process.arch}`,
    processors: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memory: `${(totalmem() / bytesPerGigabyte).toFixed(1)} GB`,
  });
}
