import { optionTable, type SettingReader } from '../model/option.js';
import type { TlsSettings } from '../model/tls-settings.js';

const versions = { '1.2': 'TLSv1.2', '1.3': 'TLSv1.3' } as const;

/** TLS on the HTTP port. */
export const sslOptions = optionTable({
  group: 'ssl',
  title: 'TLS on the HTTP port',
  rows: [
    { flag: 'ssl.enable', type: 'bool', default: 'false', help: 'speak TLS on the HTTP port' },
    {
      flag: 'ssl.certFile',
      type: 'string',
      help: 'file with the certificate in PEM and those of its authorities; read again when it changes',
    },
    {
      flag: 'ssl.keyFile',
      type: 'string',
      help: 'file with the key of the certificate in PEM; read again when it changes',
    },
    {
      flag: 'ssl.minVersion',
      type: 'string',
      default: '1.2',
      help: 'oldest version of TLS that is spoken',
      allowed: ['1.2', '1.3'],
    },
    {
      flag: 'ssl.plainHttp',
      type: 'string',
      default: 'loopback',
      help: 'requests without TLS that are still served on the port: none, those of this machine, or all',
      allowed: ['off', 'loopback', 'all'],
    },
  ],
});

/** Reads the settings of {@link sslOptions}; undefined when TLS is off. On, it needs both files. */
export function readSslSettings(reader: SettingReader): TlsSettings | undefined {
  const { enable, minVersion, ...settings } = reader.settings(sslOptions);
  if (!enable) return undefined;
  for (const name of ['certFile', 'keyFile'] as const) {
    if (settings[name] === '') reader.refuse(`ssl.${name}`, 'a file when ssl.enable is on');
  }
  return { ...settings, minVersion: versions[minVersion] };
}
