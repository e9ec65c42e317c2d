import { unwatchFile, watchFile } from 'node:fs';
import tls from 'node:tls';
import { readSettingFile } from '../../async/setting-file.js';
import type { ComponentLog } from '../../model/component.js';
import { reasonOf } from '../../model/fault.js';
import type { TlsSettings } from '../../model/tls-settings.js';

/** How often the files are looked at. */
const watchIntervalMs = 1_000;

/**
 * Reads the certificate and its key. Throws with the setting in the words when a file cannot be read, or they are no
 * pair.
 */
export function readCertificate({ certFile, keyFile, minVersion }: TlsSettings): tls.SecureContextOptions {
  const options = {
    cert: readSettingFile('ssl.certFile', certFile),
    key: readSettingFile('ssl.keyFile', keyFile),
    minVersion,
  };
  try {
    tls.createSecureContext(options);
  } catch (cause) {
    throw new Error(`ssl.certFile and ssl.keyFile: ${reasonOf(cause)}`, { cause });
  }
  return options;
}

/**
 * Reads the files again when they change, and hands what they hold to `use`. Files that cannot be read, or are no pair,
 * change nothing but the log. Returns what ends the watching.
 */
export function watchCertificate(
  settings: TlsSettings,
  log: ComponentLog,
  use: (options: tls.SecureContextOptions) => void,
): () => void {
  const { certFile, keyFile } = settings;
  const renew = (): void => {
    try {
      use(readCertificate(settings));
      log.info({ certFile }, 'The certificate was read again.');
    } catch (error) {
      log.warn(
        { certFile, keyFile, reason: reasonOf(error) },
        'The certificate could not be read again; the old one stays.',
      );
    }
  };
  for (const file of [certFile, keyFile]) watchFile(file, { interval: watchIntervalMs, persistent: false }, renew);
  return () => {
    for (const file of [certFile, keyFile]) unwatchFile(file, renew);
  };
}
