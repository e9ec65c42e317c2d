import { resolveAdapterSettings, type Settings } from '../config/adapter-settings.js';
import { mistakesIn } from '../config/resolve.js';
import type { Progress } from '../database/host/backup.js';
import { reasonOf } from '../model/fault.js';

/**
 * Runs a command of `sluice` with the settings of its arguments, the environment and the file, and gives the exit code:
 * that of refused settings, or 1 with one line about what it threw.
 */
export async function withSettings(
  argv: readonly string[],
  work: (settings: Settings) => Promise<void>,
): Promise<number> {
  const resolution = resolveAdapterSettings('sluice', argv, process.env);
  if (resolution.outcome !== 'settings') {
    for (const line of mistakesIn(resolution)) process.stderr.write(`sluice: ${line}\n`);
    return resolution.outcome === 'refused' ? resolution.exitCode : 0;
  }
  try {
    await work(resolution.settings);
    return 0;
  } catch (error) {
    process.stderr.write(`sluice: ${reasonOf(error)}\n`);
    return 1;
  }
}

/**
 * The settings of a file, with the defaults of those that it leaves out; throws an Error with one line for each mistake
 * in it.
 */
export function settingsOf(file: string): Settings {
  const resolution = resolveAdapterSettings('sluice', [`--config=${file}`], {});
  if (resolution.outcome === 'settings') return resolution.settings;
  throw new Error(mistakesIn(resolution).join('\n'));
}

/** A line that is written over on a terminal; nothing elsewhere. */
export function progressLine(what: string): { readonly progress: Progress; readonly end: () => void } {
  if (!process.stdout.isTTY) return { progress: () => {}, end: () => {} };
  return {
    progress: (done, of) => process.stdout.write(`\r${done} of ${of} ${what}\u001b[K`),
    end: () => process.stdout.write('\r\u001b[K'),
  };
}
