import { option, optionTable, type SettingReader } from '../model/option.js';
import type { TlsSettings } from '../model/tls-settings.js';

const versions = { '1.2': 'TLSv1.2', '1.3': 'TLSv1.3' } as const;

/** TLS on the HTTP port. */
export const sslOptions = optionTable('ssl', 'TLS on the HTTP port', [
  option.bool('ssl.enable', 'speak TLS on the HTTP port', { default: 'false' }),
  option.text(
    'ssl.certFile',
    'file with the certificate in PEM and those of its authorities; read again when it changes',
  ),
  option.text('ssl.keyFile', 'file with the key of the certificate in PEM; read again when it changes'),
  option.text('ssl.minVersion', 'oldest version of TLS that is spoken', { default: '1.2', allowed: ['1.2', '1.3'] }),
  option.text(
    'ssl.plainHttp',
    'requests without TLS that are still served on the port: none, those of this machine, or all',
    { default: 'loopback', allowed: ['off', 'loopback', 'all'] },
  ),
]);

/** Reads the settings of {@link sslOptions}; undefined when TLS is off. On, it needs both files. */
export function readSslSettings(reader: SettingReader): TlsSettings | undefined {
  const { enable, minVersion, ...settings } = reader.settings(sslOptions);
  if (!enable) return undefined;
  for (const name of ['certFile', 'keyFile'] as const) {
    if (settings[name] === '') reader.refuse(`ssl.${name}`, 'a file when ssl.enable is on');
  }
  return { ...settings, minVersion: versions[minVersion] };
}
