import { readFileSync } from 'node:fs';

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

/** The release, as npm, the Debian package, backups and the changelog have it: `4.0.0`. */
export const release = manifest.version;

/**
 * The version of the database whose dialect the service speaks. Clients of the family want one that begins with `3.`,
 * and 3.3.6.0 at least.
 */
const dialect = '3.4.0';

/**
 * The version of a release for clients: the dialect, and behind it one number that grows with the releases. Two digits
 * each are for minor and patch: `4.1.2` is `3.4.0.40102`. Throws on a release that is no three numbers, or whose minor
 * or patch has three digits.
 */
export function versionOf(text: string): string {
  const [, major, minor, patch] = /^(\d+)\.(\d{1,2})\.(\d{1,2})$/.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) throw new Error(`${text} is no release.`);
  return `${dialect}.${major}${minor.padStart(2, '0')}${patch.padStart(2, '0')}`;
}

/**
 * The one version that adapter and database report: `--version` of all programs, SERVER_VERSION(), CLIENT_VERSION(),
 * the lists of SHOW, the description of the interfaces and the metrics.
 */
export const version = versionOf(release);
