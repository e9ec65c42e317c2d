import { adapterOptions, readAdapterSettings, type Settings } from '../config/adapter-settings.js';
import { type Resolution, resolveSettings } from '../config/resolve.js';
import { version } from '../config/version.js';
import type { Progress } from '../database/host/backup.js';
import { reasonOf } from '../model/fault.js';

/**
 * Runs a command of `sluice` with the settings of its arguments, the environment and the file, and gives the exit code: that of
 * refused settings, or 1 with one line about what it threw.
 */
export async function withSettings(
  argv: readonly string[],
  work: (settings: Settings) => Promise<void>,
): Promise<number> {
  const resolution = resolve(argv, process.env);
  if (resolution.outcome !== 'settings') {
    const lines = resolution.outcome === 'refused' ? resolution.errors : [];
    for (const line of lines) process.stderr.write(`sluice: ${line}\n`);
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

/** The settings of a file, with the defaults of those that it leaves out; throws an Error with one line for each mistake in it. */
export function settingsOf(file: string): Settings {
  const resolution = resolve([`--config=${file}`], {});
  if (resolution.outcome === 'settings') return resolution.settings;
  throw new Error(resolution.outcome === 'refused' ? resolution.errors.join('\n') : `${file} has no settings.`);
}

function resolve(argv: readonly string[], env: NodeJS.ProcessEnv): Resolution<Settings> {
  return resolveSettings({ program: 'sluice', version, argv, env, tables: adapterOptions, read: readAdapterSettings });
}

/** A line that is written over on a terminal; nothing elsewhere. */
export function progressLine(what: string): { readonly progress: Progress; readonly end: () => void } {
  if (!process.stdout.isTTY) return { progress: () => {}, end: () => {} };
  return {
    progress: (done, of) => process.stdout.write(`\r${done} of ${of} ${what}\u001b[K`),
    end: () => process.stdout.write('\r\u001b[K'),
  };
}
