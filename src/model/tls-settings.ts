/** TLS on the HTTP port. */
export interface TlsSettings {
  /** Files in PEM; the certificate may be followed by those of its authorities. */
  readonly certFile: string;
  readonly keyFile: string;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Whose requests without TLS are still served on the port. */
  readonly plainHttp: 'off' | 'loopback' | 'all';
}
