import { join } from 'node:path';
import { writeDeb } from './deb.js';

/** `npm run deb`; `-- none` leaves the package uncompressed, which is fast. */
const compression = process.argv[2] === 'none' ? 'none' : 'gzip';
process.stdout.write(`${writeDeb(join(import.meta.dirname, '../../dist'), compression)}\n`);
