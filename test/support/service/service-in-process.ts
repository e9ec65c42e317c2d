import type { Settings } from '../../../src/config/adapter-settings.js';
import { adapterOptions, readAdapterSettings } from '../../../src/config/adapter-settings.js';
import { resolveSettings } from '../../../src/config/resolve.js';
import { type Service, type ServiceExtras, startService } from '../../../src/service/service.js';
import { createLogger } from '../../../src/telemetry/logger.js';
import { temporaryDirectory } from '../engine/engine.js';
import { freePorts } from './free-ports.js';

/** The settings that command-line arguments give. */
export function settingsOf(...argv: readonly string[]): Settings {
  const resolution = resolveSettings({
    program: 'sluice',
    version: '0',
    argv: [...argv],
    env: {},
    tables: adapterOptions,
    read: readAdapterSettings,
  });
  if (resolution.outcome !== 'settings') throw new Error(JSON.stringify(resolution));
  return resolution.settings;
}

/** The service inside the test's own process, where a test can take the place of what it measures. */
export async function startInProcess(
  extras: ServiceExtras,
  ...argv: readonly string[]
): Promise<{ service: Service; lines: string[]; end: () => Promise<void> }> {
  const [path, remove] = temporaryDirectory();
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const logger = createLogger('info', { stream, readable: false });
  const settings = settingsOf(...freePorts, `--database.path=${path}`, ...argv);
  const service = await startService(settings, '0', logger, extras);
  const end = async (): Promise<void> => {
    await service.stop(10_000);
    remove();
  };
  return { service, lines, end };
}
