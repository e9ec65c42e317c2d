import { readFileSync } from 'node:fs';

const { version: found }: { version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

/** The version of the package, which is also that of the database it speaks for. */
export const version = found;
