import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineSupervisor, type SupervisorOptions } from '../../../src/database/host/supervisor.js';

/** A log that says nothing. */
export const silentLog = { error() {}, warn() {}, info() {}, debug() {} };

/** An empty directory, removed with the returned function. */
export function temporaryDirectory(): [string, () => void] {
  const path = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  return [path, () => rmSync(path, { recursive: true, force: true })];
}

/** A running engine on a directory of its own and a free port; `end` stops it and removes its data. */
export async function startEngine(options: Partial<SupervisorOptions> = {}) {
  const [path, remove] = temporaryDirectory();
  const supervisor = new EngineSupervisor({ path, port: 0, sessions: 8, sync: false, log: silentLog, ...options });
  const endpoint = await supervisor.start();
  const end = async (): Promise<void> => {
    await supervisor.stop();
    remove();
  };
  return { supervisor, endpoint, path, end };
}
