import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { FaultError } from '../../model/fault.js';
import type { RunSql } from '../model/ports.js';
import { type LoadSetting, settingList } from '../model/report.js';
import { queried } from './statements.js';

const bytesPerGigabyte = 2 ** 30;

/** Versions and machine of a run, for its report: figures of two runs compare only where these are alike. */
export async function environmentOf(version: string, run: RunSql): Promise<LoadSetting[]> {
  return settingList({
    tool: version,
    'SQL dialect': await dialectVersion(run),
    'Node.js': process.versions.node,
    system: `${type()} ${release()}, ${process.arch}`,
    processors: `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memory: `${(totalmem() / bytesPerGigabyte).toFixed(1)} GB`,
  });
}

/** Version of the SQL that the service tells, which is not its own; a run does not fail for it. */
async function dialectVersion(run: RunSql): Promise<string> {
  try {
    for await (const [version] of queried(run, 'SELECT SERVER_VERSION()')) return String(version);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
  }
  return 'unknown';
}
