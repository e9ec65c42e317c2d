import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { skipped } from './skipped.js';

/** A certificate of 127.0.0.1 that vouches for itself, and its key. */
export interface TestCertificate {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Arguments of a service that speaks TLS; none without a certificate. */
export function tlsArguments(certificate: TestCertificate | undefined): string[] {
  if (certificate === undefined) return [];
  const { certFile, keyFile } = certificate;
  return ['--ssl.enable=true', `--ssl.certFile=${certFile}`, `--ssl.keyFile=${keyFile}`];
}

/** Declares tests that need the certificate of the service; where none could be made, they are skipped. */
export function secureTests(certificate: TestCertificate | undefined) {
  return (title: string, body: (t: ExecutionContext, caFile: string) => Promise<void>): void =>
    test.serial(title, (t) =>
      certificate === undefined
        ? skipped(t, 'there is no openssl to make a certificate with')
        : body(t, certificate.certFile),
    );
}

/** Makes certificates, in a directory that `remove` removes; `make` gives undefined where there is no openssl. */
export function certificates(): { make: (name: string) => TestCertificate | undefined; remove: () => void } {
  const home = mkdtempSync(join(tmpdir(), 'sluice-certificates-'));
  const subject = ['-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2', '-nodes'];
  const make = (name: string): TestCertificate | undefined => {
    const [certFile, keyFile] = [join(home, `${name}.crt`), join(home, `${name}.key`)];
    const out = ['-keyout', keyFile, '-out', certFile, '-subj', `/CN=${name}`];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    try {
      execFileSync('openssl', ['req', '-x509', ...kind, ...out, ...subject], { stdio: 'ignore' });
    } catch {
      return undefined;
    }
    return { certFile, keyFile };
  };
  return { make, remove: () => rmSync(home, { recursive: true, force: true }) };
}
