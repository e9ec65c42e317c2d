import type { OptionTable, SettingReader } from '../model/option.js';
import type { TlsSettings } from '../model/tls-settings.js';

const versions = { '1.2': 'TLSv1.2', '1.3': 'TLSv1.3' } as const;
const plain = ['off', 'loopback', 'all'] as const;

/** TLS on the HTTP port. */
export const sslOptions: OptionTable = {
  group: 'ssl',
  title: 'TLS on the HTTP port',
  rows: [
    {
      flag: 'ssl.enable',
      type: 'bool',
      default: 'false',
      env: 'ADAPTER_SSL_ENABLE',
      help: 'speak TLS on the HTTP port',
    },
    {
      flag: 'ssl.certFile',
      type: 'string',
      env: 'ADAPTER_SSL_CERT_FILE',
      help: 'file with the certificate in PEM and those of its authorities; read again when it changes',
    },
    {
      flag: 'ssl.keyFile',
      type: 'string',
      env: 'ADAPTER_SSL_KEY_FILE',
      help: 'file with the key of the certificate in PEM; read again when it changes',
    },
    {
      flag: 'ssl.minVersion',
      type: 'string',
      default: '1.2',
      env: 'ADAPTER_SSL_MIN_VERSION',
      help: 'oldest version of TLS that is spoken',
      allowed: Object.keys(versions),
    },
    {
      flag: 'ssl.plainHttp',
      type: 'string',
      default: 'loopback',
      env: 'ADAPTER_SSL_PLAIN_HTTP',
      help: 'requests without TLS that are still served on the port: none, those of this machine, or all',
      allowed: plain,
    },
  ],
};

/** Reads the settings of {@link sslOptions}; undefined when TLS is off. On, it needs both files. */
export function readSslSettings(reader: SettingReader): TlsSettings | undefined {
  if (!reader.bool('ssl.enable')) return undefined;
  const fileOf = (flag: string): string => {
    const path = reader.text(flag);
    if (path === '') reader.refuse(flag, 'a file when ssl.enable is on');
    return path;
  };
  const plainHttp = reader.text('ssl.plainHttp');
  return {
    certFile: fileOf('ssl.certFile'),
    keyFile: fileOf('ssl.keyFile'),
    minVersion: versions[reader.text('ssl.minVersion') === '1.3' ? '1.3' : '1.2'],
    plainHttp: plain.find((known) => known === plainHttp) ?? 'off',
  };
}
