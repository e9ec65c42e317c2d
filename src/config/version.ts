import { readFileSync } from 'node:fs';

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

/** The version of the package. */
export const version = manifest.version;

/**
 * Answer of SERVER_VERSION(): the version of the database whose dialect the service speaks. Clients choose by it what they may ask, and some take
 * only versions that begin with `3.`, so it does not follow the version of the package.
 */
export const dialectVersion = '3.4.0.0';
