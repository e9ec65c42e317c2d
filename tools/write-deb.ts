import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeDeb } from './deb.js';

/** `npm run deb`; `-- none` leaves the package uncompressed, which is fast. */
const compression = process.argv[2] === 'none' ? 'none' : 'gzip';
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const file = await writeDeb(join(import.meta.dirname, '../../dist'), say, compression);
say(`${file} has ${Math.round(statSync(file).size / 1e6)} MB. It brings Node ${process.version}.`);
